//! The data worker's side of the Parquet worker, which it starts when a file asks for it.

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::{Reflect, Uint8Array};

use crate::dataset::{Converted, Place, Problem};
use crate::edge::channel::{Channel, Said};
use crate::edge::{EdgeError, clock, message};
use crate::worker::parquet::{ParquetJob, ParquetReply};

/// How long the reader may take to load before the file is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The Parquet worker. It ends with this, since memory of wasm is never given back otherwise.
struct Reader {
    channel: Channel,
}

impl Reader {
    /// Starts the worker and waits for its first word.
    async fn start() -> Result<Self, EdgeError> {
        let (sender, mut broken) = oneshot::channel();
        let sender = RefCell::new(Some(sender));
        let told = move |why: String| {
            if let Some(sender) = sender.take() {
                sender.send(why).ok();
            }
        };
        let channel = Channel::start(&loader()?, "parquet", move |said| match said {
            Said::Ready | Said::Other(_) => {}
            Said::WrongVersion => told("it is of another build than this page".to_owned()),
            Said::Broken(why) => told(why),
        })?;
        let why = {
            let ready = pin!(channel.ready());
            let late = pin!(clock::sleep(PATIENCE));
            match select(ready, select(&mut broken, late)).await {
                Either::Left(_) => None,
                Either::Right((Either::Left((why, _)), _)) => Some(why.unwrap_or_default()),
                Either::Right((Either::Right(_), _)) => Some("it did not load in time".to_owned()),
            }
        };
        match why {
            None => Ok(Self { channel }),
            Some(why) => Err(EdgeError::Worker(why)),
        }
    }

    async fn read(&self, name: &str, bytes: &Uint8Array) -> Result<Converted, EdgeError> {
        let job = ParquetJob { name: name.to_owned() };
        let envelope =
            self.channel.ask(&message::write(&job)?, std::slice::from_ref(bytes)).await?;
        Ok(match message::read_dense(&envelope.body)? {
            ParquetReply::Read(problems) => {
                let text = envelope.bytes.first().map(Uint8Array::to_vec).unwrap_or_default();
                Converted { text: text.into(), problems }
            }
            ParquetReply::Refused(problem) => Converted::refused(problem),
            ParquetReply::Failed(notice) => return Err(EdgeError::Worker(notice.why)),
        })
    }
}

/// Where files that come one after the other find the worker of the first.
#[derive(Default)]
pub(super) struct Readers(Option<Reader>);

impl Readers {
    /// The rows of a Parquet file as JSON lines, or a problem in place of them.
    pub(super) async fn convert(&mut self, name: &str, bytes: &Uint8Array) -> Rc<Converted> {
        let read = match self.0.take() {
            Some(reader) => Ok(reader),
            None => Reader::start().await,
        };
        let converted = match read {
            Ok(reader) => {
                let converted = reader.read(name, bytes).await;
                // One that stopped is not asked again.
                if converted.is_ok() {
                    self.0 = Some(reader);
                }
                converted.map_err(|error| {
                    let what = format!("The Parquet reader stopped at this file ({error}).");
                    let cure = "The file may be damaged: fetch it again, or bring it as JSONL.";
                    (what, cure)
                })
            }
            Err(error) => {
                let what = format!("The Parquet reader could not be loaded ({error}).");
                Err((what, "Reload the page and bring the file again, or bring it as JSONL."))
            }
        };
        Rc::new(converted.unwrap_or_else(|(what, cure)| {
            let file = name.to_owned();
            Converted::refused(Problem { file, place: Place::File, what, cure: cure.to_owned() })
        }))
    }
}

/// Beside the loader of this worker, and of the same build.
fn loader() -> Result<String, EdgeError> {
    let location = Reflect::get(&js_sys::global(), &"location".into())?;
    let part = |name: &str| -> Result<String, EdgeError> {
        Ok(Reflect::get(&location, &name.into())?.as_string().unwrap_or_default())
    };
    let url = web_sys::Url::new_with_base("./parquet_loader.js", &part("href")?)?;
    url.set_search(&part("search")?);
    Ok(url.href())
}
