//! From the bytes of a file to text: unpacked, checked, and refused with a cure where it is no text.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};

use flate2::read::MultiGzDecoder;

use super::json;
use super::problem::{Place, Problem};

/// How large a file may be whose records do not each have a line of their own.
///
/// Such a file is held in memory as a whole beside its records.
pub const LIMIT_JSON: u64 = 256 << 20;

/// How large a file of lines or rows may be.
pub const LIMIT_LINES: u64 = 1 << 30;

/// How much is looked at to tell what a file is.
const PEEK: u64 = 1 << 20;

/// Text, and what was lost on the way.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// Without a byte order mark.
    pub text: Cow<'a, str>,
    /// Set where the file ends too early. The text is what came before the cut.
    pub cut: Option<Problem>,
}

/// Reads a file with the limit that fits its shape.
pub fn open<'a>(name: &str, bytes: &'a [u8]) -> Result<Decoded<'a>, Problem> {
    decode(name, bytes, limit_for(bytes))
}

/// [`LIMIT_LINES`] where each record has its own line, [`LIMIT_JSON`] otherwise.
pub fn limit_for(bytes: &[u8]) -> u64 {
    let start = peek(bytes);
    if json::has_one_value_a_line(&start)
        || !matches!(start.trim_start().as_bytes().first(), Some(b'[' | b'{'))
    {
        LIMIT_LINES
    } else {
        LIMIT_JSON
    }
}

/// The bytes as text, at most `limit` bytes of it.
///
/// Gzip is known by its first bytes and not by the name, since a download may have been unpacked, or
/// packed, by the browser on its way.
pub fn decode<'a>(name: &str, bytes: &'a [u8], limit: u64) -> Result<Decoded<'a>, Problem> {
    let refuse = |what: String, cure: &str| Problem {
        file: name.to_owned(),
        place: Place::File,
        what,
        cure: cure.to_owned(),
    };
    let too_large = |size: String| {
        refuse(
            format!("The file is {size}, and at most {} can be read at once.", mebibytes(limit)),
            "Bring it as JSONL, one record a line, or in parts: JSONL may have up to 1024 MiB.",
        )
    };
    let mut cut = None;
    let raw: Cow<'a, [u8]> = if is_gzip(bytes) {
        let (unpacked, end) = gunzip(bytes, limit.saturating_add(1));
        match end {
            _ if limit < unpacked.len() as u64 => {
                return Err(too_large(format!("larger than {} once unpacked", mebibytes(limit))));
            }
            End::Whole => {}
            End::Cut if unpacked.is_empty() => {
                return Err(refuse(
                    "The gzip file ends before anything could be unpacked.".to_owned(),
                    "It was probably cut while being copied: fetch it again.",
                ));
            }
            End::Cut => {
                cut = Some(refuse(
                    "The gzip file ends too early. What came before the cut was read.".to_owned(),
                    "It was probably cut while being copied: fetch it again.",
                ));
            }
            End::Damaged => {
                return Err(refuse(
                    "The gzip file is damaged, so that nothing in it can be trusted.".to_owned(),
                    "Fetch it again, or unpack it with another program to see what is left.",
                ));
            }
        }
        Cow::Owned(unpacked)
    } else if limit < bytes.len() as u64 {
        return Err(too_large(mebibytes(bytes.len() as u64)));
    } else {
        Cow::Borrowed(bytes)
    };
    if let Some((what, cure)) = not_text(&raw) {
        return Err(refuse(what.to_owned(), cure));
    }
    let (text, tail) = utf8(name, raw)?;
    let text = without_mark(text);
    if text.trim().is_empty() {
        return Err(refuse(
            "The file is empty.".to_owned(),
            "Choose another file, or export this one again.",
        ));
    }
    if let Some((what, cure)) = not_data(&text) {
        return Err(refuse(what.to_owned(), cure));
    }
    Ok(Decoded { text, cut: cut.or(tail) })
}

/// The first part of a file as text, whatever is wrong with it. For guessing only.
pub(crate) fn peek(bytes: &[u8]) -> Cow<'_, str> {
    let start = if is_gzip(bytes) {
        Cow::Owned(gunzip(bytes, PEEK).0)
    } else {
        Cow::Borrowed(&bytes[..bytes.len().min(PEEK as usize)])
    };
    let text = match start {
        Cow::Borrowed(start) => String::from_utf8_lossy(start),
        Cow::Owned(start) => Cow::Owned(String::from_utf8_lossy(&start).into_owned()),
    };
    without_mark(text)
}

