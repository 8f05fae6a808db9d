//! Batches: what files hold, what is read from results, and that a run can go either way or both.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use futures_executor::block_on;
use proptest::prelude::*;
use serde_json::{Value, json};
use viva::ids::Digest;
use viva::judge::batch::{
    self, BatchFile, BatchKind, BatchState, Ended, Form, FromPage, Limits, Oddity, StepError, Sure,
};
use viva::judge::http::{self, HttpRequest, HttpResponse, Method};
use viva::judge::provider;
use viva::judge::{
    Attempt, Endpoint, ErrorKind, JudgeSpec, Outcome, OutputFormat, Prompt, ProviderId,
};
use viva::ledger::Ledger;
use viva::metrics::{View, coverage};
use viva::protocol::{Reading, Request, Task};
use viva::run::batches::{BatchStage, SentBatch};
use viva::run::frame::CaseText;
use viva::run::money::{PriceSource, Prices};
use viva::run::record::Record;
use viva::run::repeats::Repeats;
use viva::run::{Control, Frame, Phase, Texts, drive};
use viva::worker::runs::Book;
use viva::worker::runs::batch::BatchCounts;

use crate::world::{Say, Scripted, batch as items_of, frame, lines, record};

const NOW: f64 = 1_800_000_000_000.0;

fn endpoint(id: ProviderId) -> Endpoint {
    let base_url = match provider::profile(id).base_url {
        "" => "http://127.0.0.1:8080/v1",
        url => url,
    };
    Endpoint {
        provider: id,
        capabilities: None,
        base_url: base_url.to_owned(),
        model: match id {
            ProviderId::Anthropic => "claude-sonnet-4-5",
            ProviderId::Gemini => "gemini-2.5-flash",
            ProviderId::Custom => "SmolLM2",
            _ => "gpt-4.1-mini",
        }
        .to_owned(),
        temperature: Some(0.0),
        max_tokens: Some(60),
        seed: None,
        effort: None,
        format: if id == ProviderId::Custom {
            OutputFormat::JsonSchema
        } else {
            OutputFormat::Lines
        },
        prompt: Prompt {
            text: "Say how far this answer addresses each point.\n{{answer}}\n{{items}}".to_owned(),
        },
    }
}

fn texts(frame: &Frame) -> Texts {
    Texts {
        cases: frame
            .cases
            .iter()
            .map(|case| CaseText {
                query: "Why?".to_owned(),
                date: None,
                items: (1..=case.items.len()).map(|it| format!("Does it say “{it}”?\n")).collect(),
            })
            .collect(),
        answers: (0..frame.systems.len())
            .map(|system| {
                (0..frame.cases.len())
                    .map(|case| Some(format!("Because \"{system}\"\t{case}.")))
                    .collect()
            })
            .collect(),
    }
}

/// A book with one run that has not begun.
fn book(id: ProviderId, n_items: &[usize]) -> (Book, String) {
    let run = record(JudgeSpec::Endpoint(endpoint(id)), frame(n_items, &["a", "b"]));
    let mut book = Book::default();
    let key = run.id.clone();
    book.texts.insert(key.clone(), texts(&run.frame));
    book.records.insert(key.clone(), run);
    (book, key)
}

fn files(book: &Book, ledger: &Ledger, run: &str, form: Form) -> Vec<BatchFile> {
    let plan = book.batch_plan(ledger, run).unwrap();
    let most = batch::limits(BatchKind::of(plan.endpoint), form);
    batch::write(plan.endpoint, form, &plan.stem, most, plan.requests()).collect()
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/batch").join(name)
}

