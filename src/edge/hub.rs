//! Loading from a Hub: asks, waits, resumes, checks and keeps. What the answers mean is in `hub`.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};
use js_sys::{Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials};

use crate::edge::cache::Downloads;
use crate::edge::{clock, lock};
use crate::hub::{
    Accept, Address, Base, CONVERTED, Catalog, Download, Ended, Form, Head, HubError, HubFile,
    Info, Meter, Next, Response, Source, Split, Told, info_url, next_page, read_info, read_tree,
    resolve_url, tree_url,
};
use crate::judge::ApiKey;
use crate::worker::data::RawFile;
use crate::worker::{DownloadState, HubWish, Notice};

/// How long nothing may come of a body before it counts as broken off.
const STALLED: Duration = Duration::from_secs(30);
/// How often it is looked whether something came.
const TICK: Duration = Duration::from_secs(1);
/// A file on its way is kept in parts of this size, in bytes.
const PART: usize = 4 << 20;
/// A listing of more pages is none of a data set for people.
const MOST_PAGES: u32 = 100;

/// What was loaded.
pub(super) struct Loaded {
    pub(super) source: Source,
    pub(super) files: Vec<RawFile>,
    /// The Hub's newest commit, where an older one was taken from this device.
    pub(super) newer: Option<String>,
    pub(super) notes: Vec<String>,
    /// Why the files cannot be kept, if they cannot.
    pub(super) not_kept: Option<String>,
}

/// Why nothing was loaded, and which splits there are if only the split is the reason.
pub(super) struct Failed {
    pub(super) notice: Notice,
    pub(super) splits: Vec<String>,
}

impl From<Told> for Failed {
    fn from(told: Told) -> Self {
        Self { notice: Notice::new(told.what, told.why, told.next), splits: Vec::new() }
    }
}

impl From<HubError> for Failed {
    fn from(error: HubError) -> Self {
        error.told().into()
    }
}

/// Ends a download from outside.
#[derive(Clone)]
pub(super) struct Cancel(Rc<RefCell<Option<AbortController>>>);

impl Cancel {
    pub(super) fn new() -> Self {
        Self(Rc::new(RefCell::new(AbortController::new().ok())))
    }

    pub(super) fn cancel(&self) {
        if let Some(controller) = &*self.0.borrow() {
            controller.abort();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.0.borrow().as_ref().is_some_and(|it| it.signal().aborted())
    }

    async fn cancelled(&self) {
        while !self.is_cancelled() {
            clock::sleep(Duration::from_millis(250)).await;
        }
    }

    fn signal(&self) -> Option<web_sys::AbortSignal> {
        self.0.borrow().as_ref().map(AbortController::signal)
    }
}

/// One wish on its way.
struct Loader<'a> {
    base: Base,
    repo: String,
    token: Option<Rc<ApiKey>>,
    /// Public data is asked for without the token: nobody needs to see it, and no permission is asked.
    with_token: Cell<bool>,
    cancel: Cancel,
    cache: Option<Downloads>,
    not_kept: RefCell<Option<String>>,
    tell: &'a dyn Fn(DownloadState),
    meter: RefCell<Meter>,
    /// Bytes of whole files, and of all files together.
    before: Cell<u64>,
    total: Cell<Option<u64>>,
    told: Cell<f64>,
}

