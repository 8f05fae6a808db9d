//! One file on its way: what to ask for, and what an answer brings. Sends nothing itself.

use super::error::HubError;

/// The part of a file to ask for. Only forms for which a browser asks no permission: from a byte on,
/// never the last so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// The first byte alone: its answer tells the size, and is never packed on the way.
    Probe,
    From(u64),
    /// No header: the whole file.
    Whole,
}

impl Range {
    /// The value of the header `Range`.
    pub fn header(self) -> Option<String> {
        match self {
            Self::Probe => Some("bytes=0-0".to_owned()),
            Self::From(at) => Some(format!("bytes={at}-")),
            Self::Whole => None,
        }
    }
}

/// The headers of an answer that can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub content_range: Option<String>,
    pub content_length: Option<u64>,
    pub content_encoding: Option<String>,
    /// `X-Linked-ETag` where there is one, else `ETag`.
    pub etag: Option<String>,
    /// `X-Linked-Size`.
    pub linked_size: Option<u64>,
}

/// What to do with the bytes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    /// They are of no use; the size is known now.
    Skip,
    /// They are the file from this byte on. Bytes behind it that were received before are void.
    From(u64),
}

/// Where a file stands when an answer has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The file goes on: ask again.
    More,
    Whole,
}

/// A file of which some bytes may be here.
#[derive(Clone, Debug)]
pub struct Download {
    /// In bytes, as the Hub lists it.
    listed: Option<u64>,
    total: Option<u64>,
    got: u64,
    tag: Option<String>,
    ranges: bool,
    asked: Range,
    accepted: Accept,
}

impl Download {
    /// A file of which the first `got` bytes are here, from an answer with this tag.
    pub fn new(listed: Option<u64>, got: u64, tag: Option<String>) -> Self {
        Self {
            listed,
            total: None,
            got,
            tag,
            ranges: true,
            asked: Range::Probe,
            accepted: Accept::Skip,
        }
    }

    pub fn got(&self) -> u64 {
        self.got
    }

    pub fn total(&self) -> Option<u64> {
        self.total.or(self.listed)
    }

    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Forgets what was received. Without `ranges`, the file is asked for as a whole.
    pub fn start_anew(&mut self, ranges: bool) {
        *self = Self { ranges, ..Self::new(self.listed, 0, None) };
    }

    pub fn request(&mut self) -> Range {
        self.asked = match self.total {
            _ if !self.ranges => Range::Whole,
            None => Range::Probe,
            Some(_) => Range::From(self.got),
        };
        self.asked
    }

    /// Reads the head of an answer that [`super::Response::error`] found nothing wrong with.
    pub fn accept(&mut self, head: &Head) -> Result<Accept, HubError> {
        let tag = head.etag.as_deref().map(plain_tag);
        if self.tag.is_some() && tag.is_some() && self.tag.as_deref() != tag {
            return Err(HubError::Changed);
        }
        if let Some(tag) = tag {
            self.tag = Some(tag.to_owned());
        }
        let total = if head.status == 206 {
            let (from, total) =
                head.content_range.as_deref().and_then(read_range).ok_or(HubError::RangeRefused)?;
            let asked = match self.asked {
                Range::Probe | Range::Whole => 0,
                Range::From(at) => at,
            };
            if from != asked {
                return Err(HubError::RangeRefused);
            }
            total
        } else {
            // The length of a packed body is not that of the file.
            let packed = head.content_encoding.as_deref().is_some_and(|it| it != "identity");
            head.linked_size.or(head.content_length.filter(|_| !packed))
        };
        if let (Some(known), Some(total)) = (self.total, total)
            && known != total
        {
            return Err(HubError::Changed);
        }
        self.total = total.or(self.total).or(self.listed);
        self.accepted = match (head.status, self.asked) {
            (206, Range::Probe) => Accept::Skip,
            (206, Range::From(at)) => Accept::From(at),
            // The whole file, whatever was asked for.
            _ => Accept::From(0),
        };
        if let Accept::From(at) = self.accepted {
            self.got = at;
        }
        Ok(self.accepted)
    }

    /// Counts bytes of the body, which the caller has kept unless they were to be skipped.
    pub fn received(&mut self, bytes: u64) -> Result<(), HubError> {
        if self.accepted == Accept::Skip {
            return Ok(());
        }
        self.got += bytes;
        match self.total {
            Some(total) if total < self.got => {
                Err(HubError::Malformed("More bytes came than the file has".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// The body has ended, or broke off.
    pub fn ended(&mut self) -> Result<Ended, HubError> {
        match (self.accepted, self.total) {
            (Accept::Skip, Some(total)) if self.got == total => Ok(Ended::Whole),
            (Accept::Skip, Some(total)) if total < self.got => Err(HubError::Changed),
            (Accept::Skip, Some(_)) => Ok(Ended::More),
            (Accept::Skip, None) => Err(HubError::RangeRefused),
            (Accept::From(_), Some(total)) if self.got < total => {
                Err(HubError::Cut { got: self.got, of: total })
            }
            // Without a size, the end of the body is all that can be known.
            (Accept::From(_), _) => Ok(Ended::Whole),
        }
    }
}

fn plain_tag(tag: &str) -> &str {
    tag.trim().trim_start_matches("W/").trim_matches('"')
}

/// `bytes 0-0/53311520`: the first byte, and the size if it is told.
fn read_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
    let from = range.split_once('-')?.0.trim().parse().ok()?;
    let total = total.trim();
    Some((from, if total == "*" { None } else { Some(total.parse().ok()?) }))
}
