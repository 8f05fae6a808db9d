//! A download against a server that cuts, changes and ignores what it is asked.

use proptest::collection::vec;
use proptest::prelude::*;
use viva::hub::{Accept, Address, Base, Download, Ended, Head, HubError, Next, Range};

/// How a server answers one request.
#[derive(Clone, Debug)]
enum Mood {
    Fine,
    /// Breaks off after so many bytes.
    Cut(usize),
    /// Takes no notice of ranges.
    Whole,
    /// As before, and without a length, as a packed body has it.
    Packed,
    /// Sends another part than the one asked for.
    Elsewhere,
    /// The file is another one from now on.
    Change,
    /// Sends a partial answer that does not say which part it is.
    Mute,
}

fn mood() -> impl Strategy<Value = Mood> {
    prop_oneof![
        4 => Just(Mood::Fine),
        4 => (0..60_usize).prop_map(Mood::Cut),
        1 => Just(Mood::Whole),
        1 => Just(Mood::Packed),
        1 => Just(Mood::Elsewhere),
        1 => Just(Mood::Change),
        1 => Just(Mood::Mute),
    ]
}

struct Server {
    file: Vec<u8>,
    version: u32,
}

impl Server {
    fn answer(&mut self, range: Range, mood: &Mood) -> (Head, Vec<u8>) {
        if let Mood::Change = mood {
            self.version += 1;
            self.file.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        }
        let (from, to) = match range {
            Range::Probe => (0, 1.min(self.file.len())),
            Range::From(at) => (at as usize, self.file.len()),
            Range::Whole => (0, self.file.len()),
        };
        let etag = Some(format!("W/\"v{}\"", self.version));
        let whole = matches!(range, Range::Whole) || matches!(mood, Mood::Whole | Mood::Packed);
        let head = if whole {
            let packed = matches!(mood, Mood::Packed);
            Head {
                status: 200,
                content_length: Some(if packed { 3 } else { self.file.len() as u64 }),
                content_encoding: packed.then(|| "gzip".to_owned()),
                etag,
                ..Head::default()
            }
        } else {
            let said = from + usize::from(matches!(mood, Mood::Elsewhere));
            let range = format!("bytes {said}-{}/{}", to.saturating_sub(1), self.file.len());
            Head {
                status: 206,
                content_range: (!matches!(mood, Mood::Mute)).then_some(range),
                etag,
                ..Head::default()
            }
        };
        let mut body = if whole { self.file.clone() } else { self.file[from..to].to_vec() };
        if let Mood::Cut(at) = mood {
            body.truncate(*at);
        }
        (head, body)
    }
}

/// As the data worker does it, without waiting.
fn fetch(server: &mut Server, moods: &[Mood], listed: Option<u64>) -> Result<Vec<u8>, HubError> {
    let mut download = Download::new(listed, 0, None);
    let mut kept: Vec<u8> = Vec::new();
    let mut failed = 0;
    for mood in moods.iter().chain(std::iter::repeat(&Mood::Fine)).take(200) {
        let range = download.request();
        let (head, body) = server.answer(range, mood);
        let outcome = download.accept(&head).and_then(|accept| {
            if let Accept::From(at) = accept {
                kept.truncate(at as usize);
                kept.extend_from_slice(&body);
            }
            download.received(body.len() as u64)?;
            download.ended()
        });
        match outcome {
            Ok(Ended::Whole) => return Ok(kept),
            Ok(Ended::More) => {}
            Err(error) => {
                failed += 1;
                match error.next(failed, 0.0) {
                    Next::Wait(_) => {}
                    Next::StartAnew => {
                        download.start_anew(error != HubError::RangeRefused);
                        kept.clear();
                    }
                    Next::WithToken | Next::Stop => return Err(error),
                }
            }
        }
    }
    panic!("the download does not end");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_download_ends_with_the_very_bytes_or_an_error(
        file in vec(any::<u8>(), 1..60),
        moods in vec(mood(), 0..8),
        listed: bool,
    ) {
        let mut server = Server { file: file.clone(), version: 0 };
        let listed = listed.then_some(file.len() as u64);
        if let Ok(bytes) = fetch(&mut server, &moods, listed) {
            prop_assert_eq!(&bytes, &server.file, "{:?}", moods);
        }
    }

    #[test]
    fn any_text_is_an_address_or_an_error(text in "\\PC{0,60}", base: bool) {
        if base {
            Base::read(&text).ok();
        } else if let Ok(address) = Address::read(&text) {
            prop_assert!(!address.repo.is_empty() && address.repo.is_ascii());
        }
    }
}

#[test]
fn a_cut_is_resumed_where_it_was() {
    let file: Vec<u8> = (0..50).collect();
    let mut server = Server { file: file.clone(), version: 0 };
    let moods = [Mood::Fine, Mood::Cut(20), Mood::Cut(5)];
    assert_eq!(fetch(&mut server, &moods, None), Ok(file.clone()));
    let mut download = Download::new(Some(50), 30, Some("v0".to_owned()));
    let probe = download.request();
    let (head, _) = server.answer(probe, &Mood::Fine);
    assert_eq!(download.accept(&head), Ok(Accept::Skip));
    assert_eq!(download.ended(), Ok(Ended::More));
    assert_eq!(download.request().header().as_deref(), Some("bytes=30-"));
    // What was kept of another version is void.
    let mut download = Download::new(Some(50), 30, Some("other".to_owned()));
    download.request();
    assert_eq!(download.accept(&head), Err(HubError::Changed));
}