/// Loads a split. Downloads what is not kept, and keeps it.
pub(super) async fn load(
    wish: &HubWish,
    token: Option<Rc<ApiKey>>,
    cancel: Cancel,
    tell: &dyn Fn(DownloadState),
) -> Result<Loaded, Failed> {
    let address = Address::read(&wish.dataset)?;
    let base = Base::read(address.base.as_deref().unwrap_or(&wish.base))?;
    let revision = match wish.revision.trim() {
        // What stands in an address was meant, unless something else was typed.
        "" | "main" => address.revision.clone().unwrap_or_else(|| "main".to_owned()),
        typed => typed.to_owned(),
    };
    let split = address.split.clone().unwrap_or_else(|| wish.split.trim().to_owned());
    let (cache, not_kept) = match Downloads::open().await {
        Ok(cache) => (Some(cache), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let loader = Loader {
        base,
        repo: address.repo,
        token,
        with_token: Cell::new(false),
        cancel,
        cache,
        not_kept: RefCell::new(not_kept),
        tell,
        meter: RefCell::default(),
        before: Cell::new(0),
        total: Cell::new(None),
        told: Cell::new(0.0),
    };
    loader.load(&revision, &split, wish.newest).await
}

/// The files of a source, from what is kept. `None` where one of them is gone.
pub(super) async fn restore(source: &Source) -> Option<Vec<RawFile>> {
    let cache = Downloads::open().await.ok()?;
    let base = Base::read(&source.base).ok()?;
    let commit = source.converted_commit.as_ref().unwrap_or(&source.commit);
    let mut files = Vec::with_capacity(source.files.len());
    for path in &source.files {
        let bytes = cache.bytes(&resolve_url(&base, &source.repo, commit, path)).await?;
        files.push(RawFile::new(path, bytes));
    }
    Some(files)
}

impl Loader<'_> {
    async fn load(&self, revision: &str, split: &str, newest: bool) -> Result<Loaded, Failed> {
        let mut notes = Vec::new();
        let info = self.info(revision, split, newest, &mut notes).await?;
        let own = self.tree(&info.used.commit).await?;
        let mut catalog = Catalog::of(&own, &[], &info.used.rows);
        let mut converted = None;
        if !catalog.splits.iter().any(|it| it.name == split)
            && let Some((commit, files)) = self.converted().await?
        {
            catalog = Catalog::of(&own, &files, &info.used.rows);
            converted = Some(commit);
        }
        let chosen = catalog
            .split(split)
            .map_err(|told| Failed { splits: catalog.names(), ..told.into() })?;
        let converted = converted.filter(|_| chosen.form == Form::Converted);
        let commit = converted.as_ref().unwrap_or(&info.used.commit);
        let files = self.files(chosen, commit).await?;
        let source = Source {
            base: self.base.as_str().to_owned(),
            repo: self.repo.clone(),
            revision: revision.to_owned(),
            commit: info.used.commit.clone(),
            split: chosen.name.clone(),
            converted_commit: converted,
            files: chosen.files.iter().map(|file| file.path.clone()).collect(),
            derived_from: chosen.sources.clone(),
            listed_rows: chosen.rows,
            is_partial: chosen.is_partial,
        };
        Ok(Loaded { source, files, newer: info.newer, notes, not_kept: self.not_kept.take() })
    }

    /// What the revision is now, or what it was when the split was kept.
    async fn info(
        &self,
        revision: &str,
        split: &str,
        newest: bool,
        notes: &mut Vec<String>,
    ) -> Result<Described, HubError> {
        let url = info_url(&self.base, &self.repo, revision);
        let kept: Option<Info> = self.noted(&url).await;
        // A commit is what it is.
        if let Some(info) = &kept
            && info.commit == revision.to_ascii_lowercase()
        {
            return Ok(Described { used: info.clone(), newer: None });
        }
        let asked = self.text(&url).await.and_then(|(text, _)| read_info(&text));
        match (asked, kept) {
            (Ok(fresh), Some(kept))
                if fresh.commit != kept.commit && !newest && self.is_kept(&kept, split).await =>
            {
                Ok(Described { used: kept, newer: Some(fresh.commit) })
            }
            (Ok(fresh), _) => {
                self.note(&url, &fresh).await;
                // Also under its commit, so that it can be asked for by that.
                let own = info_url(&self.base, &self.repo, &fresh.commit);
                self.note(&own, &fresh).await;
                Ok(Described { used: fresh, newer: None })
            }
            (Err(HubError::Unreachable(_)), Some(kept)) => {
                let short: String = kept.commit.chars().take(7).collect();
                notes.push(format!(
                    "The Hub could not be reached. What is kept on this device was loaded: commit {short}. \
                     Whether it is still the newest is not known."
                ));
                Ok(Described { used: kept, newer: None })
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Whether all files of the split at this commit are on this device.
    async fn is_kept(&self, info: &Info, split: &str) -> bool {
        let Some(cache) = &self.cache else { return false };
        let tree = tree_url(&self.base, &self.repo, &info.commit);
        let Some(files) = self.noted::<Vec<HubFile>>(&tree).await else { return false };
        let catalog = Catalog::of(&files, &[], &info.rows);
        let Ok(split) = catalog.split(split) else { return false };
        for file in &split.files {
            if !cache.has(&resolve_url(&self.base, &self.repo, &info.commit, &file.path)).await {
                return false;
            }
        }
        true
    }

    async fn tree(&self, commit: &str) -> Result<Vec<HubFile>, HubError> {
        let first = tree_url(&self.base, &self.repo, commit);
        if let Some(files) = self.noted(&first).await {
            return Ok(files);
        }
        let mut files = Vec::new();
        let mut url = Some(first.clone());
        for _ in 0..MOST_PAGES {
            let Some(page) = url.take() else { break };
            let (text, link) = self.text(&page).await?;
            files.extend(read_tree(&text)?);
            url = next_page(&self.base, link.as_deref());
        }
        if url.is_some() {
            return Err(HubError::Malformed("The list of files does not end".to_owned()));
        }
        self.note(&first, &files).await;
        Ok(files)
    }

    /// The Hub's own Parquet form, with its commit. `None` where it has none.
    async fn converted(&self) -> Result<Option<(String, Vec<HubFile>)>, HubError> {
        let url = info_url(&self.base, &self.repo, CONVERTED);
        let info: Info = match self.text(&url).await.and_then(|(text, _)| read_info(&text)) {
            Ok(info) => {
                self.note(&url, &info).await;
                info
            }
            Err(HubError::NoRevision | HubError::NoFile) => return Ok(None),
            Err(error @ HubError::Unreachable(_)) => self.noted(&url).await.ok_or(error)?,
            Err(error) => return Err(error),
        };
        let files = self.tree(&info.commit).await?;
        Ok(Some((info.commit, files)))
    }

    async fn files(&self, split: &Split, commit: &str) -> Result<Vec<RawFile>, HubError> {
        self.total.set(Some(split.files.iter().map(|file| file.size).sum()));
        let mut files = Vec::with_capacity(split.files.len());
        for file in &split.files {
            let url = resolve_url(&self.base, &self.repo, commit, &file.path);
            let bytes = self.file(&url, file).await?;
            self.before.set(self.before.get() + bytes.len() as u64);
            files.push(RawFile::new(&file.path, bytes));
        }
        self.progress(0, None, true);
        Ok(files)
    }

    /// A file from this device, or from the Hub and then kept.
    async fn file(&self, url: &str, file: &HubFile) -> Result<Vec<u8>, HubError> {
        let whole = |bytes: &Vec<u8>| bytes.len() as u64 == file.size;
        if let Some(bytes) = self.kept(url).await.filter(whole) {
            return Ok(bytes);
        }
        self.progress(
            0,
            Some("Waiting for another tab that loads the same file.".to_owned()),
            true,
        );
        let name = format!("viva-hub:{url}");
        let _lock =
            match select(pin!(lock::hold(&name, || {})), pin!(self.cancel.cancelled())).await {
                Either::Left((lock, _)) => lock,
                Either::Right(_) => return Err(HubError::Cancelled),
            };
        // The other tab may have brought it.
        if let Some(bytes) = self.kept(url).await.filter(whole) {
            return Ok(bytes);
        }
        self.progress(0, None, true);
        self.fetch(url, file).await
    }

    async fn fetch(&self, url: &str, file: &HubFile) -> Result<Vec<u8>, HubError> {
        let (bytes, parts, tag) = match &self.cache {
            Some(cache) => cache.parts(url).await,
            None => (Vec::new(), 0, None),
        };
        let mut way = Way {
            download: Download::new(Some(file.size), bytes.len() as u64, tag),
            stored: bytes.len(),
            bytes,
            parts,
        };
        let (mut failed, mut begun) = (0, 0);
        loop {
            let before = way.download.got();
            let error = match self.exchange(url, &mut way).await {
                Ok(Ended::More) => continue,
                Ok(Ended::Whole) => match wrong_hash(&way.bytes, file) {
                    None => break,
                    Some(error) => error,
                },
                Err(error) => error,
            };
            if self.cancel.is_cancelled() {
                self.keep_part(url, &mut way).await;
                return Err(HubError::Cancelled);
            }
            if before < way.download.got() {
                failed = 0;
            }
            failed += 1;
            let times = if starts_anew(&error) { begun + 1 } else { failed };
            match error.next(times, clock::chance()) {
                Next::Wait(wait) => {
                    self.keep_part(url, &mut way).await;
                    self.wait(&error, wait, way.download.got()).await?;
                }
                Next::WithToken if self.may_use_token() => {}
                Next::StartAnew => {
                    begun += 1;
                    let parts = way.parts;
                    way.download.start_anew(error != HubError::RangeRefused);
                    way = Way { download: way.download, bytes: Vec::new(), stored: 0, parts: 0 };
                    if let Some(cache) = &self.cache {
                        cache.delete_parts(url, parts).await;
                    }
                }
                Next::WithToken | Next::Stop => {
                    self.keep_part(url, &mut way).await;
                    return Err(error);
                }
            }
        }
        if let Some(cache) = &self.cache {
            // Parts first: what is loaded twice needs its room twice.
            cache.delete_parts(url, way.parts).await;
            if let Err(error) = cache.put(url, &way.bytes).await {
                self.not_kept.replace(Some(error.to_string()));
            }
        }
        Ok(way.bytes)
    }

    /// One request for a file and as much of its body as comes.
    async fn exchange(&self, url: &str, way: &mut Way) -> Result<Ended, HubError> {
        let range = way.download.request();
        let response = self.ask(url, range.header().as_deref()).await?;
        let headers = response.headers();
        let number = |name: &str| headers.get(name).and_then(|it| it.trim().parse().ok());
        let head = Head {
            status: response.status(),
            content_range: headers.get("Content-Range"),
            content_length: number("Content-Length"),
            content_encoding: headers.get("Content-Encoding"),
            etag: headers.get("X-Linked-ETag").or_else(|| headers.get("ETag")),
            linked_size: number("X-Linked-Size"),
        };
        let accept = way.download.accept(&head)?;
        let Accept::From(at) = accept else {
            // One byte, of no use.
            response.binary().await.ok();
            return way.download.ended();
        };
        way.bytes.truncate(at as usize);
        way.stored = way.stored.min(way.bytes.len());
        let Some(body) = response.body() else {
            return way.download.ended();
        };
        let reader = ReadableStreamDefaultReader::new(&body)
            .map_err(|error| HubError::Unreachable(super::error::words(&error)))?;
        loop {
            let mut read = pin!(JsFuture::from(reader.read()));
            let mut waited = Duration::ZERO;
            let read = loop {
                match select(&mut read, pin!(clock::sleep(TICK))).await {
                    Either::Left((read, _)) => break read,
                    Either::Right(_) => {
                        waited += TICK;
                        // What came last may not have been told, and the speed is no longer what it was.
                        self.progress(way.download.got(), None, true);
                    }
                }
                if STALLED <= waited {
                    drop(reader.cancel());
                    return way.download.ended();
                }
            };
            let Ok(read) = read else { return broken(way) };
            let done = Reflect::get(&read, &"done".into()).is_ok_and(|it| it.is_truthy());
            if done {
                return way.download.ended();
            }
            let chunk = Reflect::get(&read, &"value".into()).ok().and_then(|it| it.dyn_into().ok());
            let Some(chunk): Option<Uint8Array> = chunk else { return broken(way) };
            let (start, len) = (way.bytes.len(), chunk.length() as usize);
            way.download.received(len as u64)?;
            way.bytes.resize(start + len, 0);
            chunk.copy_to(&mut way.bytes[start..]);
            self.progress(way.download.got(), None, false);
            if PART <= way.bytes.len() - way.stored {
                self.keep_part(url, way).await;
            }
        }
    }

    /// Keeps what came since the last time, so that a reload loses nothing.
    async fn keep_part(&self, url: &str, way: &mut Way) {
        let Some(cache) = &self.cache else { return };
        let part = &way.bytes[way.stored..];
        if part.is_empty() || self.not_kept.borrow().is_some() {
            return;
        }
        match cache.put_part(url, way.parts, part, way.download.tag()).await {
            Ok(()) => {
                way.parts += 1;
                way.stored = way.bytes.len();
            }
            Err(error) => {
                self.not_kept.replace(Some(error.to_string()));
            }
        }
    }

    /// The text of an answer, and its header `Link`.
    async fn text(&self, url: &str) -> Result<(String, Option<String>), HubError> {
        let mut failed = 0;
        loop {
            let asked = async {
                let response = self.ask(url, None).await?;
                let link = response.headers().get("Link");
                let text = response.text().await;
                text.map(|text| (text, link)).map_err(|it| HubError::Unreachable(it.to_string()))
            };
            let error = match asked.await {
                Ok(answer) => return Ok(answer),
                Err(_) if self.cancel.is_cancelled() => return Err(HubError::Cancelled),
                Err(error) => error,
            };
            failed += 1;
            match error.next(failed, clock::chance()) {
                Next::Wait(wait) => self.wait(&error, wait, 0).await?,
                Next::WithToken if self.may_use_token() => {}
                Next::WithToken | Next::StartAnew | Next::Stop => return Err(error),
            }
        }
    }

    /// The one place that sends to a Hub.
    async fn ask(
        &self,
        url: &str,
        range: Option<&str>,
    ) -> Result<gloo_net::http::Response, HubError> {
        let mut builder = gloo_net::http::RequestBuilder::new(url)
            .credentials(RequestCredentials::Omit)
            // From some hosts the Hub refuses requests that say where they come from.
            .referrer_policy(ReferrerPolicy::NoReferrer)
            // What is kept is kept by us, once.
            .cache(web_sys::RequestCache::NoStore)
            .abort_signal(self.cancel.signal().as_ref());
        if let Some(range) = range {
            builder = builder.header("Range", range);
        }
        if self.with_token.get()
            && let Some(secret) = self.token.as_deref().and_then(|it| it.reveal_for(url))
        {
            builder = builder.header("Authorization", &format!("Bearer {secret}"));
        }
        let unreachable = |error: gloo_net::Error| {
            // The engine's own words begin with a name of no use to people.
            let text = error.to_string();
            HubError::Unreachable(text.trim_start_matches("JsError: ").to_owned())
        };
        let response = builder.send().await.map_err(unreachable)?;
        let headers = response.headers();
        let (code, message) = (headers.get("X-Error-Code"), headers.get("X-Error-Message"));
        let kind = headers.get("Content-Type");
        let seen = Response {
            status: response.status(),
            code: code.as_deref(),
            message: message.as_deref(),
            content_type: kind.as_deref(),
            from_copy: !response.url().is_empty()
                && !response.url().starts_with(self.base.origin()),
            with_token: self.with_token.get(),
        };
        match seen.error() {
            Some(error) => Err(error),
            None => Ok(response),
        }
    }

    /// Uses the token from now on, if there is one for this Hub and it was not used already.
    fn may_use_token(&self) -> bool {
        let there = self.token.as_deref().is_some_and(|it| it.is_for(self.base.as_str()));
        there && !self.with_token.replace(true)
    }

    /// Waits before the next request, and says so.
    async fn wait(&self, error: &HubError, wait: Duration, got: u64) -> Result<(), HubError> {
        let end = clock::now() + wait.as_millis() as f64;
        loop {
            let left = end - clock::now();
            if self.cancel.is_cancelled() {
                return Err(HubError::Cancelled);
            }
            if left <= 0.0 {
                self.progress(got, None, true);
                return Ok(());
            }
            let seconds = (left / 1_000.0).ceil();
            let why = format!("{}. Asking again in {seconds} s.", error.told().what);
            self.progress(got, Some(why), true);
            clock::sleep(Duration::from_millis(left.min(250.0) as u64)).await;
        }
    }

    fn progress(&self, got: u64, waiting: Option<String>, now: bool) {
        let time = clock::now();
        if !now && time - self.told.get() < 100.0 {
            return;
        }
        self.told.set(time);
        let done = self.before.get() + got;
        let total = self.total.get();
        let mut meter = self.meter.borrow_mut();
        meter.mark(time, done);
        let left = total.and_then(|total| meter.left(total.saturating_sub(done)));
        (self.tell)(DownloadState { done, total, rate: meter.rate(), left, waiting });
    }

    async fn kept(&self, url: &str) -> Option<Vec<u8>> {
        self.cache.as_ref()?.bytes(url).await
    }

    /// What was noted of an answer. Notes of another build are no notes.
    async fn noted<T: DeserializeOwned>(&self, url: &str) -> Option<T> {
        serde_json::from_str(&self.cache.as_ref()?.text(url).await?).ok()
    }

    async fn note<T: Serialize>(&self, url: &str, value: &T) {
        if let (Some(cache), Ok(json)) = (&self.cache, serde_json::to_vec(value))
            && let Err(error) = cache.put(url, &json).await
        {
            self.not_kept.replace(Some(error.to_string()));
        }
    }
}

/// A dataset as it is used, and what is newer.
struct Described {
    used: Info,
    newer: Option<String>,
}

/// A file on its way.
struct Way {
    download: Download,
    bytes: Vec<u8>,
    /// How many bytes are kept in how many parts.
    stored: usize,
    parts: u32,
}

/// A body that broke off. With all bytes there nothing is missing.
fn broken(way: &mut Way) -> Result<Ended, HubError> {
    match way.download.total() {
        Some(of) if way.download.got() < of => Err(HubError::Cut { got: way.download.got(), of }),
        _ => way.download.ended(),
    }
}

/// Whether what was received is of no use, which must not go on for ever.
fn starts_anew(error: &HubError) -> bool {
    matches!(error, HubError::Changed | HubError::RangeRefused | HubError::WrongHash(_))
}

fn wrong_hash(bytes: &[u8], file: &HubFile) -> Option<HubError> {
    let listed = file.sha256.as_ref()?;
    let found = Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        hex.push(char::from(b"0123456789abcdef"[usize::from(byte >> 4)]));
        hex.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
        hex
    });
    (found != *listed).then(|| HubError::WrongHash(file.path.clone()))
}