/// As much of a text as is looked at to tell what it is.
pub(crate) fn start(text: &str) -> &str {
    let mut end = text.len().min(PEEK as usize);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Some text from a file, short and on one line, to be quoted in a sentence.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

pub(crate) fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Known by its first four bytes, of which the last is another where all of it is encrypted.
pub fn is_parquet(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1") || bytes.starts_with(b"PARE")
}

enum End {
    Whole,
    Cut,
    Damaged,
}

/// At most `most` bytes: a few kilobytes of gzip can unpack to more than a browser holds.
fn gunzip(bytes: &[u8], most: u64) -> (Vec<u8>, End) {
    let mut unpacked = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take(most);
    let mut chunk = vec![0; 64 << 10];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return (unpacked, End::Whole),
            Ok(n) => unpacked.extend_from_slice(&chunk[..n]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return (unpacked, End::Cut),
            Err(_) => return (unpacked, End::Damaged),
        }
    }
}

/// Formats that are known by their bytes and are no text in UTF-8.
fn not_text(raw: &[u8]) -> Option<(&'static str, &'static str)> {
    if is_parquet(raw) {
        return Some((
            "This is a Parquet file, which cannot be read here.",
            "Use the JSON or JSONL form of the data.",
        ));
    }
    if raw.starts_with(b"PK\x03\x04") {
        return Some((
            "This is a ZIP archive or an Excel workbook, not a text file.",
            "Unpack the archive, or save the sheet as CSV (UTF-8).",
        ));
    }
    let start = &raw[..raw.len().min(512)];
    let zeros: usize = start.iter().map(|byte| usize::from(*byte == 0)).sum();
    // English in UTF-16 has a zero in every second byte; text in UTF-8 has next to none.
    let wide = 4 <= start.len() && start.len() <= zeros * 3;
    if wide || raw.starts_with(&[0xff, 0xfe]) || raw.starts_with(&[0xfe, 0xff]) {
        return Some((
            "The file is in UTF-16 or UTF-32, not in UTF-8.",
            "Save it as UTF-8. Excel calls it \"CSV UTF-8\", Notepad asks under \"Save as\".",
        ));
    }
    None
}

/// Text that is no data at all.
fn not_data(text: &str) -> Option<(&'static str, &'static str)> {
    let text = text.trim_start();
    if text.starts_with('<') {
        return Some((
            "This looks like a web page: the download was probably an error or login page.",
            "Open the address in a browser, sign in if it asks, and save the file itself.",
        ));
    }
    if text.starts_with("version https://git-lfs.github.com/spec/") {
        return Some((
            "This is a Git LFS pointer: it names the file and does not hold it.",
            "Run `git lfs pull`, or download the file from the page of the repository.",
        ));
    }
    None
}

/// The second value is set where the last character is cut in the middle, which is how a cut file ends.
fn utf8<'a>(name: &str, raw: Cow<'a, [u8]>) -> Result<(Cow<'a, str>, Option<Problem>), Problem> {
    let Err(error) = std::str::from_utf8(&raw) else {
        return Ok((into_text(raw), None));
    };
    let good = error.valid_up_to();
    let line = 1 + newlines(&raw[..good]);
    if error.error_len().is_some() || good == 0 {
        return Err(Problem {
            file: name.to_owned(),
            place: Place::Line(line),
            what: format!(
                "The byte {:#04X} here is not UTF-8. The file was probably saved as Latin-1 or \
                 Windows-1252.",
                raw[good]
            ),
            cure: "Save it as UTF-8.".to_owned(),
        });
    }
    let tail = Problem {
        file: name.to_owned(),
        place: Place::Line(line),
        what: "The file ends in the middle of a character.".to_owned(),
        cure: "It was probably cut while being copied: fetch it again.".to_owned(),
    };
    let raw = match raw {
        Cow::Borrowed(raw) => Cow::Borrowed(&raw[..good]),
        Cow::Owned(mut raw) => {
            raw.truncate(good);
            Cow::Owned(raw)
        }
    };
    Ok((into_text(raw), Some(tail)))
}

/// Only for bytes that were checked: bad ones would be replaced without a word.
fn into_text(raw: Cow<'_, [u8]>) -> Cow<'_, str> {
    match raw {
        Cow::Borrowed(raw) => String::from_utf8_lossy(raw),
        Cow::Owned(raw) => Cow::Owned(
            String::from_utf8(raw)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        ),
    }
}

fn without_mark(text: Cow<'_, str>) -> Cow<'_, str> {
    const MARK: char = '\u{feff}';
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(MARK).unwrap_or(text)),
        Cow::Owned(text) => match text.strip_prefix(MARK) {
            Some(rest) => Cow::Owned(rest.to_owned()),
            None => Cow::Owned(text),
        },
    }
}

fn mebibytes(bytes: u64) -> String {
    if bytes < 1 << 20 {
        return format!("{bytes} bytes");
    }
    format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20))
}
