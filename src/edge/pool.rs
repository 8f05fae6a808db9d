//! The page's side of its three workers.

use std::rc::Rc;

use js_sys::{Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use crate::edge::EdgeError;
use crate::edge::channel::{Channel, Said};
use crate::edge::message::{self, UNASKED};
use crate::worker::{DataEvent, Role, RunEvent, StatsEvent};

/// What workers say unasked.
#[derive(Clone, Debug)]
pub enum WorkerEvent {
    Ready(Role),
    /// The worker is of another build than the page.
    WrongVersion(Role),
    Broken(Role, String),
    Run(RunEvent),
    Data(DataEvent),
    Stats(StatsEvent),
}

/// All three workers.
pub struct Pool {
    data: Channel,
    run: Channel,
    stats: Channel,
}

impl Pool {
    pub fn start(tell: impl Fn(WorkerEvent) + 'static) -> Result<Self, EdgeError> {
        let tell: Rc<dyn Fn(WorkerEvent)> = Rc::new(tell);
        Ok(Self {
            data: start(Role::Data, tell.clone())?,
            run: start(Role::Run, tell.clone())?,
            stats: start(Role::Stats, tell)?,
        })
    }

    fn channel(&self, role: Role) -> &Channel {
        match role {
            Role::Data => &self.data,
            Role::Run => &self.run,
            Role::Stats => &self.stats,
        }
    }

    /// Asks a worker and waits for its answer. Buffers are handed over, not copied.
    pub async fn ask<J: Serialize, R: DeserializeOwned>(
        &self,
        role: Role,
        job: &J,
        bytes: &[Uint8Array],
    ) -> Result<(R, Vec<Uint8Array>), EdgeError> {
        let envelope = self.channel(role).ask(job, bytes).await?;
        Ok((message::read(envelope.body)?, envelope.bytes))
    }

    /// Hands a key to the worker that needs it: in a message of its own that no serde type can hold.
    pub async fn hand_key(&self, role: Role, key: &str, base_url: &str) -> Result<(), EdgeError> {
        let message = Object::new();
        Reflect::set(&message, &"id".into(), &UNASKED.into())?;
        Reflect::set(&message, &"key".into(), &key.into())?;
        Reflect::set(&message, &"base".into(), &base_url.into())?;
        self.channel(role).say(&message).await
    }
}

fn start(role: Role, tell: Rc<dyn Fn(WorkerEvent)>) -> Result<Channel, EdgeError> {
    let base = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.base_uri().ok().flatten())
        .unwrap_or_default();
    let url = web_sys::Url::new_with_base("./worker_loader.js", &base)?;
    // Worker files carry no hash in their names: the build's own mark keeps caches apart.
    if let Some(build) = crate::edge::page::meta("build") {
        url.set_search(&format!("v={build}"));
    }
    Channel::start(&url.href(), role.as_str(), move |said| {
        tell(match said {
            Said::Ready => WorkerEvent::Ready(role),
            Said::WrongVersion => WorkerEvent::WrongVersion(role),
            Said::Broken(why) => WorkerEvent::Broken(role, why),
            Said::Other(body) => match event(role, body) {
                Ok(event) => event,
                Err(error) => WorkerEvent::Broken(role, error.to_string()),
            },
        });
    })
}

fn event(role: Role, body: JsValue) -> Result<WorkerEvent, EdgeError> {
    match role {
        Role::Data => message::read(body).map(WorkerEvent::Data),
        Role::Run => message::read(body).map(WorkerEvent::Run),
        Role::Stats => message::read(body).map(WorkerEvent::Stats),
    }
}
