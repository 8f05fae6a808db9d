//! What can go wrong between a page and a Hub, in words and in what to do next.

use std::time::Duration;

/// What happened, why, and what a person can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub what: String,
    pub why: String,
    pub next: String,
}

impl Told {
    pub(super) fn new(
        what: impl Into<String>,
        why: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self { what: what.into(), why: why.into(), next: next.into() }
    }
}

/// One exchange that gave nothing to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HubError {
    /// The Hub does not tell a dataset that is not there from a private one.
    NotFoundOrPrivate,
    Gated,
    BadToken,
    NoRevision,
    NoFile,
    /// How long to wait is in a header that pages may not read.
    RateLimited,
    Server(u16),
    /// A copy's address holds for an hour.
    LinkExpired,
    /// A page for people where data should be.
    WebPage,
    /// The browser says no more than that it failed.
    Unreachable(String),
    /// Bytes received, and how many there should be.
    Cut {
        got: u64,
        of: u64,
    },
    /// The file is another one than when the download began.
    Changed,
    RangeRefused,
    WrongHash(String),
    /// Not what the Hub's own documentation says.
    Malformed(String),
    Other(u16, String),
    /// By the person who asked for it.
    Cancelled,
}

/// What to do about a [`HubError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Ask again after so long.
    Wait(Duration),
    /// Ask again with the token, if there is one.
    WithToken,
    /// Forget what was received of the file, and ask again.
    StartAnew,
    Stop,
}

/// The parts of a response that tell whether it can be used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Response<'a> {
    pub status: u16,
    /// `X-Error-Code`.
    pub code: Option<&'a str>,
    /// `X-Error-Message`.
    pub message: Option<&'a str>,
    pub content_type: Option<&'a str>,
    /// Whether another host than the Hub answered, after a redirect.
    pub from_copy: bool,
    pub with_token: bool,
}

impl Response<'_> {
    /// What is wrong with it. `None` where its body can be read.
    pub fn error(&self) -> Option<HubError> {
        let is_page = self
            .content_type
            .is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/html"));
        Some(match (self.status, self.code) {
            (200 | 206, _) if is_page => HubError::WebPage,
            (200 | 206, _) => return None,
            (403, None) if self.from_copy => HubError::LinkExpired,
            // One that is right and has no access is told so with another status.
            (401, _) if self.with_token => HubError::BadToken,
            (_, Some("GatedRepo")) => HubError::Gated,
            (_, Some("RevisionNotFound")) => HubError::NoRevision,
            (_, Some("EntryNotFound")) => HubError::NoFile,
            (401 | 403, _) if self.with_token => HubError::BadToken,
            (401 | 403 | 404, Some("RepoNotFound")) | (401, _) => HubError::NotFoundOrPrivate,
            (404, _) => HubError::NoFile,
            (416, _) => HubError::RangeRefused,
            (429, _) => HubError::RateLimited,
            (status @ 500.., _) => HubError::Server(status),
            (status, _) => HubError::Other(status, self.message.unwrap_or_default().to_owned()),
        })
    }
}

impl HubError {
    /// What to do after this came `times` times on end, counted from 1. `chance` is at random from
    /// `0.0..1.0`: those who failed together should not come back together.
    pub fn next(&self, times: u32, chance: f64) -> Next {
        let wait = |most: u32, longest: u64| {
            if most < times {
                return Next::Stop;
            }
            let span =
                Duration::from_secs(1_u64.checked_shl(times - 1).unwrap_or(u64::MAX).min(longest));
            Next::Wait(span.mul_f64(0.5 + chance.clamp(0.0, 1.0) / 2.0))
        };
        match self {
            // Limits are counted in windows of five minutes.
            Self::RateLimited => wait(12, 60),
            Self::Server(_) => wait(5, 16),
            Self::Unreachable(_) => wait(3, 4),
            // A cut that brought something is not counted by the caller, so this ends.
            Self::Cut { .. } => wait(5, 8),
            Self::LinkExpired if times <= 2 => Next::Wait(Duration::ZERO),
            Self::Changed | Self::RangeRefused | Self::WrongHash(_) if times == 1 => {
                Next::StartAnew
            }
            Self::NotFoundOrPrivate | Self::Gated if times == 1 => Next::WithToken,
            Self::LinkExpired
            | Self::Changed
            | Self::RangeRefused
            | Self::WrongHash(_)
            | Self::NotFoundOrPrivate
            | Self::Gated
            | Self::BadToken
            | Self::NoRevision
            | Self::NoFile
            | Self::WebPage
            | Self::Malformed(_)
            | Self::Other(..)
            | Self::Cancelled => Next::Stop,
        }
    }

