//! The one place that sends: an [`HttpRequest`] with its key to one origin, and back.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};
use std::pin::pin;
use web_sys::{AbortController, ReferrerPolicy, RequestCredentials, RequestMode, RequestRedirect};

use crate::edge::clock;
use crate::judge::ApiKey;
use crate::judge::http::{HttpRequest, HttpResponse, Method};

pub use crate::judge::http::NoResponse;

/// Long enough for a reasoning model, short enough to notice a server that hangs.
pub const DEADLINE: Duration = Duration::from_secs(300);

/// Aborts its request when dropped: a provider bills what is not aborted.
struct Guard {
    controller: AbortController,
    done: Rc<Cell<bool>>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.done.get() {
            self.controller.abort();
        }
    }
}

/// Whether anybody answers at an address. No key goes along, and nothing of the answer can be read: it is a
/// response for being there. What is blocked before it leaves, and what is not there, are no response.
pub async fn knock(url: &str, deadline: Duration) -> Result<HttpResponse, NoResponse> {
    let controller = AbortController::new()
        .map_err(|error| NoResponse::Unreachable(super::error::words(&error)))?;
    let _guard = Guard { controller: controller.clone(), done: Rc::default() };
    let built = gloo_net::http::RequestBuilder::new(url)
        .mode(RequestMode::NoCors)
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(Some(&controller.signal()))
        .build()
        .map_err(|error| NoResponse::Unreachable(error.to_string()))?;
    match select(pin!(built.send()), pin!(clock::sleep(deadline))).await {
        Either::Left((Ok(_), _)) => Ok(HttpResponse::default()),
        Either::Left((Err(error), _)) => Err(NoResponse::Unreachable(error.to_string())),
        Either::Right(_) => Err(NoResponse::Timeout),
    }
}

/// One exchange. Nothing is repeated, redirects are not followed, and no cookie or referrer goes along.
pub async fn send(
    request: &HttpRequest,
    key: Option<&ApiKey>,
    deadline: Duration,
) -> Result<HttpResponse, NoResponse> {
    let controller = AbortController::new()
        .map_err(|error| NoResponse::Unreachable(super::error::words(&error)))?;
    let guard = Guard { controller, done: Rc::new(Cell::new(false)) };
    let mut builder = gloo_net::http::RequestBuilder::new(&request.url)
        .method(match request.method {
            Method::Get => gloo_net::http::Method::GET,
            Method::Post => gloo_net::http::Method::POST,
        })
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        // A redirected POST would carry the key to wherever it points.
        .redirect(RequestRedirect::Error)
        .abort_signal(Some(&guard.controller.signal()));
    let secret = match key {
        Some(key) => Some(key.reveal_for(&request.url).ok_or(NoResponse::KeyElsewhere)?),
        None => None,
    };
    for (name, value) in request.headers_with(secret) {
        builder = builder.header(name, &value);
    }
    let built = match request.method {
        Method::Get => builder.build(),
        Method::Post => builder.body(request.body.as_str()),
    };
    let built = built.map_err(|error| NoResponse::Unreachable(error.to_string()))?;

    let exchange = async {
        let response =
            built.send().await.map_err(|error| NoResponse::Unreachable(error.to_string()))?;
        let status = response.status();
        let retry_after =
            response.headers().get("Retry-After").and_then(|value| value.trim().parse().ok());
        let body = response
            .text()
            .await
            .map_err(|error| NoResponse::Cut { status, detail: error.to_string() })?;
        Ok(HttpResponse { status, body, retry_after })
    };
    let result = match select(pin!(exchange), pin!(clock::sleep(deadline))).await {
        Either::Left((result, _)) => {
            guard.done.set(true);
            result
        }
        Either::Right(_) => Err(NoResponse::Timeout),
    };
    drop(guard);
    result
}
