//! The page's side of its three workers: start, handshake, ask, and be told.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::edge::EdgeError;
use crate::edge::message::{self, Envelope, UNASKED};
use crate::worker::{Role, RunEvent, VERSION};

/// What workers say unasked.
#[derive(Clone, Debug)]
pub enum WorkerEvent {
    Ready(Role),
    /// The worker is of another build than the page.
    WrongVersion(Role),
    Broken(Role, String),
    Run(RunEvent),
}

/// First word of a worker, before anything may be sent to it.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Ready {
    pub ready: u32,
}

type Waiting = Rc<RefCell<HashMap<u64, oneshot::Sender<Envelope>>>>;

struct Handle {
    worker: Worker,
    waiting: Waiting,
    next: Cell<u64>,
    ready: Rc<Gate>,
    // Dropping these would drop the listeners.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

/// Messages sent before a worker has loaded are lost, so asking waits here.
#[derive(Default)]
struct Gate {
    open: Cell<bool>,
    waiters: RefCell<Vec<oneshot::Sender<()>>>,
}

impl Gate {
    fn open(&self) {
        self.open.set(true);
        for waiter in self.waiters.take() {
            waiter.send(()).ok();
        }
    }

    async fn pass(&self) {
        if self.open.get() {
            return;
        }
        let (sender, receiver) = oneshot::channel();
        self.waiters.borrow_mut().push(sender);
        receiver.await.ok();
    }
}

/// All three workers.
pub struct Pool {
    data: Handle,
    run: Handle,
    stats: Handle,
}

impl Pool {
    pub fn start(tell: impl Fn(WorkerEvent) + 'static) -> Result<Self, EdgeError> {
        let tell: Rc<dyn Fn(WorkerEvent)> = Rc::new(tell);
        Ok(Self {
            data: Handle::start(Role::Data, tell.clone())?,
            run: Handle::start(Role::Run, tell.clone())?,
            stats: Handle::start(Role::Stats, tell)?,
        })
    }

    fn handle(&self, role: Role) -> &Handle {
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
        let envelope = self.handle(role).ask(job, bytes).await?;
        Ok((message::read(envelope.body)?, envelope.bytes))
    }

    /// Hands the key to the run worker: in a message of its own that no serde type can hold.
    pub async fn hand_key(&self, key: &str, base_url: &str) -> Result<(), EdgeError> {
        self.run.ready.pass().await;
        let message = Object::new();
        Reflect::set(&message, &"id".into(), &UNASKED.into())?;
        Reflect::set(&message, &"key".into(), &key.into())?;
        Reflect::set(&message, &"base".into(), &base_url.into())?;
        self.run.worker.post_message(&message)?;
        Ok(())
    }
}

impl Handle {
    fn start(role: Role, tell: Rc<dyn Fn(WorkerEvent)>) -> Result<Self, EdgeError> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(role.as_str());
        let base = web_sys::window()
            .and_then(|window| window.document())
            .and_then(|document| document.base_uri().ok().flatten())
            .unwrap_or_default();
        let url = web_sys::Url::new_with_base("./worker_loader.js", &base)?;
        // Worker files carry no hash in their names: the build's own mark keeps caches apart.
        if let Some(build) = crate::edge::page::meta("build") {
            url.set_search(&format!("v={build}"));
        }
        let worker = Worker::new_with_options(&url.href(), &options)?;

        let waiting = Waiting::default();
        let ready = Rc::new(Gate::default());
        let on_message = {
            let (waiting, ready, tell) = (waiting.clone(), ready.clone(), tell.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(
                move |event: MessageEvent| match message::unpack(&event.data()) {
                    Ok(envelope) if envelope.id == UNASKED => {
                        unasked(role, envelope, &ready, &*tell);
                    }
                    Ok(envelope) => {
                        let waiter = waiting.borrow_mut().remove(&(envelope.id as u64));
                        if let Some(waiter) = waiter {
                            waiter.send(envelope).ok();
                        }
                    }
                    Err(error) => tell(WorkerEvent::Broken(role, error.to_string())),
                },
            )
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let on_error = {
            let waiting = waiting.clone();
            Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
                // Nobody will answer any more: dropping the senders wakes those who wait.
                waiting.borrow_mut().clear();
                tell(WorkerEvent::Broken(role, event.message()));
            })
        };
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self {
            worker,
            waiting,
            next: Cell::new(1),
            ready,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    async fn ask<J: Serialize>(
        &self,
        job: &J,
        bytes: &[Uint8Array],
    ) -> Result<Envelope, EdgeError> {
        self.ready.pass().await;
        let id = self.next.get();
        self.next.set(id + 1);
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, sender);
        let (message, transfer) = message::pack(id as f64, job, bytes)?;
        self.worker.post_message_with_transfer(&message, &transfer)?;
        receiver.await.map_err(|_| EdgeError::Worker("it stopped while it was working".to_owned()))
    }
}

fn unasked(role: Role, envelope: Envelope, ready: &Gate, tell: &dyn Fn(WorkerEvent)) {
    if let Ok(first) = message::read::<Ready>(envelope.body.clone()) {
        if first.ready == VERSION {
            ready.open();
            tell(WorkerEvent::Ready(role));
        } else {
            tell(WorkerEvent::WrongVersion(role));
        }
        return;
    }
    match message::read(envelope.body) {
        Ok(event) => tell(WorkerEvent::Run(event)),
        Err(error) => tell(WorkerEvent::Broken(role, error.to_string())),
    }
}
