//! Files of batch results and what hosts say of a batch: entries are numbered and said alike however they
//! stand, and no request goes to another host.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::judge::batch::{self, BatchKind, Ended};
use viva::judge::http::{self, HttpResponse};
use viva::judge::{Endpoint, ErrorKind, Outcome, OutputFormat, Prompt, ProviderId, provider};

fn endpoint(provider: ProviderId) -> Endpoint {
    Endpoint {
        provider,
        capabilities: None,
        base_url: provider::profile(provider).base_url.to_owned(),
        model: "m".to_owned(),
        temperature: None,
        max_tokens: Some(300),
        seed: None,
        effort: None,
        format: OutputFormat::Lines,
        prompt: Prompt { text: String::new() },
    }
}

fuzz_target!(|text: &str| {
    let endpoints = [
        ProviderId::OpenAi,
        ProviderId::OpenAiResponses,
        ProviderId::Anthropic,
        ProviderId::Gemini,
    ]
    .map(endpoint);
    let mut last = 0;
    for (number, entry) in batch::entries(text) {
        assert!(last < number);
        last = number;
        let Ok(entry) = entry else { continue };
        for endpoint in &endpoints {
            let Ok(said) = entry.said(endpoint, 0) else { continue };
            assert!(said.at.is_none_or(|it| (1e12..1e14).contains(&it)));
            let ended = match said.decoded.outcome {
                Outcome::Reply { .. } => Ended::Replied,
                Outcome::Failure { kind: ErrorKind::BatchEnded, .. } => Ended::Unasked,
                Outcome::Failure { .. } => Ended::Failed,
            };
            assert_eq!(said.ended, ended);
        }
    }
    let response = HttpResponse { status: 200, body: text.to_owned(), retry_after: None };
    for endpoint in &endpoints {
        let kind = BatchKind::of(endpoint);
        let mut requests = Vec::new();
        if let Ok(id) = batch::created(kind, &response) {
            requests.push(batch::poll(endpoint, &id));
            requests.extend(batch::start(endpoint, &id));
        }
        if let Ok(status) = batch::status(kind, &response) {
            requests.extend(batch::results(endpoint, &status));
        }
        for request in requests {
            assert_eq!(http::origin(&request.url), http::origin(&endpoint.base_url));
        }
    }
});
