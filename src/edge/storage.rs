//! What outlives the page: IndexedDB, one database with versioned migrations.
//!
//! `replies` is a log of attempts, shared by all runs; `runs` and `texts` go by run; `files` and `meta`
//! hold what was loaded. Every name begins with `viva`, since other pages can share the origin.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use idb::{
    Database, DatabaseEvent as _, Factory, KeyRange, ObjectStoreParams, Query, TransactionMode,
};
use js_sys::{Object, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::spawn_local;

use crate::edge::tabs::Tabs;
use crate::edge::{EdgeError, clock};
use crate::hub::Source;
use crate::ids::Digest;
use crate::judge::Attempt;
use crate::judge::keyring::Vault;
use crate::run::StorageError;
use crate::run::{Texts, record::Record};
use crate::worker::data::{Edit, RawFile};
use crate::worker::tabs::TabWord;

const NAME: &str = "viva";
/// Raised with every new store. A migration runs for each version between the old and the new.
const VERSION: u32 = 1;

const REPLIES: &str = "replies";
const RUNS: &str = "runs";
const TEXTS: &str = "texts";
const FILES: &str = "files";
const META: &str = "meta";

/// In `meta`: keys under a passphrase. What the data worker keeps there has other names.
const SEALED: &str = "vault";

/// Milliseconds before each further try to open the database. After a crash, or while another tab of it goes
/// down, a browser can refuse it for a moment, and all work in memory would be a high price for that moment.
const WAITS: [u64; 2] = [100, 400];

async fn open() -> Result<Database, EdgeError> {
    for ms in WAITS {
        match open_once().await {
            // A newer build's database stays one.
            Err(EdgeError::NoStorage(why)) if !why.contains("VersionError") => {}
            result => return result,
        }
        clock::sleep(Duration::from_millis(ms)).await;
    }
    open_once().await
}

async fn open_once() -> Result<Database, EdgeError> {
    let factory = Factory::new()?;
    let mut request = factory.open(NAME, Some(VERSION))?;
    request.on_upgrade_needed(|event| {
        let Ok(database) = event.database() else {
            return;
        };
        // Version 0 is no database: everything is new. Later versions add their own steps here.
        if event.old_version().unwrap_or(0) < 1 {
            for store in [REPLIES, RUNS, TEXTS, FILES, META] {
                database.create_object_store(store, ObjectStoreParams::new()).ok();
            }
        }
    });
    Ok(request.await?)
}

/// The run worker's storage.
pub struct Store {
    database: Option<Database>,
    /// Why nothing is kept beyond this page.
    pub refused: Option<String>,
    pending: RefCell<Vec<Waiting>>,
    writing: Cell<bool>,
    /// They hear of every attempt that was stored.
    tabs: Rc<Tabs>,
}

struct Waiting {
    key: String,
    value: String,
    done: oneshot::Sender<Result<(), StorageError>>,
}

impl Store {
    /// Where the browser offers no storage everything still works, in memory, and says so.
    pub async fn open(tabs: Rc<Tabs>) -> Rc<Self> {
        let (database, refused) = match open().await {
            Ok(database) => (Some(database), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let (pending, writing) = (RefCell::default(), Cell::new(false));
        Rc::new(Self { database, refused, pending, writing, tabs })
    }

    /// Writes one attempt. Comes back when it is on disk; attempts that come together share one
    /// transaction.
    pub async fn append(
        self: &Rc<Self>,
        key: Digest,
        attempt: &Attempt,
    ) -> Result<(), StorageError> {
        if self.database.is_none() {
            return Ok(());
        }
        let json = serde_json::to_string(attempt).map_err(|it| StorageError(it.to_string()))?;
        let nonce = (clock::chance() * f64::from(u32::MAX)) as u32;
        let (done, receiver) = oneshot::channel();
        self.pending.borrow_mut().push(Waiting {
            key: format!("{key}/{:.0}/{nonce:08x}", attempt.at),
            value: json,
            done,
        });
        if !self.writing.replace(true) {
            let this = self.clone();
            spawn_local(async move {
                loop {
                    let batch = this.pending.take();
                    if batch.is_empty() {
                        break;
                    }
                    let result =
                        this.write(&batch).await.map_err(|it| StorageError(it.to_string()));
                    let mut stored = Vec::with_capacity(batch.len());
                    for waiting in batch {
                        waiting.done.send(result.clone()).ok();
                        stored.push((waiting.key, waiting.value));
                    }
                    if result.is_ok() {
                        this.tabs.say(&TabWord::Stored(stored));
                    }
                }
                this.writing.set(false);
            });
        }
        receiver.await.unwrap_or_else(|_| Err(StorageError("the writer stopped".to_owned())))
    }

    async fn write(&self, batch: &[Waiting]) -> Result<(), EdgeError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let transaction = database.transaction(&[REPLIES], TransactionMode::ReadWrite)?;
        let store = transaction.object_store(REPLIES)?;
        for waiting in batch {
            let (key, value) = (waiting.key.as_str().into(), waiting.value.as_str().into());
            store.put(&value, Some(&key))?;
        }
        // A full disk can show only here.
        settle(transaction.await?)
    }

    /// Every attempt on record, thousands at a time.
    pub async fn replies(&self) -> Result<Vec<(Digest, Attempt)>, EdgeError> {
        const CHUNK: u32 = 4000;
        let Some(database) = &self.database else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        let mut after: Option<JsValue> = None;
        loop {
            let transaction = database.transaction(&[REPLIES], TransactionMode::ReadOnly)?;
            let store = transaction.object_store(REPLIES)?;
            let range = || -> Result<Option<Query>, EdgeError> {
                Ok(match &after {
                    Some(key) => Some(Query::KeyRange(KeyRange::lower_bound(key, Some(true))?)),
                    None => None,
                })
            };
            let keys = store.get_all_keys(range()?, Some(CHUNK))?;
            let values = store.get_all(range()?, Some(CHUNK))?;
            let (keys, values) = (keys.await?, values.await?);
            for (key, value) in keys.iter().zip(&values) {
                let entry = key.as_string().zip(value.as_string());
                // What an older build wrote differently is passed over; it is asked again.
                all.extend(entry.and_then(|(key, value)| entry_of(&key, &value)));
            }
            if keys.len() < CHUNK as usize {
                return Ok(all);
            }
            after = keys.last().cloned();
        }
    }

    pub async fn runs(&self) -> Result<Vec<Record>, EdgeError> {
        let Some(database) = &self.database else {
            return Ok(Vec::new());
        };
        let transaction = database.transaction(&[RUNS], TransactionMode::ReadOnly)?;
        let values = transaction.object_store(RUNS)?.get_all(None, None)?.await?;
        Ok(values
            .iter()
            .filter_map(|value| serde_json::from_str(&value.as_string()?).ok())
            .collect())
    }

    /// One run as it is now, and whether its texts are there; `None` where it was deleted.
    pub async fn run(&self, run: &str) -> Result<Option<(Record, bool)>, EdgeError> {
        let Some(database) = &self.database else {
            return Ok(None);
        };
        let key = JsValue::from_str(run);
        let transaction = database.transaction(&[RUNS, TEXTS], TransactionMode::ReadOnly)?;
        let value = transaction.object_store(RUNS)?.get(key.clone())?;
        let texts = transaction.object_store(TEXTS)?.count(Some(Query::Key(key)))?;
        let (value, texts) = (value.await?, texts.await?);
        let record = value.and_then(|it| serde_json::from_str(&it.as_string()?).ok());
        Ok(record.map(|record| (record, 0 < texts)))
    }

    pub async fn save_run(&self, record: &Record) -> Result<(), EdgeError> {
        let json = serde_json::to_string(record).map_err(|it| EdgeError::Other(it.to_string()))?;
        self.put(RUNS, &record.id, &json.into()).await
    }

    /// The run and its texts in one transaction. Without texts, older ones are deleted: they would be
    /// read in the wrong places.
    pub async fn save_run_with_texts(
        &self,
        record: &Record,
        texts: Option<&Texts>,
    ) -> Result<(), EdgeError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let json = serde_json::to_string(record).map_err(|it| EdgeError::Other(it.to_string()))?;
        let bytes = texts
            .map(postcard::to_allocvec)
            .transpose()
            .map_err(|it| EdgeError::Other(it.to_string()))?;
        let key = JsValue::from_str(&record.id);
        let transaction = database.transaction(&[RUNS, TEXTS], TransactionMode::ReadWrite)?;
        transaction.object_store(RUNS)?.put(&json.into(), Some(&key))?;
        let store = transaction.object_store(TEXTS)?;
        match bytes {
            Some(bytes) => {
                store.put(&Uint8Array::from(bytes.as_slice()), Some(&key))?;
            }
            None => {
                store.delete(key)?;
            }
        }
        settle(transaction.await?)
    }

    pub async fn texts(&self, run: &str) -> Result<Option<Texts>, EdgeError> {
        let Some(database) = &self.database else {
            return Ok(None);
        };
        let transaction = database.transaction(&[TEXTS], TransactionMode::ReadOnly)?;
        let value = transaction.object_store(TEXTS)?.get(JsValue::from_str(run))?.await?;
        let bytes = value.and_then(|it| it.dyn_into::<Uint8Array>().ok());
        Ok(bytes.and_then(|it| postcard::from_bytes(&it.to_vec()).ok()))
    }

    /// Runs whose texts are stored.
    pub async fn runs_with_texts(&self) -> Result<Vec<String>, EdgeError> {
        let Some(database) = &self.database else {
            return Ok(Vec::new());
        };
        let transaction = database.transaction(&[TEXTS], TransactionMode::ReadOnly)?;
        let keys = transaction.object_store(TEXTS)?.get_all_keys(None, None)?.await?;
        Ok(keys.iter().filter_map(JsValue::as_string).collect())
    }

    /// Replies stay: other runs share them, and whoever runs this again pays nothing twice.
    pub async fn delete_run(&self, run: &str) -> Result<(), EdgeError> {
        let Some(database) = &self.database else {
            return Ok(());
        };
        let transaction = database.transaction(&[RUNS, TEXTS], TransactionMode::ReadWrite)?;
        for store in [RUNS, TEXTS] {
            transaction.object_store(store)?.delete(JsValue::from_str(run))?;
        }
        settle(transaction.await?)
    }

    /// What is sealed on this device.
    pub async fn vault(&self) -> Result<Vault, EdgeError> {
        let Some(database) = &self.database else {
            return Ok(Vault::default());
        };
        let transaction = database.transaction(&[META], TransactionMode::ReadOnly)?;
        let value = transaction.object_store(META)?.get(JsValue::from_str(SEALED))?.await?;
        let json = value.and_then(|it| it.as_string());
        Ok(json.map(|it| Vault::read(&it)).unwrap_or_default())
    }

    pub async fn save_vault(&self, vault: &Vault) -> Result<(), EdgeError> {
        self.put(META, SEALED, &vault.to_json().into()).await
    }

    pub async fn clear(&self) -> Result<(), EdgeError> {
        match &self.database {
            Some(database) => clear(database, &[REPLIES, RUNS, TEXTS]).await,
            None => Ok(()),
        }
    }

    async fn put(&self, store: &str, key: &str, value: &JsValue) -> Result<(), EdgeError> {
        match &self.database {
            Some(database) => put(database, store, key, value).await,
            None => Ok(()),
        }
    }
}

/// An attempt as it is stored.
pub(super) fn entry_of(key: &str, value: &str) -> Option<(Digest, Attempt)> {
    Some((Digest::parse(key.split('/').next()?)?, serde_json::from_str(value).ok()?))
}

/// What the data worker keeps.
pub struct Kept {
    pub dataset: Vec<RawFile>,
    pub answers: Vec<RawFile>,
    pub edits: Vec<Edit>,
    pub is_sample: bool,
    /// Set where the dataset files are kept as downloads from a Hub, and not here.
    pub source: Option<Source>,
}

/// The data worker's storage.
pub struct Files {
    database: Database,
}

impl Files {
    pub async fn open() -> Result<Self, EdgeError> {
        Ok(Self { database: open().await? })
    }

    pub async fn save(&self, kept: &Kept) -> Result<(), EdgeError> {
        let transaction = self.database.transaction(&[FILES, META], TransactionMode::ReadWrite)?;
        let store = transaction.object_store(FILES)?;
        store.clear()?;
        let slots = [("dataset", &kept.dataset), ("answers", &kept.answers)];
        for (slot, files) in slots {
            for (index, file) in files.iter().enumerate() {
                let value = Object::new();
                Reflect::set(&value, &"name".into(), &file.name.as_str().into())?;
                Reflect::set(&value, &"bytes".into(), &Uint8Array::from(file.bytes.as_bytes()))?;
                let key = JsValue::from_str(&format!("{slot}/{index:06}"));
                store.put(&value, Some(&key))?;
            }
        }
        let meta = transaction.object_store(META)?;
        meta.put(&edits_json(&kept.edits, kept.is_sample)?, Some(&"edits".into()))?;
        meta.put(&json(&kept.source)?, Some(&"source".into()))?;
        settle(transaction.await?)
    }

    pub async fn save_edits(&self, edits: &[Edit], is_sample: bool) -> Result<(), EdgeError> {
        put(&self.database, META, "edits", &edits_json(edits, is_sample)?).await
    }

    pub async fn load(&self) -> Result<Kept, EdgeError> {
        let transaction = self.database.transaction(&[FILES, META], TransactionMode::ReadOnly)?;
        let files = transaction.object_store(FILES)?;
        let keys = files.get_all_keys(None, None)?;
        let values = files.get_all(None, None)?;
        let edits = transaction.object_store(META)?.get(JsValue::from_str("edits"))?;
        let source = transaction.object_store(META)?.get(JsValue::from_str("source"))?;
        let (keys, values, edits) = (keys.await?, values.await?, edits.await?);
        let source = source.await?.and_then(|it| it.as_string());
        let source = source.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default();
        let (edits, is_sample) = edits
            .and_then(|it| it.as_string())
            .and_then(|it| serde_json::from_str(&it).ok())
            .unwrap_or_default();
        let mut kept = Kept { dataset: Vec::new(), answers: Vec::new(), edits, is_sample, source };
        for (key, value) in keys.iter().zip(values) {
            let name = Reflect::get(&value, &"name".into())?.as_string();
            let bytes = Reflect::get(&value, &"bytes".into())?.dyn_into::<Uint8Array>().ok();
            let Some((name, bytes)) = name.zip(bytes) else {
                continue;
            };
            let file = RawFile::new(name, bytes.to_vec());
            match key.as_string() {
                Some(key) if key.starts_with("dataset") => kept.dataset.push(file),
                _ => kept.answers.push(file),
            }
        }
        Ok(kept)
    }

    pub async fn clear(&self) -> Result<(), EdgeError> {
        clear(&self.database, &[FILES, META]).await
    }
}

fn edits_json(edits: &[Edit], is_sample: bool) -> Result<JsValue, EdgeError> {
    json(&(edits, is_sample))
}

fn json<T: Serialize>(value: &T) -> Result<JsValue, EdgeError> {
    serde_json::to_string(value).map(JsValue::from).map_err(|it| EdgeError::Other(it.to_string()))
}

async fn put(
    database: &Database,
    store: &str,
    key: &str,
    value: &JsValue,
) -> Result<(), EdgeError> {
    let transaction = database.transaction(&[store], TransactionMode::ReadWrite)?;
    transaction.object_store(store)?.put(value, Some(&JsValue::from_str(key)))?;
    settle(transaction.await?)
}

async fn clear(database: &Database, stores: &[&str]) -> Result<(), EdgeError> {
    let transaction = database.transaction(stores, TransactionMode::ReadWrite)?;
    for store in stores {
        transaction.object_store(store)?.clear()?;
    }
    settle(transaction.await?)
}

/// A transaction that was aborted kept nothing, whatever its requests said.
fn settle(result: idb::TransactionResult) -> Result<(), EdgeError> {
    match result {
        idb::TransactionResult::Committed => Ok(()),
        idb::TransactionResult::Aborted => {
            Err(EdgeError::Quota("the browser took the write back".to_owned()))
        }
    }
}
