//! Bodies of responses, good and bad, in every dialect: a reply has text, a failure has words of bounded
//! length, and nothing but a good status is a reply.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::judge::http::HttpResponse;
use viva::judge::{
    Endpoint, ErrorKind, Finish, Outcome, OutputFormat, Prompt, ProviderId, provider,
};

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

fuzz_target!(|body: &str| {
    // One of each dialect, and one that counts in its own way.
    for id in [
        ProviderId::OpenAi,
        ProviderId::Xai,
        ProviderId::OpenAiResponses,
        ProviderId::Anthropic,
        ProviderId::Gemini,
    ] {
        let endpoint = endpoint(id);
        for status in [200, 400, 429] {
            let response = HttpResponse { status, body: body.to_owned(), retry_after: None };
            let decoded = provider::decode(&endpoint, &response, 900);
            let usage = decoded.usage;
            for count in [usage.input, usage.output, usage.cached, usage.reasoning] {
                assert!(count.is_none_or(|it| it <= 3 * u64::from(u32::MAX)));
            }
            match decoded.outcome {
                Outcome::Reply { text, finish, .. } => {
                    assert!(status == 200 && decoded.wait.is_none());
                    let may_be_empty = matches!(finish, Finish::Length | Finish::Refused(_));
                    assert!(may_be_empty || !text.trim().is_empty());
                }
                Outcome::Failure { kind, status: told, detail, body } => {
                    let of_a_reply = matches!(kind, ErrorKind::EmptyReply | ErrorKind::InputCut);
                    assert!(status == 200 || (!of_a_reply && told == Some(status)));
                    assert!(detail.chars().count() <= 301 && detail.lines().count() <= 1);
                    assert!(body.chars().count() <= 2000);
                }
            }
        }
    }
    assert!(provider::words(body).chars().count() <= 301);
});
