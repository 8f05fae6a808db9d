//! What the examination of an endpoint finds, fault by fault, and what it never says.

use std::cell::RefCell;

use proptest::prelude::*;
use serde_json::{Value, json};
use viva::judge::doctor::{
    Browser, Case, Diagnosis, Doctor, Finding, KeyHeld, MOST, Parameter, Permission, Probe,
    Surroundings,
};
use viva::judge::http::{HttpRequest, HttpResponse, NoResponse};
use viva::judge::provider::{self, Cap, Dialect, EffortField, SeedField, Structured, Wanted};
use viva::judge::{Again, Effort, Endpoint, OutputFormat, Prompt, ProviderId};

use Finding as F;
use ProviderId as P;

type Heard = Result<HttpResponse, NoResponse>;

const PAGE: &str = "https://someone.github.io";
const CHROME: &str =
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36";
const SAFARI: &str =
    "Mozilla/5.0 AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15";

fn endpoint(provider: ProviderId) -> Endpoint {
    Endpoint {
        provider,
        capabilities: None,
        base_url: match provider::profile(provider).base_url {
            "" => "https://llm.example.org/v1".to_owned(),
            url => url.to_owned(),
        },
        model: match provider {
            P::Anthropic => "claude-sonnet-4-5",
            P::Gemini => "gemini-2.5-flash",
            _ => "judge-1",
        }
        .to_owned(),
        temperature: Some(0.0),
        max_tokens: Some(300),
        seed: None,
        effort: None,
        format: OutputFormat::Lines,
        prompt: Prompt::viva(),
    }
}

fn case(endpoint: Endpoint) -> Case {
    let around = Surroundings::of(PAGE, &endpoint.base_url, CHROME, Some(true), None);
    Case {
        endpoint,
        key: KeyHeld::ForThisHost,
        around,
        today: "2026-11-03".to_owned(),
        longest: None,
    }
}

fn run(case: Case, mut world: impl FnMut(&Probe) -> Heard) -> Diagnosis {
    let mut doctor = Doctor::new(case);
    let mut probes = 0;
    while let Some(probe) = doctor.probe() {
        probes += 1;
        assert!(probes <= MOST + 3, "it never ends");
        doctor.hear(world(&probe));
    }
    doctor.diagnosis()
}

#[expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "bodies are written where they are sent, and stand beside silences"
)]
fn response(status: u16, body: impl ToString) -> Heard {
    Ok(HttpResponse { status, body: body.to_string(), retry_after: None })
}

fn silence() -> Heard {
    Err(NoResponse::Unreachable("Failed to fetch".to_owned()))
}

fn said(text: &str, finish: &str) -> Heard {
    response(
        200,
        json!({
            "model": "judge-1",
            "choices": [{ "message": { "content": text }, "finish_reason": finish }],
            "usage": { "prompt_tokens": 900, "completion_tokens": 5 },
        }),
    )
}

fn models(ids: &[&str]) -> Heard {
    let data: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    response(200, json!({ "data": data }))
}

fn error(status: u16, message: &str) -> Heard {
    response(status, json!({ "error": { "message": message } }))
}

/// Every call ends like this, whatever is asked.
fn always(case: Case, heard: impl Fn() -> Heard) -> Diagnosis {
    run(case, |_| heard())
}