/// As on file; written anew where `VIVA_GOLDEN` is set.
#[track_caller]
fn golden(name: &str, text: &str) {
    if std::env::var_os("VIVA_GOLDEN").is_some() {
        fs::write(fixture(name), text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(fixture(name)).unwrap(), "{name}");
}

#[test]
fn each_provider_gets_exactly_these_files() {
    for (id, name) in [
        (ProviderId::OpenAi, "openai"),
        (ProviderId::OpenAiResponses, "responses"),
        (ProviderId::Anthropic, "anthropic"),
        (ProviderId::Gemini, "gemini"),
        (ProviderId::Custom, "compatible"),
    ] {
        let (book, run) = book(id, &[3, 1]);
        let ledger = Ledger::default();
        let [file] = &files(&book, &ledger, &run, Form::Lines)[..] else { panic!("one file") };
        golden(&format!("{name}.jsonl"), &file.text);
        let [body] = &files(&book, &ledger, &run, Form::Body)[..] else { panic!("one body") };
        assert_eq!((file.n, body.n), (4, 4));
        if ["anthropic", "gemini"].contains(&name) {
            golden(&format!("{name}-body.json"), &format!("{}\n", body.text));
            assert!(serde_json::from_str::<Value>(&body.text).is_ok());
        } else {
            assert_eq!(file, body);
        }
    }
}

#[test]
fn files_are_split_by_requests_and_by_bytes() {
    let (book, run) = book(ProviderId::Anthropic, &[1; 10]);
    let ledger = Ledger::default();
    let plan = book.batch_plan(&ledger, &run).unwrap();
    let line = plan.requests().next().unwrap().1.request.body.len();
    let most = |requests, bytes| Limits {
        requests,
        bytes,
        requests_sure: Sure::Chosen,
        bytes_sure: Sure::Chosen,
    };
    for form in [Form::Lines, Form::Body] {
        for (most, sizes) in [
            (most(8, usize::MAX), vec![8, 8, 4]),
            (most(100, 3 * (line + 200)), vec![]),
            // None fits, and each goes alone.
            (most(100, 1), vec![1; 20]),
        ] {
            let files: Vec<BatchFile> =
                batch::write(plan.endpoint, form, "x", most, plan.requests()).collect();
            let n: Vec<u64> = files.iter().map(|it| it.n).collect();
            assert_eq!(n.iter().sum::<u64>(), 20);
            assert!(sizes.is_empty() || n == sizes, "{n:?}");
            assert!(files.iter().all(|it| it.n == 1 || it.text.len() <= most.bytes));
            let names: BTreeSet<&str> = files.iter().map(|it| it.name.as_str()).collect();
            assert_eq!(names.len(), files.len());
        }
    }
    let documented = batch::limits(BatchKind::OpenAi, Form::Lines);
    assert_eq!((documented.requests, documented.bytes), (50_000, 200_000_000));
    assert_eq!(batch::limits(BatchKind::Gemini, Form::Body).bytes, 20_000_000);
}

// ------------------------------------------------------------------ results

fn admit(book: &Book, ledger: &mut Ledger, text: &str) -> BatchCounts {
    let read = book.admit_batch(ledger, ("results.jsonl", text.as_bytes()), NOW, |_| true);
    for (key, attempt) in read.replies {
        assert!(ledger.admit(key, attempt), "what is given back is new");
    }
    read.counts
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// A reply in the dialect of a provider, with 100 tokens in and 7 out.
fn reply(id: ProviderId, text: &str) -> Value {
    match id {
        ProviderId::Anthropic => json!({
            "id": "msg_1", "type": "message", "model": "claude-x", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": text }],
            "usage": { "input_tokens": 100, "output_tokens": 7 },
        }),
        ProviderId::Gemini => json!({
            "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": "STOP" }],
            "usageMetadata": { "promptTokenCount": 100, "candidatesTokenCount": 7 },
            "modelVersion": "gemini-x",
        }),
        ProviderId::OpenAiResponses => json!({
            "object": "response", "model": "gpt-x", "status": "completed", "created_at": 1_790_000_000,
            "output": [{ "type": "message", "content": [{ "type": "output_text", "text": text }] }],
            "usage": { "input_tokens": 100, "output_tokens": 7 },
        }),
        _ => json!({
            "model": "gpt-x", "created": 1_790_000_000,
            "choices": [{ "message": { "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 7 },
        }),
    }
}

/// A line of results with that reply.
fn replied(id: ProviderId, key: Digest, text: &str) -> Value {
    let body = reply(id, text);
    match id {
        ProviderId::Anthropic => {
            json!({ "custom_id": key, "result": { "type": "succeeded", "message": body } })
        }
        ProviderId::Gemini => json!({ "key": key, "response": body }),
        _ => json!({
            "id": "batch_req_1", "custom_id": key, "error": null,
            "response": { "status_code": 200, "request_id": "r", "body": body },
        }),
    }
}

fn ended(id: ProviderId, key: Digest) -> Value {
    match id {
        ProviderId::Anthropic => json!({ "custom_id": key, "result": { "type": "expired" } }),
        ProviderId::Gemini => json!({ "key": key, "error": { "code": 1, "message": "cancelled" } }),
        _ => json!({
            "custom_id": key, "response": null,
            "error": { "code": "batch_expired", "message": "This request could not be executed." },
        }),
    }
}

const ALL: [ProviderId; 4] =
    [ProviderId::OpenAi, ProviderId::OpenAiResponses, ProviderId::Anthropic, ProviderId::Gemini];

fn keys(record: &Record) -> Vec<Digest> {
    record.all_tasks().iter().map(Task::key).collect()
}

/// What a line is read as, by the last attempt it made.
#[track_caller]
fn reads(id: ProviderId, line: impl Fn(Digest) -> Value) -> Attempt {
    let (book, run) = book(id, &[2]);
    let key = keys(&book.records[&run])[0];
    let mut ledger = Ledger::default();
    admit(&book, &mut ledger, &format!("{}\n", line(key)));
    ledger.attempts(key).last().expect("an attempt").clone()
}

#[test]
fn a_batched_reply_reads_as_a_live_one() {
    for id in ALL {
        let kind = BatchKind::of(&endpoint(id)).as_str();
        let attempt = reads(id, |key| replied(id, key, "Mostly\nBarely"));
        let live = provider::decode(
            &endpoint(id),
            &HttpResponse {
                status: 200,
                body: reply(id, "Mostly\nBarely").to_string(),
                retry_after: None,
            },
            0,
        );
        assert_eq!((&attempt.outcome, attempt.usage), (&live.outcome, live.usage));
        assert_eq!(attempt.model_answered, live.model);
        assert!(
            attempt.is_batch() && attempt.sent.contains(&format!("batch={kind}")),
            "{attempt:?}"
        );
        let says_when = !["anthropic", "gemini"].contains(&kind);
        let at = if says_when { 1_790_000_000_000.0 } else { NOW };
        assert!((attempt.at - at).abs() < 1.0, "{}", attempt.at);
    }
}

#[test]
fn errors_keep_their_kinds() {
    let openai = |status: u16, body: Value| move |key: Digest| json!({ "custom_id": key, "error": null, "response": { "status_code": status, "body": body } });
    let anthropic = |name: &'static str| {
        move |key: Digest| {
            json!({ "custom_id": key, "result": { "type": "errored", "error": { "type": "error",
                "error": { "type": name, "message": "words" } } } })
        }
    };
    let gemini = |name: &'static str, code: u64| move |key: Digest| json!({ "key": key, name: { "code": code, "message": "words" } });
    let refused = json!({ "error": { "message": "no", "type": "invalid_request_error" } });
    let kinds = [
        (reads(ProviderId::OpenAi, openai(400, refused)), ErrorKind::BadRequest),
        (reads(ProviderId::OpenAi, openai(429, json!("slow down"))), ErrorKind::RateLimited),
        (reads(ProviderId::OpenAi, openai(200, json!("<html>"))), ErrorKind::Malformed),
        (
            reads(
                ProviderId::OpenAi,
                |key| json!({ "custom_id": key, "response": null, "error": { "code": "odd", "message": "m" } }),
            ),
            ErrorKind::ServerError,
        ),
        (reads(ProviderId::Anthropic, anthropic("invalid_request_error")), ErrorKind::BadRequest),
        (reads(ProviderId::Anthropic, anthropic("overloaded_error")), ErrorKind::Overloaded),
        (reads(ProviderId::Anthropic, anthropic("api_error")), ErrorKind::ServerError),
        (
            reads(
                ProviderId::Anthropic,
                |key| json!({ "custom_id": key, "result": { "type": "canceled" } }),
            ),
            ErrorKind::BatchEnded,
        ),
        (reads(ProviderId::Gemini, gemini("error", 3)), ErrorKind::BadRequest),
        (reads(ProviderId::Gemini, gemini("status", 8)), ErrorKind::RateLimited),
        (reads(ProviderId::Gemini, gemini("error", 13)), ErrorKind::ServerError),
    ];
    for (attempt, kind) in kinds {
        assert_eq!(attempt.failure(), Some(kind), "{attempt:?}");
    }
    for id in ALL {
        let attempt = reads(id, |key| ended(id, key));
        assert_eq!(attempt.failure(), Some(ErrorKind::BatchEnded));
        assert!(attempt.usage.is_unknown() && attempt.is_batch());
    }
}

#[test]
fn what_gemini_says_of_a_batch_in_one_body_is_read_as_well() {
    let id = ProviderId::Gemini;
    let (book, run) = book(id, &[2]);
    let [one, two] = keys(&book.records[&run])[..] else { panic!("two requests") };
    let inlined = json!([
        { "metadata": { "key": two }, "response": reply(id, "Mostly\nBarely") },
        { "metadata": { "key": one }, "error": { "code": 14, "message": "busy" } },
        { "response": reply(id, "whose is this?") },
    ]);
    for operation in [
        json!({ "done": true, "response": { "inlinedResponses": { "inlinedResponses": inlined } } }),
        json!({ "metadata": { "output": { "inlinedResponses": { "inlinedResponses": inlined } } } }),
        inlined.clone(),
    ] {
        let mut ledger = Ledger::default();
        let text = serde_json::to_string_pretty(&operation).unwrap();
        let counts = admit(&book, &mut ledger, &text);
        assert_eq!((counts.replies, counts.errors, counts.odd), (1, 1, 1), "{operation}");
        assert!(ledger.attempts(two)[0].is_reply());
    }
}

#[test]
fn what_cannot_be_used_is_told_by_line_and_the_rest_is_read() {
    let id = ProviderId::OpenAi;
    let (book, run) = book(id, &[2]);
    let key = keys(&book.records[&run])[0];
    let other = Digest::of_texts(["another run"]);
    let good = replied(id, key, "Mostly\nBarely");
    let text = format!(
        "\u{feff}{good}\n\n{{\"cut\": \n{}\n{{}}\n{}\n[1]\n{}\n{good}\n",
        replied(id, other, "x"),
        json!({ "custom_id": "request-1", "response": {} }),
        json!({ "custom_id": key, "response": null, "error": null }),
    );
    let ledger = Ledger::default();
    let read = book.admit_batch(&ledger, ("out.jsonl", text.as_bytes()), NOW, |_| true);
    let counts =
        BatchCounts { replies: 1, unknown: 1, odd: 5, repeated: 1, ..BatchCounts::default() };
    assert_eq!(read.counts, counts);
    let places: Vec<String> = read.problems.list().iter().map(|it| it.place.to_string()).collect();
    assert_eq!(places, ["line 3", "line 4", "line 5", "line 6", "line 7", "line 8"]);
    assert_eq!(read.runs.iter().collect::<Vec<_>>(), [&run]);
    assert_eq!(
        read.note("out.jsonl"),
        "out.jsonl: 1 reply read, 1 result that was here already, 1 result of no run here, 5 lines that are no results."
    );
    let busy = book.admit_batch(&ledger, ("out.jsonl", text.as_bytes()), NOW, |_| false);
    assert!(busy.replies.is_empty() && busy.counts.busy == 3, "{:?}", busy.counts);
    let page = book.admit_batch(&ledger, ("x.html", b"<!doctype html>"), NOW, |_| true);
    assert!(page.replies.is_empty() && page.problems.total() == 1);
}

#[test]
fn a_file_that_is_read_twice_adds_nothing() {
    for id in ALL {
        let (book, run) = book(id, &[2, 1]);
        let all = keys(&book.records[&run]);
        let mut lines: Vec<Value> = vec![replied(id, all[0], "Mostly\nBarely"), ended(id, all[1])];
        let mut ledger = Ledger::default();
        admit(&book, &mut ledger, &text(&lines));
        let before = ledger.len();
        // Later, in another order, and through a program that spaces JSON otherwise.
        lines.reverse();
        let spaced = text(&lines).replace("\":", "\": ");
        let read = book.admit_batch(&ledger, ("b", spaced.as_bytes()), NOW + 9e6, |_| true);
        assert!(read.replies.is_empty() && read.counts.repeated == 2, "{:?}", read.counts);
        assert_eq!((before, ledger.len()), (2, 2));
    }
}

/// What [`run_batch.py`](../../docs/examples/run_batch.py) wrote of a small model’s replies.
#[test]
fn results_of_the_example_script_are_read() {
    let (book, run) = book(ProviderId::Custom, &[3, 1]);
    let mut ledger = Ledger::default();
    let text = fs::read_to_string(fixture("compatible-results.jsonl")).unwrap();
    let counts = admit(&book, &mut ledger, &text);
    assert_eq!(counts, BatchCounts { replies: 4, ..BatchCounts::default() });
    let record = &book.records[&run];
    let progress = record.progress(&ledger);
    assert_eq!((progress.calls_done, progress.phase), (4, Phase::Done));
    assert_eq!(progress.tally.scored, 8);
    assert!(100 < progress.tokens_in, "the model’s own token counts are kept");
    assert!(book.batch_plan(&ledger, &run).is_err(), "nothing is left");
    assert_eq!(files(&book, &Ledger::default(), &run, Form::Lines)[0].n, 4);
}

// ------------------------------------------------------------------ one run, two ways

/// Labels of a request, by its key; every fifth says too little the first time.
fn says(request: &Request) -> String {
    let task = items_of(request);
    let seed = usize::from(task.key.as_bytes()[0]);
    let labels: Vec<u8> = (0..task.len as usize).map(|it| ((seed + it) % 5) as u8).collect();
    let is_short = seed.is_multiple_of(5) && request.again == 0;
    if is_short {
        "too little\nto\nread\nin\nany\nway\nat\nall\nhere".to_owned()
    } else {
        lines(&labels)
    }
}

fn live(record: &Record, ledger: Ledger) -> (Ledger, usize) {
    let world = Scripted::new(record, |_, request| Say::Text(says(request)));
    let ledger = RefCell::new(ledger);
    let tasks = record.all_tasks();
    block_on(drive(&record.job(&tasks), &ledger, &world, &Control::new(4), |_| {})).unwrap();
    (ledger.into_inner(), world.performed.get())
}

#[test]
fn a_run_may_begin_in_a_batch_and_finish_live() {
    for id in ALL {
        let (mut book, run) = book(id, &[9, 3, 2, 1, 8, 4]);
        let record = book.records.get_mut(&run).unwrap();
        record.settings.repeats = Some(Repeats { sample: 2, times: 2 });
        let record = record.clone();
        let (alone, performed) = live(&record, Ledger::default());

        let mut ledger = Ledger::default();
        let mut lines = Vec::new();
        let asked: Vec<Digest> =
            book.batch_plan(&ledger, &run).unwrap().requests().map(|it| it.0).collect();
        for task in record.all_tasks() {
            let key = task.key();
            assert!(asked.contains(&key));
            let request = Request { task, again: 0, with: viva::judge::Again::Plain };
            match key.as_bytes()[1] % 4 {
                0 => lines.push(ended(id, key)),
                // Neither is there anything of these.
                1 => {}
                _ => lines.push(replied(id, key, &says(&request))),
            }
        }
        // In another order than they were asked in, and in two files.
        lines.sort_by_key(|it| Digest::of_texts([it.to_string().as_str()]));
        let (first, second) = lines.split_at(lines.len() / 2);
        for part in [second, first] {
            admit(&book, &mut ledger, &text(part));
        }
        let between = record.progress(&ledger);
        assert_eq!(between.phase, Phase::Stopped);
        assert!(0 < between.calls_done && between.calls_done < between.calls);
        let replies = lines.iter().filter(|it| it.to_string().contains("usage")).count();
        let (ledger, rest) = live(&record, ledger);
        assert_eq!(rest + replies, performed, "nothing is asked twice");
        for reading in Reading::ALL {
            let sheet = |ledger: &Ledger| record.sheet(ledger, reading);
            assert_eq!(sheet(&ledger), sheet(&alone));
            assert_eq!(record.repeated(&ledger, reading), record.repeated(&alone, reading));
            let table = |ledger: &Ledger| coverage(&sheet(ledger), &View::default());
            assert_eq!(table(&ledger), table(&alone));
        }
        assert_eq!(record.progress(&ledger).tally, record.progress(&alone).tally);
    }
}

#[test]
fn a_batch_asks_only_plain_first_tries() {
    let id = ProviderId::OpenAi;
    let (mut book, run) = book(id, &[2, 2]);
    let all = keys(&book.records[&run]);
    let mut ledger = Ledger::default();
    let text =
        [replied(id, all[0], "Mostly\nBarely"), replied(id, all[1], "what?"), ended(id, all[2])]
            .map(|it| format!("{it}\n"))
            .concat();
    admit(&book, &mut ledger, &text);
    let plan = book.batch_plan(&ledger, &run).unwrap();
    let left: Vec<Digest> = plan.requests().map(|it| it.0).collect();
    assert_eq!(left, all[2..], "what a batch did not come to may be asked in the next one");
    assert_eq!((plan.live_only, plan.without_text, plan.beyond_cap), (1, 0, 0));
    assert!(
        plan.notes().iter().any(|it| it.contains("1 request is left out")),
        "{:?}",
        plan.notes()
    );

    book.records.get_mut(&run).unwrap().settings.call_cap = Some(4);
    let plan = book.batch_plan(&ledger, &run).unwrap();
    assert_eq!((plan.len(), plan.beyond_cap), (1, 1));
    book.texts.get_mut(&run).unwrap().answers[0][1] = None;
    let plan = book.batch_plan(&ledger, &run).unwrap();
    assert_eq!((plan.len(), plan.without_text), (1, 1));
    book.texts.remove(&run);
    assert!(book.batch_plan(&ledger, &run).is_err(), "there is nothing to ask with");
    let practice = record(JudgeSpec::Practice, frame(&[1], &["a"]));
    let id = practice.id.clone();
    book.records.insert(id.clone(), practice);
    assert!(book.batch_plan(&ledger, &id).is_err(), "there is nobody to ask");
}

#[test]
fn batches_that_end_early_use_up_no_try() {
    let id = ProviderId::OpenAi;
    let (book, run) = book(id, &[2]);
    let record = &book.records[&run];
    let all = keys(record);
    let mut ledger = Ledger::default();
    for nth in 0..9 {
        let mut line = ended(id, all[0]);
        line["id"] = json!(format!("batch_req_{nth}"));
        admit(&book, &mut ledger, &text(&[line]));
    }
    assert_eq!(ledger.attempts(all[0]).len(), 9);
    let plan = book.batch_plan(&ledger, &run).unwrap();
    assert_eq!(plan.len(), 2);
    let (ledger, performed) = live(record, ledger);
    let progress = record.progress(&ledger);
    assert_eq!((progress.phase, progress.tally.scored), (Phase::Done, 4));
    assert!(2 <= performed);
}

#[test]
fn a_batch_is_never_charged_by_live_prices() {
    let id = ProviderId::Anthropic;
    let (mut book, run) = book(id, &[2]);
    let all = keys(&book.records[&run]);
    let mut ledger = Ledger::default();
    let text = format!("{}\n{}\n", replied(id, all[0], "Mostly\nBarely"), ended(id, all[1]));
    admit(&book, &mut ledger, &text);
    let prices =
        |input| Prices { input, output: 0.0, source: PriceSource::User, as_of: String::new() };
    let mut money = |live: Option<f64>, batch: Option<f64>| {
        let record = book.records.get_mut(&run).unwrap();
        record.settings.prices = live.map(prices);
        record.settings.batch_prices = batch.map(prices);
        let dollars: Option<f64> =
            viva::run::spend::spent(record, &ledger).iter().map(|it| it.dollars).sum();
        (record.progress(&ledger).money, dollars)
    };
    assert_eq!(money(None, None), (None, None));
    let (live_only, dollars) = money(Some(10_000.0), None);
    assert_eq!(live_only.map(|it| (it.spent, it.uncounted)), Some((0.0, 1)));
    assert_eq!(dollars, None, "what is not known is not zero");
    let (both, dollars) = money(Some(10_000.0), Some(5_000.0));
    assert_eq!(both.map(|it| (it.spent, it.uncounted)), Some((0.5, 0)));
    assert_eq!(dollars, Some(0.5));
    assert_eq!(money(None, Some(5_000.0)).1, Some(0.5));
}

// ------------------------------------------------------------------ submitting

fn shown(request: &HttpRequest) -> String {
    let headers: Vec<String> = request
        .headers_with(Some("KEY"))
        .into_iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let method = if request.method == Method::Post { "POST" } else { "GET" };
    format!("{method} {} [{}]", request.url, headers.join(", "))
}

fn ok(body: &Value) -> HttpResponse {
    HttpResponse { status: 200, body: body.to_string(), retry_after: None }
}

#[test]
fn exactly_these_steps_submit_and_watch_a_batch() {
    let file = BatchFile { name: "a \"b\".jsonl".to_owned(), text: "{}\n".to_owned(), n: 1 };
    let openai = endpoint(ProviderId::OpenAi);
    let upload = batch::submit(&openai, &file);
    assert_eq!(
        shown(&upload),
        "POST https://api.openai.com/v1/files [Content-Type: multipart/form-data; boundary=viva-batch-5f1d0c7a9e3b4826, Authorization: Bearer KEY]"
    );
    assert_eq!(
        upload.body,
        "--viva-batch-5f1d0c7a9e3b4826\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
         --viva-batch-5f1d0c7a9e3b4826\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a--b-.jsonl\"\r\n\
         Content-Type: application/jsonl\r\n\r\n{}\n\r\n--viva-batch-5f1d0c7a9e3b4826--\r\n"
    );
    let start = batch::start(&openai, "file-1").unwrap();
    assert_eq!(
        shown(&start),
        "POST https://api.openai.com/v1/batches [Content-Type: application/json, Authorization: Bearer KEY]"
    );
    assert_eq!(
        start.body,
        r#"{"completion_window":"24h","endpoint":"/v1/chat/completions","input_file_id":"file-1"}"#
    );
    let responses = batch::start(&endpoint(ProviderId::OpenAiResponses), "f").unwrap();
    assert!(responses.body.contains(r#""endpoint":"/v1/responses""#));
    assert_eq!(
        shown(&batch::poll(&openai, "batch/1")),
        "GET https://api.openai.com/v1/batches/batch%2F1 [Authorization: Bearer KEY]"
    );

    let headers = "anthropic-version: 2023-06-01, anthropic-dangerous-direct-browser-access: true, x-api-key: KEY";
    let anthropic = endpoint(ProviderId::Anthropic);
    assert_eq!(
        shown(&batch::submit(&anthropic, &file)),
        format!(
            "POST https://api.anthropic.com/v1/messages/batches [Content-Type: application/json, {headers}]"
        )
    );
    assert_eq!(batch::start(&anthropic, "msgbatch_1"), None);
    assert_eq!(
        shown(&batch::poll(&anthropic, "msgbatch_1")),
        format!("GET https://api.anthropic.com/v1/messages/batches/msgbatch_1 [{headers}]")
    );

    let gemini = endpoint(ProviderId::Gemini);
    let base = "https://generativelanguage.googleapis.com/v1beta";
    assert_eq!(
        shown(&batch::submit(&gemini, &file)),
        format!(
            "POST {base}/models/gemini-2.5-flash:batchGenerateContent [Content-Type: application/json, x-goog-api-key: KEY]"
        )
    );
    assert_eq!(
        shown(&batch::poll(&gemini, "batches/1")),
        format!("GET {base}/batches/1 [x-goog-api-key: KEY]")
    );
}

#[test]
fn a_batch_is_known_by_what_its_provider_says() {
    let (openai, anthropic) = (endpoint(ProviderId::OpenAi), endpoint(ProviderId::Anthropic));
    let created = |kind, body: Value| batch::created(kind, &ok(&body));
    assert_eq!(created(BatchKind::OpenAi, json!({ "id": "f" })).unwrap(), "f");
    assert_eq!(created(BatchKind::Gemini, json!({ "name": "batches/1" })).unwrap(), "batches/1");
    assert_eq!(created(BatchKind::Anthropic, json!({})), Err(StepError::Unexpected));
    let body = r#"{"error":{"message":"no key sk-abcdefghijklmnopqrstuvwxyz123456"}}"#.to_owned();
    let refused = HttpResponse { status: 401, body, retry_after: None };
    let error = batch::created(BatchKind::OpenAi, &refused).unwrap_err().to_string();
    assert!(error.contains("401") && !error.contains("abcdefghijkl"), "{error}");

    let status = |kind, body: Value| batch::status(kind, &ok(&body)).unwrap();
    let found = status(
        BatchKind::OpenAi,
        json!({ "status": "expired", "output_file_id": "o", "error_file_id": "e",
                "request_counts": { "completed": 2, "failed": 1, "total": 5 } }),
    );
    assert_eq!((found.state, found.done), (BatchState::Ended, Some((3, 5))));
    let fetch: Vec<String> = batch::results(&openai, &found).iter().map(shown).collect();
    assert_eq!(
        fetch,
        ["o", "e"].map(|it| format!(
            "GET https://api.openai.com/v1/files/{it}/content [Authorization: Bearer KEY]"
        ))
    );
    for (word, state) in [
        ("validating", BatchState::Waiting),
        ("cancelling", BatchState::Waiting),
        ("completed", BatchState::Ended),
        ("failed", BatchState::Failed),
    ] {
        assert_eq!(status(BatchKind::OpenAi, json!({ "status": word })).state, state);
    }

    let ended = |url: &str| {
        json!({ "processing_status": "ended", "results_url": url, "request_counts":
            { "processing": 0, "succeeded": 3, "errored": 1, "canceled": 0, "expired": 1 } })
    };
    let own = "https://api.anthropic.com/v1/messages/batches/1/results";
    let found = status(BatchKind::Anthropic, ended(own));
    assert_eq!((found.state, found.done), (BatchState::Ended, Some((5, 5))));
    assert_eq!(batch::results(&anthropic, &found)[0].url, own);
    let elsewhere = status(BatchKind::Anthropic, ended("https://evil.example/results"));
    assert!(batch::results(&anthropic, &elsewhere).is_empty(), "a key goes to its own host only");

    let found = status(
        BatchKind::Gemini,
        json!({ "name": "batches/1", "metadata": { "state": "BATCH_STATE_RUNNING",
            "batchStats": { "requestCount": "4", "successfulRequestCount": "1" } } }),
    );
    assert_eq!((found.state, found.done), (BatchState::Waiting, Some((1, 4))));
    let word = |word: &str| status(BatchKind::Gemini, json!({ "state": word })).state;
    assert_eq!(word("JOB_STATE_SUCCEEDED"), BatchState::Ended);
    assert_eq!(word("JOB_STATE_EXPIRED"), BatchState::Failed);

    assert_eq!(FromPage::of(&anthropic), FromPage::Refused);
    assert_eq!(FromPage::of(&endpoint(ProviderId::Custom)), FromPage::No);
}

// ------------------------------------------------------------------ anything at all

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        prop::sample::select(vec!["succeeded", "errored", "expired", "batch_expired"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = prop::sample::select(vec![
            "response",
            "error",
            "result",
            "type",
            "message",
            "body",
            "status_code",
            "code",
            "status",
            "created",
            "usage",
            "choices",
            "content",
            "candidates",
            "output",
            "prompt_tokens",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..5).prop_map(|it| it
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    /// No file stops the reader, and nothing is read that was not asked.
    #[test]
    fn readers_never_panic_and_never_invent_a_key(
        which in 0..4_usize,
        records in prop::collection::vec((any_json(), 0..5_usize), 0..6),
        tail in "\\PC{0,30}",
    ) {
        let id = ALL[which];
        let (book, run) = book(id, &[1, 1]);
        let asked = keys(&book.records[&run]);
        let mut text = String::new();
        for (mut record, key) in records {
            if let Value::Object(fields) = &mut record {
                let key = asked.get(key).map_or("none".to_owned(), Digest::to_string);
                let name = if id == ProviderId::Gemini { "key" } else { "custom_id" };
                fields.insert(name.to_owned(), json!(key));
            }
            text.push_str(&record.to_string());
            text.push('\n');
        }
        text.push_str(&tail);
        let ledger = Ledger::default();
        let read = book.admit_batch(&ledger, ("x", text.as_bytes()), NOW, |_| true);
        for (key, attempt) in &read.replies {
            prop_assert!(asked.contains(key));
            prop_assert!(attempt.is_batch() && attempt.at <= NOW);
            if let Outcome::Failure { kind: ErrorKind::BatchEnded, .. } = &attempt.outcome {
                prop_assert!(attempt.usage.is_unknown());
            }
        }
        book.batch_runs("x", text.as_bytes());
        for kind in [BatchKind::OpenAi, BatchKind::Anthropic, BatchKind::Gemini] {
            let response = HttpResponse { status: 200, body: text.clone(), retry_after: None };
            batch::status(kind, &response).ok();
            batch::created(kind, &response).ok();
        }
    }

    /// Each line of a file is one entry by its number, or says why not; the same entry prints the same
    /// however it is spaced, as lines or as a list; and what is said holds for the endpoint's form.
    #[test]
    fn entries_are_what_stands_there(
        records in prop::collection::vec((any_json(), prop::option::of(0..3_u8)), 0..6),
        blank in prop::collection::vec(any::<bool>(), 6),
        which in 0..4_usize,
    ) {
        let key = |n: u8| Digest::of_texts([["a", "b", "c"][usize::from(n)]]);
        let mut values = Vec::new();
        for (mut record, n) in records {
            if let (Value::Object(fields), Some(n)) = (&mut record, n) {
                fields.insert("custom_id".to_owned(), json!(key(n)));
            }
            values.push((record, n));
        }
        let mut text = String::new();
        let mut numbers = Vec::new();
        for (at, (record, _)) in values.iter().enumerate() {
            if blank[at] {
                text.push_str(" \n");
            }
            numbers.push(text.lines().count() as u64 + 1);
            text.push_str(&record.to_string());
            text.push('\n');
        }
        let read: Vec<_> = batch::entries(&text).collect();
        // One line that is a list by itself is a file of another form.
        prop_assume!(values.len() != 1 || !values[0].0.is_array());
        prop_assert_eq!(read.iter().map(|it| it.0).collect::<Vec<_>>(), numbers);
        let endpoint = endpoint(ALL[which]);
        for ((_, entry), (record, n)) in read.iter().zip(&values) {
            let expected = n.filter(|_| record.is_object()).map(key);
            prop_assert_eq!(entry.as_ref().ok().map(|it| it.key), expected);
            let Ok(entry) = entry else { continue };
            match entry.said(&endpoint, 0) {
                Ok(said) => {
                    let is_reply = matches!(said.decoded.outcome, Outcome::Reply { .. });
                    prop_assert_eq!(is_reply, said.ended == Ended::Replied);
                    prop_assert!(said.at.is_none_or(|it| (1e12..1e14).contains(&it)));
                    let is_unasked = matches!(
                        said.decoded.outcome,
                        Outcome::Failure { kind: ErrorKind::BatchEnded, .. }
                    );
                    prop_assert_eq!(is_unasked, said.ended == Ended::Unasked);
                }
                Err(why) => prop_assert_eq!(why, Oddity::NoResult),
            }
        }
        let list = Value::Array(values.into_iter().map(|it| it.0).collect());
        let pretty = serde_json::to_string_pretty(&list).unwrap();
        let again: Vec<_> = batch::entries(&pretty).map(|it| it.1.map(|it| it.print())).collect();
        let before: Vec<_> = read.into_iter().map(|it| it.1.map(|it| it.print())).collect();
        prop_assert_eq!(again, before);
    }

    /// Ids and addresses come from the host. Whatever they are, no request with a key goes anywhere but
    /// to that host, and none out of the folder of its kind.
    #[test]
    fn steps_stay_with_their_host(
        which in 0..4_usize,
        id in prop_oneof![
            "(batches/)?[a-z0-9./?#@:% \\\\-]{0,16}",
            prop::sample::select(vec!["", ".", "..", "batches/..", "batches/"]).prop_map(str::to_owned),
            "\\PC{0,8}",
        ],
        address in prop_oneof![
            "https://(api.anthropic.com|api.anthropic.com.evil.org|x@api.anthropic.com|evil.org)[/@:?a-z.\\\\]{0,12}",
            "https?://\\PC{0,12}",
        ],
        odd_base: bool,
        word in prop::sample::select(vec!["completed", "ended", "JOB_STATE_SUCCEEDED", "expired", "?"]),
    ) {
        let mut endpoint = endpoint(ALL[which]);
        if odd_base {
            // A key never goes there, nor anything else.
            endpoint.base_url = "https://user:pw@api.anthropic.com/v1".to_owned();
        }
        let home = http::origin(&endpoint.base_url);
        let kind = BatchKind::of(&endpoint);
        let response = |body: &Value| HttpResponse { status: 200, body: body.to_string(), retry_after: None };
        let mut requests = Vec::new();
        match batch::created(kind, &response(&json!({ "id": id, "name": id }))) {
            Ok(made) => {
                prop_assert_eq!(&made, &id);
                requests.push(batch::poll(&endpoint, &made));
                requests.extend(batch::start(&endpoint, &made));
            }
            Err(why) => {
                let name = id.strip_prefix("batches/").unwrap_or(&id);
                prop_assert!(why == StepError::Unexpected && name.trim_matches('.').is_empty(), "{id}");
            }
        }
        let said = json!({
            "status": word, "processing_status": word, "state": word,
            "output_file_id": id, "error_file_id": 7, "results_url": address,
        });
        let status = batch::status(kind, &response(&said)).unwrap();
        prop_assert_eq!(&status.word, word);
        let fetched = batch::results(&endpoint, &status);
        prop_assert!(fetched.len() <= 1 && (kind != BatchKind::Gemini || fetched.is_empty()));
        if kind == BatchKind::Anthropic {
            prop_assert_eq!(fetched.len() == 1, home.is_some() && http::origin(&address) == home);
            prop_assert!(fetched.iter().all(|it| it.url == address));
        } else {
            requests.extend(fetched.iter().cloned());
        }
        for request in &fetched {
            prop_assert_eq!(http::origin(&request.url), home);
        }
        for HttpRequest { url, .. } in &requests {
            prop_assert_eq!(http::origin(url), home);
            let path = url.strip_prefix(&endpoint.base_url).unwrap();
            prop_assert!(!path.contains(['?', '#', '@', '\\', ' ']));
            prop_assert!(path.starts_with('/') && !path.split('/').skip(1).any(|it| ["", ".", ".."].contains(&it)), "{url}");
        }
    }
}

/// A batch of the run that was submitted an hour before [`NOW`].
fn sent(n: u64, stage: BatchStage) -> SentBatch {
    SentBatch::new("a.jsonl", n, NOW - 3_600_000.0, stage)
}

fn stages(book: &Book, run: &str) -> Vec<BatchStage> {
    book.records[run].batches.iter().map(|it| it.stage.clone()).collect()
}

#[test]
fn a_batch_of_which_nothing_was_known_is_settled_by_all_of_its_results_and_by_no_others() {
    let id = ProviderId::Anthropic;
    let (mut book, run) = book(id, &[1, 1]);
    let all = keys(&book.records[&run]);
    let other =
        SentBatch { name: "b.jsonl".to_owned(), ..sent(2, BatchStage::Waiting("b2".to_owned())) };
    book.records.get_mut(&run).unwrap().batches = vec![sent(2, BatchStage::Beginning), other];
    let mut ledger = Ledger::default();
    // As many as were out, of which the other batch may have given two.
    let lines = [replied(id, all[0], "Mostly"), replied(id, all[1], "Mostly")];
    admit(&book, &mut ledger, &text(&lines));
    book.settle(&ledger, &run).unwrap();
    assert_eq!(stages(&book, &run)[0], BatchStage::Beginning);
    // Errors are results as well, and what is still open does not keep the batch open.
    let lines = [replied(id, all[2], "Mostly"), ended(id, all[3])];
    admit(&book, &mut ledger, &text(&lines));
    assert!(book.batch_plan(&ledger, &run).is_ok(), "one request is open");
    book.settle(&ledger, &run).unwrap();
    let waiting = BatchStage::Waiting("b2".to_owned());
    assert_eq!(stages(&book, &run), [BatchStage::Read(String::new()), waiting.clone()]);

    // What came before a batch was submitted is none of its results.
    let late = SentBatch { at: NOW + 1e9, ..sent(1, BatchStage::Beginning) };
    book.records.get_mut(&run).unwrap().batches = vec![late];
    book.settle(&ledger, &run).unwrap();
    assert_eq!(stages(&book, &run), [BatchStage::Beginning]);
    let batch = &mut book.records.get_mut(&run).unwrap().batches[0];
    batch.stage = waiting;
    batch.give_up();
    assert_eq!((batch.stage.clone(), batch.is_out()), (BatchStage::Failed, false));
    assert!(batch.word.contains("b2"), "what comes of it all the same can be fetched");
}

#[test]
fn what_is_out_in_a_batch_of_another_run_is_known_to_be_the_same() {
    let id = ProviderId::OpenAi;
    let (mut book, run) = book(id, &[2, 2]);
    let ledger = Ledger::default();
    let mut other = book.records[&run].clone();
    other.settings.seed += 1;
    other.id = other.own_id();
    assert_ne!(other.id, run);
    let key = other.id.clone();
    book.records.insert(key.clone(), other);
    assert_eq!(book.out_elsewhere(&ledger, &run).ok(), Some(0));
    let batches =
        |book: &mut Book, stage| book.records.get_mut(&key).unwrap().batches = vec![sent(4, stage)];
    batches(&mut book, BatchStage::Waiting("b1".to_owned()));
    assert_eq!(book.out_elsewhere(&ledger, &run).ok(), Some(4));
    assert_eq!(book.out_elsewhere(&ledger, &key).ok(), Some(0), "its own are no other’s");
    batches(&mut book, BatchStage::Read("b1".to_owned()));
    assert_eq!(book.out_elsewhere(&ledger, &run).ok(), Some(0));
}

#[test]
fn what_a_batch_that_is_out_may_cost_is_set_aside() {
    let prices =
        Prices { input: 1.0, output: 4.0, source: PriceSource::User, as_of: String::new() };
    let mut run = record(JudgeSpec::Endpoint(endpoint(ProviderId::OpenAi)), frame(&[2], &["a"]));
    run.settings.prices = Some(prices.clone());
    run.settings.batch_prices = Some(prices);
    let reserved = |run: &Record| run.progress(&Ledger::default()).money.unwrap().reserved;
    let batch =
        |stage| SentBatch { at_most: Some(1.5), ..SentBatch::new("f.jsonl", 3, 0.0, stage) };
    run.batches = vec![batch(BatchStage::Waiting("b".to_owned())), batch(BatchStage::Beginning)];
    assert!((reserved(&run) - 3.0).abs() < 1e-9, "one may be under way without anybody knowing");
    run.batches = vec![batch(BatchStage::Read("b".to_owned())), batch(BatchStage::Failed)];
    assert!(reserved(&run).abs() < 1e-9);
}

#[test]
fn only_a_refusal_says_that_nothing_was_begun() {
    for (status, refused) in
        [(400, true), (401, true), (429, true), (408, false), (502, false), (504, false)]
    {
        assert_eq!(
            StepError::Status { status, words: String::new() }.is_refusal(),
            refused,
            "{status}"
        );
    }
    assert!(!StepError::Unexpected.is_refusal());
}