    pub fn told(&self) -> Told {
        const LATER: &str =
            "Try again later: what has arrived is kept, and the download goes on from there.";
        match self {
            Self::NotFoundOrPrivate => Told::new(
                "The Hub shows no such dataset",
                "There is none of this name, or it is private; the Hub does not say which.",
                "Check the name. For a private dataset, enter a token that may read it.",
            ),
            Self::Gated => Told::new(
                "The dataset is gated",
                "Its owners want to know who reads it.",
                "Open its page on the Hub, ask for access, and enter a token that may read it here.",
            ),
            Self::BadToken => Told::new(
                "The Hub does not accept the token for this dataset",
                "The token is mistyped or revoked, or it may not read this dataset.",
                "Make a token with read access to this dataset in the Hub’s settings and enter it.",
            ),
            Self::NoRevision => Told::new(
                "The dataset has no such revision",
                "Neither a branch nor a commit of it has this name.",
                "Use `main`, or copy a commit from the dataset’s history.",
            ),
            Self::NoFile => Told::new(
                "The Hub has no such file",
                "It was moved or deleted in this revision.",
                "Load again, so that the list of files is read anew.",
            ),
            Self::RateLimited => Told::new(
                "The Hub takes no more requests for now",
                "It limits requests from one network in every five minutes, and pages may not read how \
                 long to wait.",
                "Wait five minutes and try again. With a token the limits are higher.",
            ),
            Self::Server(status) => Told::new(
                format!("The Hub has a fault (status {status})"),
                "Its own servers failed.",
                LATER,
            ),
            Self::LinkExpired => Told::new(
                "The copy of the file is no longer at its address",
                "Such addresses hold for an hour, and new ones were refused as well.",
                LATER,
            ),
            Self::WebPage => Told::new(
                "A web page came instead of data",
                "The base URL is not that of a Hub, or a login page stands in between.",
                "Check the base URL, and open it in a tab of its own.",
            ),
            Self::Unreachable(detail) => Told::new(
                "The Hub cannot be reached",
                if detail.is_empty() {
                    "The browser says no more than that.".to_owned()
                } else {
                    format!("The browser says: {detail}.")
                },
                "Check the connection and the base URL. Extensions that block requests can be the cause, \
                 too. What has arrived is kept.",
            ),
            Self::Cut { got, of } => Told::new(
                "The download broke off",
                format!("{got} of {of} bytes had arrived."),
                LATER,
            ),
            Self::Changed => Told::new(
                "The file changed while it was being read",
                "The Hub gave another version than at the start, twice.",
                "Load again, so that the newest commit is read from the start.",
            ),
            Self::RangeRefused => Told::new(
                "The Hub refuses to go on with the file",
                "It does not have the part that was asked for.",
                "Load again: the file is then read from its start.",
            ),
            Self::WrongHash(file) => Told::new(
                format!("{file} is not the file that the Hub lists"),
                "Its SHA-256 differs from the listed one, twice: it was damaged on its way, or a mirror is \
                 out of date.",
                "Load it from the public Hub, or try again later.",
            ),
            Self::Malformed(detail) => Told::new(
                "The Hub’s answer cannot be understood",
                format!("{detail}."),
                "Check the base URL. If it is right, download the file from the Hub’s page and open it here.",
            ),
            Self::Cancelled => Told::new(
                "The download was cancelled",
                "You asked for it.",
                "Load it again when you like: what has arrived is kept, and the download goes on from there.",
            ),
            Self::Other(status, message) => Told::new(
                format!("The Hub refuses (status {status})"),
                if message.is_empty() {
                    "It gives no reason.".to_owned()
                } else {
                    format!("It says: {message}.")
                },
                "Download the file from the Hub’s page and open it here.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, code: Option<&str>) -> Option<HubError> {
        Response { status, code, ..Response::default() }.error()
    }

    #[test]
    fn responses_are_told_apart() {
        assert_eq!(read(200, None), None);
        assert_eq!(read(206, None), None);
        assert_eq!(read(401, Some("RepoNotFound")), Some(HubError::NotFoundOrPrivate));
        assert_eq!(read(404, Some("RepoNotFound")), Some(HubError::NotFoundOrPrivate));
        assert_eq!(read(401, Some("GatedRepo")), Some(HubError::Gated));
        assert_eq!(read(403, Some("GatedRepo")), Some(HubError::Gated));
        assert_eq!(read(404, Some("RevisionNotFound")), Some(HubError::NoRevision));
        assert_eq!(read(404, Some("EntryNotFound")), Some(HubError::NoFile));
        assert_eq!(read(404, None), Some(HubError::NoFile));
        assert_eq!(read(416, None), Some(HubError::RangeRefused));
        assert_eq!(read(429, None), Some(HubError::RateLimited));
        assert_eq!(read(503, None), Some(HubError::Server(503)));
        assert_eq!(read(418, None), Some(HubError::Other(418, String::new())));
        let html = Response {
            status: 200,
            content_type: Some("Text/HTML; charset=utf-8"),
            ..Response::default()
        };
        assert_eq!(html.error(), Some(HubError::WebPage));
        let copy = Response { status: 403, from_copy: true, ..Response::default() };
        assert_eq!(copy.error(), Some(HubError::LinkExpired));
        let token = Response { status: 401, with_token: true, ..Response::default() };
        assert_eq!(token.error(), Some(HubError::BadToken));
    }

    fn all() -> Vec<HubError> {
        vec![
            HubError::NotFoundOrPrivate,
            HubError::Gated,
            HubError::BadToken,
            HubError::NoRevision,
            HubError::NoFile,
            HubError::RateLimited,
            HubError::Server(500),
            HubError::LinkExpired,
            HubError::WebPage,
            HubError::Unreachable(String::new()),
            HubError::Cut { got: 1, of: 2 },
            HubError::Changed,
            HubError::RangeRefused,
            HubError::WrongHash("a".to_owned()),
            HubError::Malformed("no list".to_owned()),
            HubError::Other(402, "pay".to_owned()),
            HubError::Cancelled,
        ]
    }

    #[test]
    fn everything_is_told_and_ends() {
        for error in all() {
            let told = error.told();
            assert!(
                !told.what.ends_with('.') && told.why.ends_with('.') && told.next.ends_with('.')
            );
            assert_eq!(error.next(20, 0.5), Next::Stop, "{error:?} never ends");
        }
    }

    #[test]
    fn a_rate_limit_is_waited_out() {
        let waits = (1..).map_while(|times| match HubError::RateLimited.next(times, 1.0) {
            Next::Wait(wait) => Some(wait.as_secs()),
            _ => None,
        });
        let waits: Vec<u64> = waits.collect();
        assert_eq!(waits[..7], [1, 2, 4, 8, 16, 32, 60]);
        assert!(300 <= waits.iter().sum::<u64>());
    }
}
