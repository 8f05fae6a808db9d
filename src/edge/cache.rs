//! Downloads that are kept on this device: the Cache API, under the addresses they came from.
//!
//! A file is kept under its `resolve/{commit}` address, so it can never be another one. While it is on
//! its way its parts are kept beside, so that a reload goes on where it was.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, Headers, Request, Response, ResponseInit, WorkerGlobalScope};

use crate::edge::EdgeError;
use crate::worker::KeptDownload;

/// Other pages can share the origin.
const NAME: &str = "viva-hub-1";
const PART: &str = "?viva-part=";
const TAG: &str = "x-viva-tag";
const BYTES: &str = "x-viva-bytes";

/// The cache of this page. Everything is `None` or an error where the browser offers none.
pub(super) struct Downloads {
    cache: Cache,
}

impl Downloads {
    pub(super) async fn open() -> Result<Self, EdgeError> {
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        // Not there at all on pages that came without encryption from another machine.
        let caches = scope.caches()?;
        if JsValue::from(&caches).is_undefined() {
            return Err(EdgeError::NoStorage("it has no cache for pages like this".to_owned()));
        }
        let cache: Cache = JsFuture::from(caches.open(NAME)).await?.unchecked_into();
        Ok(Self { cache })
    }

    pub(super) async fn bytes(&self, url: &str) -> Option<Vec<u8>> {
        self.find(url).await.map(|(bytes, _)| bytes)
    }

    pub(super) async fn text(&self, url: &str) -> Option<String> {
        String::from_utf8(self.bytes(url).await?).ok()
    }

    /// Whether something is kept under this address.
    pub(super) async fn has(&self, url: &str) -> bool {
        let found = JsFuture::from(self.cache.match_with_str(url)).await;
        found.is_ok_and(|it| !it.is_undefined())
    }

    async fn find(&self, url: &str) -> Option<(Vec<u8>, Option<String>)> {
        let found = JsFuture::from(self.cache.match_with_str(url)).await.ok()?;
        let response: Response = found.dyn_into().ok()?;
        let tag = response.headers().get(TAG).ok().flatten();
        let buffer = JsFuture::from(response.array_buffer().ok()?).await.ok()?;
        Some((Uint8Array::new(&buffer.unchecked_into::<ArrayBuffer>()).to_vec(), tag))
    }

    /// Keeps a file or an answer. An error is mostly that there is no room.
    pub(super) async fn put(&self, url: &str, bytes: &[u8]) -> Result<(), EdgeError> {
        self.write(url, bytes, None).await
    }

    async fn write(&self, url: &str, bytes: &[u8], tag: Option<&str>) -> Result<(), EdgeError> {
        let headers = Headers::new()?;
        headers.set(BYTES, &bytes.len().to_string())?;
        if let Some(tag) = tag {
            headers.set(TAG, tag)?;
        }
        let init = ResponseInit::new();
        init.set_headers(&headers);
        let body = Uint8Array::from(bytes);
        let response = Response::new_with_opt_buffer_source_and_init(Some(&body), &init)?;
        JsFuture::from(self.cache.put_with_str(url, &response)).await?;
        Ok(())
    }

    /// Keeps the next part of a file on its way.
    pub(super) async fn put_part(
        &self,
        url: &str,
        number: u32,
        bytes: &[u8],
        tag: Option<&str>,
    ) -> Result<(), EdgeError> {
        self.write(&format!("{url}{PART}{number}"), bytes, tag).await
    }

    /// The parts that are there, joined, how many they are, and the tag of the answer they came from.
    pub(super) async fn parts(&self, url: &str) -> (Vec<u8>, u32, Option<String>) {
        let (mut all, mut number, mut tag) = (Vec::new(), 0, None);
        while let Some((bytes, its)) = self.find(&format!("{url}{PART}{number}")).await {
            if number != 0 && its != tag {
                break;
            }
            all.extend_from_slice(&bytes);
            tag = its;
            number += 1;
        }
        (all, number, tag)
    }

    pub(super) async fn delete_parts(&self, url: &str, count: u32) {
        for number in 0..count {
            let address = format!("{url}{PART}{number}");
            JsFuture::from(self.cache.delete_with_str(&address)).await.ok();
        }
    }

    /// All that is kept, by dataset and commit.
    pub(super) async fn list(&self) -> Result<Vec<KeptDownload>, EdgeError> {
        let mut list: Vec<KeptDownload> = Vec::new();
        for request in self.requests().await? {
            let Some((base, repo, commit, path)) = read_address(&request.url()) else { continue };
            let found = JsFuture::from(self.cache.match_with_request(&request)).await?;
            // It may be deleted by another tab meanwhile.
            let Some(bytes) = found.dyn_into::<Response>().ok().and_then(|it| size(&it)) else {
                continue;
            };
            let same = |it: &&mut KeptDownload| {
                (&it.base, &it.repo, &it.commit) == (&base, &repo, &commit)
            };
            if list.iter_mut().find(same).is_none() {
                list.push(KeptDownload {
                    base: base.clone(),
                    repo: repo.clone(),
                    commit: commit.clone(),
                    files: Vec::new(),
                    bytes: 0,
                });
            }
            if let Some(kept) = list.iter_mut().find(same) {
                kept.bytes += bytes;
                if !path.contains(PART) {
                    kept.files.push(path);
                }
            }
        }
        list.sort_by(|a, b| (&a.repo, &a.commit).cmp(&(&b.repo, &b.commit)));
        Ok(list)
    }

    /// Deletes the files of a dataset at a commit, and what was noted of it.
    pub(super) async fn delete(
        &self,
        base: &str,
        repo: &str,
        commit: &str,
    ) -> Result<(), EdgeError> {
        let notes = format!("{base}/api/datasets/{repo}/");
        let requests = self.requests().await?;
        let of = |url: &str| {
            read_address(url).filter(|(b, r, _, _)| (b.as_str(), r.as_str()) == (base, repo))
        };
        // The other commits need their listings to be loaded without a network.
        let others =
            requests.iter().any(|it| of(&it.url()).is_some_and(|(_, _, other, _)| other != commit));
        for request in requests {
            let url = request.url();
            let is_file = of(&url).is_some_and(|(_, _, its, _)| its == commit);
            let is_note = url.starts_with(&notes) && (!others || url.contains(commit));
            if is_file || is_note {
                JsFuture::from(self.cache.delete_with_request(&request)).await?;
            }
        }
        Ok(())
    }

    async fn requests(&self) -> Result<Vec<Request>, EdgeError> {
        let keys: Array = JsFuture::from(self.cache.keys()).await?.unchecked_into();
        Ok(keys.iter().filter_map(|it| it.dyn_into().ok()).collect())
    }

    /// Deletes everything.
    pub(super) async fn clear() -> Result<(), EdgeError> {
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        JsFuture::from(scope.caches()?.delete(NAME)).await?;
        Ok(())
    }
}

fn size(response: &Response) -> Option<u64> {
    response.headers().get(BYTES).ok().flatten()?.parse().ok()
}

/// Base, dataset, commit and path of a file's address.
fn read_address(url: &str) -> Option<(String, String, String, String)> {
    let (head, rest) = url.split_once("/resolve/")?;
    let (base, repo) = head.split_once("/datasets/")?;
    let (commit, path) = rest.split_once('/')?;
    Some((base.to_owned(), repo.to_owned(), commit.to_owned(), path.to_owned()))
}