/// A fault for each finding. No wildcard: a finding that nothing leads to has no place.
#[expect(clippy::too_many_lines, reason = "one arm a finding")]
fn fault(finding: Finding) -> Diagnosis {
    let openai = || case(endpoint(P::OpenAi));
    let custom = || case(endpoint(P::Custom));
    let ollama = |agent: &str, permission| {
        let endpoint = endpoint(P::Ollama);
        let around = Surroundings::of(PAGE, &endpoint.base_url, agent, Some(true), permission);
        Case { around, ..case(endpoint) }
    };
    match finding {
        F::Works => always(custom(), || said("Completely", "stop")),
        F::WorksChanged => run(custom(), |probe| match probe {
            Probe::Ask(request) if request.body.contains("temperature") => {
                error(400, "`temperature` is deprecated for this model.")
            }
            _ => said("Completely", "stop"),
        }),
        F::SchemaUnsupported => {
            let endpoint = Endpoint { format: OutputFormat::JsonSchema, ..endpoint(P::Custom) };
            run(case(endpoint), |probe| match probe {
                Probe::Ask(request) if request.body.contains("response_format") => {
                    error(400, "This response_format type is unavailable now")
                }
                _ => said("{\"item_1\": \"Completely\"}", "stop"),
            })
        }
        F::Unreadable => always(custom(), || said("The sky is blue indeed.", "stop")),
        F::ReplyCut => always(custom(), || said("", "length")),
        F::InputCut => {
            let base = ollama(CHROME, Some(Permission::Granted));
            run(Case { longest: Some(6000), ..base }, |_| said("Completely", "stop"))
        }
        F::ContextTooSmall => {
            let base = ollama(CHROME, Some(Permission::Granted));
            run(Case { longest: Some(6000), ..base }, |probe| match probe {
                Probe::Ask(request) if 20_000 < request.body.len() => {
                    error(400, "the request exceeds the available context size")
                }
                _ => said("Completely", "stop"),
            })
        }
        F::TextRefused => always(custom(), || said("", "content_filter")),
        F::KeyMissing => always(Case { key: KeyHeld::None, ..custom() }, || {
            error(401, "Missing bearer authentication")
        }),
        F::KeyElsewhere => {
            always(Case { key: KeyHeld::ForAnotherHost, ..openai() }, || unreachable!())
        }
        // Gemini says it with 400.
        F::KeyRefused => always(case(endpoint(P::Gemini)), || {
            response(
                400,
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
            )
        }),
        F::BlockedByOrganisation => always(case(endpoint(P::Anthropic)), || {
            response(
                401,
                r#"{"type":"error","error":{"type":"authentication_error","message":"CORS requests are not allowed for this Organization because of its settings"}}"#,
            )
        }),
        F::Forbidden => always(case(endpoint(P::Gemini)), || {
            response(
                400,
                r#"{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}"#,
            )
        }),
        F::NoCredit => always(openai(), || {
            response(
                429,
                r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
            )
        }),
        F::QuotaPerMinute => {
            always(openai(), || error(429, "Rate limit reached. Please try again in 7.66s."))
        }
        F::QuotaPerDay => always(case(endpoint(P::Gemini)), || {
            response(
                429,
                r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}}"#,
            )
        }),
        F::ModelUnknown => run(openai(), |probe| match probe {
            Probe::List(_) => models(&["judge-11", "judge-2-large", "other"]),
            _ => response(
                404,
                r#"{"error":{"message":"The model `judge-1` does not exist","code":"model_not_found"}}"#,
            ),
        }),
        F::ModelRetired => run(openai(), |probe| match probe {
            Probe::List(_) => response(
                200,
                json!({ "data": [{ "id": "judge-1", "shutdown_date": "2026-10-23" }] }),
            ),
            _ => error(404, "The model `judge-1` was not found"),
        }),
        F::ModelNotYours => run(openai(), |probe| match probe {
            Probe::List(_) => models(&["judge-1"]),
            _ => error(404, "Your organization must be verified to use the model `judge-1`"),
        }),
        F::AddressUnknown => always(custom(), || response(404, "404 page not found")),
        F::ParametersRefused => {
            always(custom(), || error(400, "Unsupported parameter: 'max_tokens' is not supported"))
        }
        F::RequestRefused => always(custom(), || error(400, "messages: expected a list")),
        F::HostBusy => always(case(endpoint(P::Anthropic)), || {
            response(
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            )
        }),
        F::NotAnApi => always(custom(), || response(200, "<html><title>Welcome</title></html>")),
        F::BrokenOff => always(custom(), || {
            Err(NoResponse::Cut { status: 200, detail: "network error".to_owned() })
        }),
        F::TooSlow => always(custom(), || Err(NoResponse::Timeout)),
        F::Offline => {
            let mut case = openai();
            case.around.online = Some(false);
            always(case, silence)
        }
        F::MixedContent => always(ollama(SAFARI, None), silence),
        F::PermissionDenied => always(ollama(CHROME, Some(Permission::Denied)), silence),
        F::PermissionAsked => always(ollama(CHROME, Some(Permission::Prompt)), silence),
        F::CorsRefused => run(custom(), |probe| match probe {
            Probe::Knock(_) => response(0, ""),
            _ => silence(),
        }),
        F::HiddenAnswer => run(openai(), |probe| match probe {
            Probe::Knock(_) => response(0, ""),
            _ => silence(),
        }),
        F::Unreachable => always(openai(), silence),
    }
}

