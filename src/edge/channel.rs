//! One worker from the side that started it: start, handshake, ask, and be told.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::edge::message::{self, Envelope, UNASKED};
use crate::edge::{EdgeError, lock};
use crate::worker::VERSION;

/// What a worker says unasked, and what becomes of it.
pub(super) enum Said {
    Ready,
    /// It is of another build than who started it.
    WrongVersion,
    /// It stopped, was never there, or said what makes no sense.
    Broken(String),
    Other(JsValue),
}

type Waiting = Rc<RefCell<HashMap<u64, oneshot::Sender<Envelope>>>>;

/// A worker that lives as long as this.
pub(super) struct Channel {
    worker: Worker,
    waiting: Waiting,
    next: Cell<u64>,
    ready: Rc<Gate>,
    /// Whether it is over, whoever ended it: its end is told once, and not at all where it was asked for.
    over: Rc<Cell<bool>>,
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

impl Channel {
    /// Starts the worker whose loader is at `url`.
    pub(super) fn start(
        url: &str,
        name: &str,
        tell: impl Fn(Said) + 'static,
    ) -> Result<Self, EdgeError> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(name);
        let worker = Worker::new_with_options(url, &options)?;
        let tell = Rc::new(tell);
        let waiting = Waiting::default();
        let ready = Rc::new(Gate::default());
        let over = Rc::new(Cell::new(false));
        let on_message = {
            let (waiting, ready, tell) = (waiting.clone(), ready.clone(), tell.clone());
            let over = over.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(
                move |event: MessageEvent| match message::unpack(&event.data()) {
                    Ok(envelope) if envelope.id == UNASKED => match unasked(envelope) {
                        Word::Lock(name) => watch(name, &waiting, &over, &tell),
                        Word::Said(said) => {
                            if let Said::Ready = said {
                                ready.open();
                            }
                            tell(said);
                        }
                    },
                    Ok(envelope) => {
                        let waiter = waiting.borrow_mut().remove(&(envelope.id as u64));
                        if let Some(waiter) = waiter {
                            waiter.send(envelope).ok();
                        }
                    }
                    Err(error) => tell(Said::Broken(error.to_string())),
                },
            )
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let on_error = {
            let (waiting, over) = (waiting.clone(), over.clone());
            Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
                // Told here and nowhere else: it would go on to who started this worker, and be taken for
                // the end of it.
                event.prevent_default();
                over.set(true);
                // Nobody will answer any more: dropping the senders wakes those who wait.
                waiting.borrow_mut().clear();
                // An event without a message tells that a file of the worker could not be loaded.
                let why = Reflect::get(&event, &"message".into()).ok();
                let why = why.and_then(|it| it.as_string()).filter(|it| !it.is_empty());
                let why = why.unwrap_or_else(|| "a file of it could not be loaded".to_owned());
                tell(Said::Broken(why));
            })
        };
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self {
            worker,
            waiting,
            next: Cell::new(1),
            ready,
            over,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Waits until the worker has loaded. It never ends where the worker does not.
    pub(super) async fn ready(&self) {
        self.ready.pass().await;
    }

    /// Asks with a job in bytes and waits for the answer. Buffers are handed over, not copied.
    pub(super) async fn ask(
        &self,
        job: &[u8],
        bytes: &[Uint8Array],
    ) -> Result<Envelope, EdgeError> {
        self.ready().await;
        let (id, answer) = self.number();
        let (message, transfer) = message::pack_written(id, job, bytes)?;
        self.worker.post_message_with_transfer(&message, &transfer)?;
        answer.await.map_err(|_| EdgeError::Worker("it stopped while it was working".to_owned()))
    }

    /// Asks by a message that no serde type can hold, and waits for the answer.
    pub(super) async fn ask_aside(&self, message: &Object) -> Result<Envelope, EdgeError> {
        self.ready().await;
        let (id, answer) = self.number();
        Reflect::set(message, &"id".into(), &id.into())?;
        self.worker.post_message(message)?;
        answer.await.map_err(|_| EdgeError::Worker("it stopped while it was working".to_owned()))
    }

    /// A number for a message, and where its answer will come.
    fn number(&self) -> (f64, oneshot::Receiver<Envelope>) {
        let id = self.next.get();
        self.next.set(id + 1);
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, sender);
        (id as f64, receiver)
    }

    /// Ends the worker in the middle of its work. Whoever waits for an answer hears that none will come.
    pub(super) fn stop(&self) {
        self.over.set(true);
        self.worker.terminate();
        self.waiting.borrow_mut().clear();
    }

    /// Says something that is not answered.
    pub(super) async fn say(&self, message: &JsValue) -> Result<(), EdgeError> {
        self.ready().await;
        Ok(self.worker.post_message(message)?)
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.over.set(true);
        self.worker.terminate();
    }
}

enum Word {
    Said(Said),
    /// The name of the lock that the worker holds.
    Lock(String),
}

fn unasked(envelope: Envelope) -> Word {
    Word::Said(match message::greeting(&envelope.body) {
        Some((VERSION, Some(name))) => return Word::Lock(name),
        Some((VERSION, None)) => Said::Ready,
        Some(_) => Said::WrongVersion,
        None => Said::Other(envelope.body),
    })
}

/// Waits for the end of a worker that can say nothing any more.
fn watch(
    lock: String,
    waiting: &Waiting,
    over: &Rc<Cell<bool>>,
    tell: &Rc<impl Fn(Said) + 'static>,
) {
    let (waiting, over, tell) = (waiting.clone(), over.clone(), tell.clone());
    spawn_local(async move {
        lock::released(&lock).await;
        if !over.replace(true) {
            waiting.borrow_mut().clear();
            tell(Said::Broken("it was ended without a word, as for want of memory".to_owned()));
        }
    });
}
