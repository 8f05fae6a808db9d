//! The page's side of its three workers.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use crate::edge::EdgeError;
use crate::edge::channel::{Channel, Said};
use crate::edge::message::{self, UNASKED};
use crate::worker::{DataEvent, Role, RunEvent, RunReply, StatsEvent, VaultWish};

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
    data: Rc<Channel>,
    run: Rc<Channel>,
    /// Another takes its place where its work is given up.
    stats: RefCell<Rc<Channel>>,
    tell: Rc<dyn Fn(WorkerEvent)>,
}

impl Pool {
    pub fn start(tell: impl Fn(WorkerEvent) + 'static) -> Result<Self, EdgeError> {
        let tell: Rc<dyn Fn(WorkerEvent)> = Rc::new(tell);
        Ok(Self {
            data: Rc::new(start(Role::Data, tell.clone())?),
            run: Rc::new(start(Role::Run, tell.clone())?),
            stats: RefCell::new(Rc::new(start(Role::Stats, tell.clone())?)),
            tell,
        })
    }

    fn channel(&self, role: Role) -> Rc<Channel> {
        match role {
            Role::Data => self.data.clone(),
            Role::Run => self.run.clone(),
            Role::Stats => self.stats.borrow().clone(),
        }
    }

    /// Gives up whatever the statistics worker does, and starts another that knows nothing yet. It computes
    /// without a pause, so that no message could tell it to stop.
    pub fn restart_stats(&self) -> Result<(), EdgeError> {
        let fresh = Rc::new(start(Role::Stats, self.tell.clone())?);
        self.stats.replace(fresh).stop();
        Ok(())
    }

    /// Asks a worker and waits for its answer. Buffers are handed over, not copied.
    pub async fn ask<J: Serialize, R: DeserializeOwned>(
        &self,
        role: Role,
        job: &J,
        bytes: &[Uint8Array],
    ) -> Result<(R, Vec<Uint8Array>), EdgeError> {
        let envelope = self.channel(role).ask(&message::write(job)?, bytes).await?;
        Ok((message::read_dense(&envelope.body)?, envelope.bytes))
    }

    /// Hands a key to the worker that needs it: in a message of its own that no serde type can hold.
    pub async fn hand_key(&self, role: Role, key: &str, base_url: &str) -> Result<(), EdgeError> {
        let message = Object::new();
        Reflect::set(&message, &"id".into(), &UNASKED.into())?;
        Reflect::set(&message, &"key".into(), &key.into())?;
        Reflect::set(&message, &"base".into(), &base_url.into())?;
        self.channel(role).say(&message).await
    }

    /// Seals the key in the run worker, or opens what is sealed for a host. The key stays there; the
    /// passphrase goes beside every serde type, as a key does. `minutes` without a call lock it again.
    pub async fn vault(
        &self,
        wish: VaultWish,
        passphrase: &str,
        base_url: &str,
        minutes: u32,
    ) -> Result<RunReply, EdgeError> {
        let message = Object::new();
        Reflect::set(&message, &"vault".into(), &wish.as_str().into())?;
        Reflect::set(&message, &"passphrase".into(), &passphrase.into())?;
        Reflect::set(&message, &"base".into(), &base_url.into())?;
        Reflect::set(&message, &"minutes".into(), &minutes.into())?;
        let envelope = self.channel(Role::Run).ask_aside(&message).await?;
        message::read_dense(&envelope.body)
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
            Said::Other(body) => match event(role, &body) {
                Ok(event) => event,
                Err(error) => WorkerEvent::Broken(role, error.to_string()),
            },
        });
    })
}

fn event(role: Role, body: &JsValue) -> Result<WorkerEvent, EdgeError> {
    match role {
        Role::Data => message::read_dense(body).map(WorkerEvent::Data),
        Role::Run => message::read_dense(body).map(WorkerEvent::Run),
        Role::Stats => message::read_dense(body).map(WorkerEvent::Stats),
    }
}