#[test]
fn each_finding_is_reached_by_a_fault_of_its_own() {
    for finding in Finding::ALL {
        let found = fault(finding);
        assert_eq!(found.finding, finding, "{found:?}");
        assert!(found.sentence.ends_with(['.', '”']), "{}", found.sentence);
        // They stand beside, once.
        assert!(found.words.is_empty() || !found.sentence.contains(&found.words));
        assert!(found.next.ends_with(['.', '?']), "{}", found.next);
        assert!(!found.sentence.contains('{'));
        assert_eq!(
            found.learned.is_some(),
            matches!(finding, F::WorksChanged | F::SchemaUnsupported)
        );
        // As it goes from worker to page.
        let sent = postcard::to_allocvec(&found).unwrap();
        assert_eq!(postcard::from_bytes::<Diagnosis>(&sent).unwrap(), found);
    }
    let mut names: Vec<String> = Finding::ALL.iter().map(|it| format!("{it:?}")).collect();
    names.dedup();
    assert_eq!(names.len(), Finding::ALL.len());
}

#[test]
fn sentences_say_what_helps() {
    for (finding, words) in [
        (F::ModelUnknown, "Did you mean judge-11?"),
        (F::ModelRetired, "retired judge-1 on 2026-10-23"),
        (F::QuotaPerMinute, "Wait 8 seconds"),
        (F::MixedContent, "Safari lets no https page"),
        (F::PermissionDenied, "local network access"),
        (F::BlockedByOrganisation, "administrator"),
        (F::CorsRefused, "nothing is known about the key"),
        (F::InputCut, "OLLAMA_CONTEXT_LENGTH"),
        (F::WorksChanged, "temperature is left out"),
    ] {
        let found = fault(finding);
        let text = format!("{} {}", found.sentence, found.next);
        assert!(text.contains(words), "{text}");
    }
    let local =
        case(Endpoint { base_url: "http://localhost:11434/v1".into(), ..endpoint(P::Ollama) });
    let refused = run(local, |probe| match probe {
        Probe::Knock(_) => response(0, ""),
        _ => silence(),
    });
    assert_eq!(refused.finding, F::CorsRefused);
    assert!(refused.next.contains("OLLAMA_ORIGINS=https://someone.github.io"), "{}", refused.next);
}

#[test]
fn no_text_without_a_thought_is_not_too_short_a_limit() {
    let found = run(case(endpoint(P::Custom)), |_| response(200, json!({ "choices": [] })));
    assert_eq!((found.finding, found.spent.calls), (F::Unreadable, 1));
    assert!(found.words.is_empty(), "the host said nothing: {}", found.words);
}

#[test]
fn what_we_counted_and_what_a_browser_says_are_no_words_of_the_host() {
    for finding in [F::InputCut, F::Unreachable, F::CorsRefused, F::Offline, F::BrokenOff] {
        assert_eq!(fault(finding).words, "", "{finding:?}");
    }
    assert!(fault(F::InputCut).sentence.contains("900 input tokens"));
}

