//! Carries out an examination: sends what the doctor wants sent, and tells it what came of it.

use std::time::Duration;

use crate::edge::{clock, fetch, page};
use crate::judge::ApiKey;
use crate::judge::doctor::{Case, Diagnosis, Doctor, Probe};
use crate::judge::http::NoResponse;

/// Enough for a server that loads its model at the first call.
const PATIENCE: Duration = Duration::from_secs(120);
/// For requests that need no thinking.
const SHORT: Duration = Duration::from_secs(20);

/// `tell` hears of each request that went out with the key: when, and whether a response came.
pub(super) async fn examine(
    case: Case,
    key: Option<&ApiKey>,
    tell: impl Fn(f64, bool),
) -> Diagnosis {
    let target = case.endpoint.base_url.clone();
    let mut doctor = Doctor::new(case);
    while let Some(probe) = doctor.probe() {
        let began = clock::now();
        let mut heard = match &probe {
            Probe::Ask(request) => fetch::send(request, key, PATIENCE).await,
            Probe::List(request) => fetch::send(request, key, SHORT).await,
            Probe::Knock(url) => fetch::knock(url, SHORT).await,
        };
        match &mut heard {
            // A server can echo a key anywhere, and its words are shown.
            Ok(response) => {
                if let Some(key) = key {
                    response.body = key.blot(&response.body);
                }
            }
            Err(NoResponse::Unreachable(_)) => {
                let permission = page::local_network_permission(&target).await;
                doctor.see(page::online(), permission);
            }
            Err(NoResponse::Timeout | NoResponse::Cut { .. } | NoResponse::KeyElsewhere) => {}
        }
        tell(began, heard.is_ok());
        doctor.hear(heard);
    }
    doctor.diagnosis()
}
