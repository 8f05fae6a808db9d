//! What can go wrong between asking and a reply, told apart as far as a page can see.

use serde::{Deserialize, Serialize};

/// Why an exchange gave no reply. None of these is ever a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// No response that the page may read. At least eight causes; a wrong key is only one of them.
    Unreachable,
    /// No complete response within the deadline.
    Timeout,
    /// A person pressed Cancel.
    Cancelled,
    /// The key holds characters that cannot be sent, or does not belong to this host.
    KeyUnusable,
    /// 401.
    KeyRefused,
    /// 403.
    Forbidden,
    /// 402, or a quota that money would lift.
    NoCredit,
    /// 404: the model or the address is unknown.
    NotFound,
    /// 413, or a context that is too long.
    TooLarge,
    /// 400, 422 and other refusals of the request itself.
    BadRequest,
    /// A filter of the provider refused the text before the model saw it.
    Filtered,
    /// 429: too fast for the moment.
    RateLimited,
    /// 429 that a wait of minutes will not lift.
    DailyQuota,
    /// 408, 409, 500, 502 and the like.
    ServerError,
    /// 503, 529: the provider is full.
    Overloaded,
    /// A body that is not the JSON it should be: an HTML page, a cut body.
    Malformed,
    /// JSON without any text in it.
    EmptyReply,
    /// The provider counted far fewer tokens than were sent: it saw only part of the input.
    InputCut,
    /// Labels came from elsewhere, and none for this answer.
    NoLabels,
    /// A batch ended, by its deadline or by hand, before it came to this request: nobody was asked.
    BatchEnded,
}

impl ErrorKind {
    /// Whether it says that requests come too fast for this host now.
    pub fn slows(self) -> bool {
        match self {
            Self::RateLimited | Self::Overloaded => true,
            Self::Unreachable
            | Self::Timeout
            | Self::Cancelled
            | Self::KeyUnusable
            | Self::KeyRefused
            | Self::Forbidden
            | Self::NoCredit
            | Self::NotFound
            | Self::TooLarge
            | Self::BadRequest
            | Self::Filtered
            | Self::DailyQuota
            | Self::ServerError
            | Self::Malformed
            | Self::EmptyReply
            | Self::InputCut
            | Self::NoLabels
            | Self::BatchEnded => false,
        }
    }

    /// Whether the provider may have worked, and asks for money, although no reply came.
    pub fn may_cost(self) -> bool {
        match self {
            Self::Unreachable
            | Self::Timeout
            | Self::Cancelled
            | Self::ServerError
            | Self::Malformed
            | Self::EmptyReply
            | Self::InputCut => true,
            Self::KeyUnusable
            | Self::KeyRefused
            | Self::Forbidden
            | Self::NoCredit
            | Self::NotFound
            | Self::TooLarge
            | Self::BadRequest
            | Self::Filtered
            | Self::RateLimited
            | Self::DailyQuota
            | Self::Overloaded
            | Self::NoLabels
            | Self::BatchEnded => false,
        }
    }

    /// Whether every other request of the run would meet the same wall. Some in a row stop the run.
    pub fn is_wall(self) -> bool {
        match self {
            Self::Unreachable
            | Self::KeyUnusable
            | Self::KeyRefused
            | Self::Forbidden
            | Self::NoCredit
            | Self::NotFound
            | Self::DailyQuota => true,
            Self::Timeout
            | Self::Cancelled
            | Self::TooLarge
            | Self::BadRequest
            | Self::Filtered
            | Self::RateLimited
            | Self::ServerError
            | Self::Overloaded
            | Self::Malformed
            | Self::EmptyReply
            | Self::InputCut
            | Self::NoLabels
            | Self::BatchEnded => false,
        }
    }

    /// What happened, in a clause.
    pub fn what(self) -> &'static str {
        match self {
            Self::Unreachable => "no answer that this page may read",
            Self::Timeout => "no complete answer in time",
            Self::Cancelled => "cancelled",
            Self::KeyUnusable => "the key cannot be sent",
            Self::KeyRefused => "the key was not accepted",
            Self::Forbidden => "access was refused",
            Self::NoCredit => "no credit left",
            Self::NotFound => "model or address unknown",
            Self::TooLarge => "the request was too large",
            Self::BadRequest => "the request was refused",
            Self::Filtered => "a filter of the provider refused the text",
            Self::RateLimited => "too many requests for the moment",
            Self::DailyQuota => "the daily quota is used up",
            Self::ServerError => "the server failed",
            Self::Overloaded => "the provider is overloaded",
            Self::Malformed => "the reply could not be read",
            Self::EmptyReply => "the reply held no text",
            Self::InputCut => "the server saw only part of the input",
            Self::NoLabels => "the imported file has no labels for this answer",
            Self::BatchEnded => "the batch ended before it was asked",
        }
    }

    /// What a person can do, in a sentence.
    pub fn cure(self) -> &'static str {
        match self {
            Self::Unreachable => {
                "Check the address, the connection, whether the server allows this page’s origin (CORS), \
                 and any browser permission for local devices. Some hosts hide a refused key this way."
            }
            Self::Timeout => "Lower the concurrency, or try again later.",
            Self::Cancelled => "Press “Retry failed” to ask these again.",
            Self::KeyUnusable => "Paste the key again, without spaces or hidden characters.",
            Self::KeyRefused => "Check the key, or choose another provider.",
            Self::Forbidden => {
                "The account or its organisation does not allow this call. Ask whoever manages it, or use another provider."
            }
            Self::NoCredit => "Add credit at the provider, then press “Retry failed”.",
            Self::NotFound => "Check the model’s name and the base URL.",
            Self::TooLarge => "Use a model with a longer context.",
            Self::BadRequest => {
                "Read the server’s words: often a parameter such as temperature is not taken by this model."
            }
            Self::Filtered => "Choose another provider; until then it is counted as refused.",
            Self::RateLimited => "Lower the concurrency, then press “Retry failed”.",
            Self::DailyQuota => "Wait until the quota is renewed, then press “Retry failed”.",
            Self::ServerError | Self::Overloaded => "Try again in a while with “Retry failed”.",
            Self::Malformed => "Check that the base URL is an API and not a web page.",
            Self::EmptyReply => {
                "Allow more tokens for a reply: a reasoning model may have spent them all on thinking."
            }
            Self::InputCut => "Raise the server’s context length; the verdict was not counted.",
            Self::NoLabels => "Bring a file that has them: labels of the same judge join.",
            Self::BatchEnded => "Press “Start run” to ask these live, or write a batch file anew.",
        }
    }
}