#[test]
fn what_was_refused_in_every_form_is_no_change() {
    assert!(fault(F::ParametersRefused).changes.is_empty());
}

#[test]
fn a_working_endpoint_costs_one_small_call() {
    let asked = RefCell::new(Vec::new());
    let found = run(case(endpoint(P::Custom)), |probe| {
        if let Probe::Ask(request) = probe {
            asked.borrow_mut().push(request.body.clone());
        }
        said("Completely", "stop")
    });
    assert_eq!((found.spent.calls, found.spent.others), (1, 0));
    assert_eq!(found.spent.words(), "1 call, 900 tokens in and 5 out.");
    let body: Value = serde_json::from_str(&asked.borrow()[0]).unwrap();
    assert_eq!(body["max_tokens"], 64);
    assert!(asked.borrow()[0].len() < 6000);
}

#[test]
fn thinking_is_given_room_before_it_is_called_too_short() {
    let found = run(case(endpoint(P::Custom)), |probe| match probe {
        Probe::Ask(request) if request.body.contains("\"max_tokens\":64") => said("", "length"),
        _ => response(
            200,
            json!({
                "choices": [{ "message": { "content": "Completely" }, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 900, "completion_tokens": 220,
                           "completion_tokens_details": { "reasoning_tokens": 214 } },
            }),
        ),
    });
    assert_eq!((found.finding, found.thought, found.spent.calls), (F::Works, Some(214), 2));
    assert!(found.next.contains("214 tokens"), "{}", found.next);
}

#[test]
fn a_date_of_retirement_is_told_while_it_works() {
    let found = run(case(endpoint(P::OpenAi)), |probe| match probe {
        Probe::List(_) => {
            response(200, json!({ "data": [{ "id": "judge-1", "shutdown_date": "2027-01-31" }] }))
        }
        _ => said("Completely", "stop"),
    });
    assert_eq!(found.finding, F::Works);
    assert!(found.sentence.contains("2027-01-31"), "{}", found.sentence);
    assert_eq!((found.spent.calls, found.spent.others), (1, 1));
}

/// A host whose answer to a list can be read has said what it thinks of the key.
#[test]
fn a_readable_refusal_behind_a_silence_is_no_silence() {
    let found = run(case(endpoint(P::OpenAi)), |probe| match probe {
        Probe::Knock(_) => response(0, ""),
        Probe::List(_) => error(401, "Incorrect API key provided"),
        Probe::Ask(_) => silence(),
    });
    assert_eq!(found.finding, F::KeyRefused);
}

/// What a strict host takes. Everything else is a refusal in the words of its dialect.
#[expect(clippy::struct_excessive_bools, reason = "what a host takes, thing by thing")]
#[derive(Clone, Debug)]
struct Strict {
    dialect: Dialect,
    temperature: bool,
    cap: Cap,
    seed: bool,
    effort: bool,
    structured: Structured,
    /// Names what it refuses in a field of its own, or in words only.
    in_a_field: bool,
}

impl Strict {
    fn refuses(&self, request: &HttpRequest) -> Option<(&'static str, &'static str)> {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let has = |pointer: &str| body.pointer(pointer).is_some();
        match self.dialect {
            Dialect::ChatCompletions => {
                let format = body.pointer("/response_format/type").and_then(Value::as_str);
                let strict = body.pointer("/response_format/json_schema/strict").is_some();
                let too_much = match (format, strict) {
                    (None, _) => false,
                    (Some("json_object"), _) => self.structured == Structured::None,
                    (Some(_), true) => self.structured != Structured::Strict,
                    (Some(_), false) => {
                        !matches!(self.structured, Structured::Strict | Structured::Schema)
                    }
                };
                if has("/temperature") && !self.temperature {
                    Some(("temperature", "'temperature' does not support 0 with this model"))
                } else if has("/max_tokens") && self.cap == Cap::MaxCompletionTokens {
                    Some((
                        "max_tokens",
                        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                    ))
                } else if has("/max_completion_tokens") && self.cap == Cap::MaxTokens {
                    Some((
                        "max_completion_tokens",
                        "Unrecognized request argument supplied: max_completion_tokens",
                    ))
                } else if has("/seed") && !self.seed {
                    Some(("seed", "[{'type': 'extra_forbidden', 'loc': ('body', 'seed')}]"))
                } else if has("/reasoning_effort") && !self.effort {
                    Some(("reasoning_effort", "property 'reasoning_effort' is unsupported"))
                } else if too_much {
                    Some(("response_format", "This response_format type is unavailable now"))
                } else {
                    None
                }
            }
            Dialect::Messages => {
                if has("/temperature") && !self.temperature {
                    Some(("temperature", "`temperature` is deprecated for this model."))
                } else if has("/thinking") && !self.effort {
                    Some(("thinking", "thinking.type: Extra inputs are not permitted"))
                } else if has("/output_config/format") && self.structured == Structured::Tool {
                    Some(("output_config", "output_config.format: Extra inputs are not permitted"))
                } else {
                    None
                }
            }
            Dialect::GenerateContent => {
                if has("/generationConfig/thinkingConfig") && !self.effort {
                    Some((
                        "generation_config.thinking_config",
                        "Unknown name \"thinkingConfig\" at 'generation_config'",
                    ))
                } else if has("/generationConfig/responseJsonSchema")
                    && self.structured == Structured::Object
                {
                    Some((
                        "generation_config.response_json_schema",
                        "Unknown name \"responseJsonSchema\" at 'generation_config'",
                    ))
                } else {
                    None
                }
            }
            Dialect::Responses => {
                if has("/reasoning") && !self.effort {
                    Some(("reasoning.effort", "Unsupported parameter: 'reasoning.effort'"))
                } else if has("/temperature") && !self.temperature {
                    Some(("temperature", "Unsupported parameter: 'temperature'"))
                } else {
                    None
                }
            }
        }
    }

    fn answer(&self, request: &HttpRequest) -> Heard {
        if let Some((param, message)) = self.refuses(request) {
            let error = match (self.in_a_field, self.dialect) {
                (true, Dialect::GenerateContent) => {
                    json!({ "code": 400, "message": "Invalid argument", "status": "INVALID_ARGUMENT",
                            "details": [{ "fieldViolations": [{ "field": param }] }] })
                }
                (true, _) => {
                    json!({ "message": "x", "param": param, "code": "unsupported_parameter" })
                }
                (false, _) => json!({ "type": "invalid_request_error", "message": message }),
            };
            return response(400, json!({ "error": error }));
        }
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let label = "{\"item_1\": \"Completely\"}";
        let lines = !request.body.contains("item_1");
        let text = if lines { "Completely" } else { label };
        match self.dialect {
            Dialect::ChatCompletions => said(text, "stop"),
            Dialect::Messages if body.get("tools").is_some() => response(
                200,
                json!({ "content": [{ "type": "tool_use", "input": { "item_1": "Completely" } }],
                        "stop_reason": "tool_use", "usage": { "input_tokens": 900, "output_tokens": 9 } }),
            ),
            Dialect::Messages => response(
                200,
                json!({ "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn",
                        "usage": { "input_tokens": 900, "output_tokens": 9 } }),
            ),
            Dialect::GenerateContent => response(
                200,
                json!({ "candidates": [{ "content": { "parts": [{ "text": text }] },
                                         "finishReason": "STOP" }] }),
            ),
            Dialect::Responses => response(
                200,
                json!({ "status": "completed", "output": [{ "type": "message",
                        "content": [{ "type": "output_text", "text": text }] }] }),
            ),
        }
    }
}

#[test]
fn what_was_learned_makes_the_next_request_accepted() {
    let usual = Strict {
        dialect: Dialect::ChatCompletions,
        temperature: false,
        cap: Cap::MaxCompletionTokens,
        seed: false,
        effort: false,
        structured: Structured::Object,
        in_a_field: true,
    };
    let of = |dialect, structured| Strict { dialect, structured, ..usual.clone() };
    for (provider, host) in [
        (P::Custom, usual.clone()),
        (P::OpenAi, Strict { cap: Cap::MaxTokens, ..usual.clone() }),
        (P::Anthropic, of(Dialect::Messages, Structured::Tool)),
        (P::Gemini, of(Dialect::GenerateContent, Structured::Object)),
        (P::OpenAiResponses, of(Dialect::Responses, Structured::Strict)),
    ] {
        for in_a_field in [true, false] {
            let host = Strict { in_a_field, ..host.clone() };
            let asked = Endpoint {
                seed: Some(7),
                effort: Some(Effort::Low),
                max_tokens: Some(4000),
                format: OutputFormat::JsonSchema,
                ..endpoint(provider)
            };
            let found = run(case(asked.clone()), |probe| match probe {
                Probe::Ask(request) => host.answer(request),
                _ => models(&["judge-1"]),
            });
            assert_eq!(found.finding, F::WorksChanged, "{host:?} {found:?}");
            assert!(found.spent.calls <= MOST);
            let learned = Endpoint { capabilities: found.learned, ..asked };
            let prompt = learned.prompt.fill("x", &["a", "b"], learned.format);
            let next = provider::encode(&learned, &prompt, Wanted::Labels(2), Again::Plain);
            assert_eq!(host.refuses(&next.request), None, "{}", next.request.body);
        }
    }
}

#[test]
fn hosts_that_name_no_parameter_lose_the_least_first() {
    let asked = Endpoint { seed: Some(7), ..endpoint(P::OpenRouter) };
    let found = run(case(asked), |probe| match probe {
        Probe::Ask(request) if request.body.contains("\"seed\"") => {
            error(404, "No endpoints found that can handle the requested parameters.")
        }
        _ => said("Completely", "stop"),
    });
    assert_eq!(found.finding, F::WorksChanged);
    assert_eq!(found.changes[0].parameter, Parameter::Seed);
    let learned = found.learned.unwrap();
    assert_eq!((learned.seed, learned.temperature), (SeedField::None, true));
    assert_eq!(learned.effort, EffortField::Reasoning);
}

/// The examination sends a limit where a run sends none; what it learns of that changes no judge.
#[test]
fn a_limit_of_the_examination_alone_is_not_learned() {
    let asked = Endpoint { max_tokens: None, ..endpoint(P::Custom) };
    let found = run(case(asked), |probe| match probe {
        Probe::Ask(request) if request.body.contains("max_") => {
            error(400, "Unknown parameter: 'max_tokens' or 'max_completion_tokens'")
        }
        _ => said("Completely", "stop"),
    });
    assert!(found.finding.works(), "{found:?}");
    assert_eq!(found.learned, None);
}

fn surroundings() -> impl Strategy<Value = Surroundings> {
    let targets = prop_oneof![
        Just("http://localhost:11434/v1"),
        Just("http://192.168.1.9:8000/v1"),
        Just("https://api.openai.com/v1"),
        Just("https://llm.example.org/v1"),
        Just("http://llm.example.org/v1"),
    ];
    let pages = prop_oneof![Just(PAGE), Just("http://localhost:8000"), Just("http://10.0.0.2")];
    let permission = prop_oneof![
        Just(None),
        Just(Some(Permission::Granted)),
        Just(Some(Permission::Denied)),
        Just(Some(Permission::Prompt))
    ];
    let browser = prop_oneof![
        Just(Browser::Chrome),
        Just(Browser::Safari),
        Just(Browser::Firefox),
        Just(Browser::Other)
    ];
    (pages, targets, prop::option::of(any::<bool>()), permission, browser).prop_map(
        |(page, target, online, permission, browser)| Surroundings {
            browser,
            ..Surroundings::of(page, target, "", online, permission)
        },
    )
}

/// Anything that can come back of a request.
fn answer() -> impl Strategy<Value = Heard> {
    let status = prop::sample::select(vec![200_u16, 400, 401, 403, 404, 413, 422, 429, 500, 503]);
    let words = prop::sample::select(vec![
        "temperature is not supported",
        "unknown parameter: max_tokens",
        "response_format is not supported",
        "seed: not permitted",
        "thinking is not supported",
        "the requested parameters",
        "The model `judge-1` does not exist",
        "judge-1 was decommissioned",
        "API key not valid",
        "organization",
        "maximum context",
    ]);
    let body = prop_oneof![
        words.prop_map(|it| json!({ "error": { "message": it } }).to_string()),
        Just(json!({ "error": { "type": "authentication_error", "message": "no" } }).to_string()),
        Just(json!({ "data": [{ "id": "judge-1", "shutdown_date": "2026-11-03" }, { "id": "judge-2" }] }).to_string()),
        "\\PC{0,40}",
    ];
    prop_oneof![
        4 => (status, body).prop_map(|(status, body)| response(status, body)),
        1 => Just(said("Mostly", "stop")),
        1 => Just(said("{\"item_1\": \"Mostly\"}", "stop")),
        1 => Just(said("", "length")),
        1 => Just(said("I cannot say.", "content_filter")),
        1 => Just(silence()),
        1 => Just(Err(NoResponse::Timeout)),
        1 => Just(Err(NoResponse::KeyElsewhere)),
        1 => Just(Err(NoResponse::Cut { status: 401, detail: "it broke off".to_owned() })),
    ]
}

proptest! {
    /// However the browser, the permission and the host stand: of an answer that nobody may read it is
    /// never said that the key is wrong.
    #[test]
    fn a_silence_is_never_called_a_bad_key(
        around in surroundings(),
        provider in prop::sample::select(provider::table().map(|it| it.id).collect::<Vec<_>>()),
        key in prop::sample::select(vec![KeyHeld::None, KeyHeld::ForThisHost]),
        knocked in any::<bool>(),
        listed in prop::option::of(prop::sample::select(vec![200_u16, 404, 500])),
        words in "\\PC{0,40}",
    ) {
        let case = Case { around, key, ..case(endpoint(provider)) };
        let found = run(case, |probe| match probe {
            Probe::Ask(_) => Err(NoResponse::Unreachable(words.clone())),
            Probe::Knock(_) if knocked => response(0, ""),
            Probe::Knock(_) => silence(),
            Probe::List(_) => listed.map_or_else(silence, |status| response(status, "{\"data\":[]}")),
        });
        prop_assert!(!matches!(found.finding, F::KeyRefused | F::KeyMissing | F::KeyElsewhere));
        prop_assert!(!found.finding.works());
        let text = format!("{} {}", found.sentence, found.next).to_lowercase();
        for claim in ["wrong key", "bad key", "not accept", "invalid key", "key is", "paste the key"] {
            prop_assert!(!text.contains(claim), "{text}");
        }
    }

    /// Whatever comes back, it ends, within its calls, with a sentence.
    #[test]
    fn it_ends_whatever_comes_back(
        answers in prop::collection::vec(
            prop_oneof![
                (100_u16..600, "\\PC{0,80}").prop_map(|(status, body)| response(status, body)),
                (prop::sample::select(vec![400_u16, 404, 422]), prop::sample::select(vec![
                    "temperature is not supported", "unknown parameter: max_tokens",
                    "response_format is not supported", "seed: not permitted", "reasoning_effort unsupported",
                    "the requested parameters",
                ])).prop_map(|(status, words)| error(status, words)),
                Just(silence()),
                Just(said("", "length")),
                Just(said("Mostly", "stop")),
                Just(Err(NoResponse::Timeout)),
            ],
            1..20,
        ),
        provider in prop::sample::select(provider::table().map(|it| it.id).collect::<Vec<_>>()),
        json in any::<bool>(),
    ) {
        let mut asked = Endpoint { seed: Some(1), effort: Some(Effort::High), ..endpoint(provider) };
        if json {
            asked.format = OutputFormat::JsonSchema;
        }
        let mut at = 0;
        let found = run(Case { longest: Some(5000), ..case(asked) }, |_| {
            at += 1;
            answers[(at - 1) % answers.len()].clone()
        });
        prop_assert!(found.spent.calls <= MOST);
        prop_assert!(!found.sentence.is_empty() && !found.next.is_empty());
    }

    /// Each finding is the last thing that was heard: a bad key only where the host said so, in an answer
    /// that could be read; a label only where one came. What was sent is counted, each request once.
    #[test]
    fn a_finding_is_what_was_heard(
        answers in prop::collection::vec(answer(), 1..16),
        provider in prop::sample::select(provider::table().map(|it| it.id).collect::<Vec<_>>()),
        key in prop::sample::select(vec![KeyHeld::None, KeyHeld::ForThisHost, KeyHeld::ForAnotherHost]),
        around in prop::option::of(surroundings()),
        (json, seed, capped, long) in any::<(bool, bool, bool, bool)>(),
        see in any::<bool>(),
    ) {
        let asked = Endpoint {
            seed: seed.then_some(1),
            effort: seed.then_some(Effort::High),
            max_tokens: capped.then_some(300),
            format: if json { OutputFormat::JsonSchema } else { OutputFormat::Lines },
            ..endpoint(provider)
        };
        let case = case(asked.clone());
        let around = around.unwrap_or_else(|| case.around.clone());
        let case = Case { key, around, longest: long.then_some(5000), ..case };
        let mut doctor = Doctor::new(case);
        let (mut calls, mut others) = (0, 0);
        let mut last_read = None;
        let mut labels = 0;
        while let Some(probe) = doctor.probe() {
            let heard = answers[(calls + others) as usize % answers.len()].clone();
            match &probe {
                Probe::Ask(_) => calls += 1,
                Probe::List(_) | Probe::Knock(_) => others += 1,
            }
            // Of a knock nothing is read.
            if !matches!(probe, Probe::Knock(_)) {
                last_read = heard.as_ref().ok().map(|it| (it.status, it.body.clone()));
                labels += u32::from(heard.as_ref().is_ok_and(|it| it.body.contains("Mostly")));
            }
            doctor.hear(heard);
            if see {
                doctor.see(Some(false), Some(Permission::Denied));
            }
            prop_assert!(calls <= MOST && others <= 2);
        }
        let found = doctor.diagnosis();
        prop_assert_eq!((found.spent.calls, found.spent.others), (calls, others));
        prop_assert!(found.spent.untold <= calls);
        // A sentence can end with the host's own words.
        prop_assert!(found.next.ends_with('.'), "{}", found.next);
        prop_assert!(found.sentence.ends_with('.') || !found.words.is_empty(), "{}", found.sentence);
        if matches!(found.finding, F::KeyRefused | F::KeyMissing) {
            let (status, body) = last_read.expect("a bad key behind a silence");
            prop_assert!(status == 401 || body.contains("API key") || body.contains("authentication_error"));
            prop_assert_eq!(found.finding == F::KeyRefused, key == KeyHeld::ForThisHost);
        }
        prop_assert!(!found.finding.works() || 0 < labels);
        prop_assert_eq!(found.finding == F::Works, found.finding.works() && found.changes.is_empty());
        if let Some(learned) = found.learned {
            prop_assert!(found.finding.works() && !found.changes.is_empty());
            prop_assert_ne!(learned, asked.can());
        }
        let mut changed: Vec<Parameter> = found.changes.iter().map(|it| it.parameter).collect();
        changed.dedup();
        prop_assert_eq!(changed.len(), found.changes.len());
        prop_assert!(found.near.len() <= 3 && found.near.iter().all(|it| *it != asked.model));
    }
}
