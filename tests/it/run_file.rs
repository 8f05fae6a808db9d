//! The run file: what is written is what is read, and what its schema says.

use std::collections::BTreeSet;
use std::fs;
use std::mem::discriminant;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use viva::ids::Digest;
use viva::judge::http::HttpResponse;
use viva::judge::practice::{self, Seat};
use viva::judge::{
    ApiKey, Attempt, Bias, Duel, DuelPrompt, Effort, Endpoint, ErrorKind, Finish, JudgeSpec,
    Outcome, OutputFormat, ProviderId, Usage, provider,
};
use viva::ledger::Ledger;
use viva::protocol::Reading;
use viva::rubric::{ItemType, Label};
use viva::run::batches::{BatchStage, SentBatch};
use viva::run::file::{RunFile, RunFileError, Tables, read, write};
use viva::run::frame::CaseText;
use viva::run::merge::merge;
use viva::run::money::{PriceSource, Prices};
use viva::run::record::{Extension, Preference, Record, Size};
use viva::run::repeats::Repeats;
use viva::run::{AnswerState, Frame, Texts, matchups, spend};
use viva::worker::runs::Book;

use crate::world::{attempt, endpoint, frame, record};

const BASE: &str = "https://api.example.org/v1";

/// With everything that can be set.
fn all_set() -> JudgeSpec {
    let JudgeSpec::Endpoint(endpoint) = endpoint(OutputFormat::Lines) else { unreachable!() };
    JudgeSpec::Endpoint(Endpoint {
        provider: ProviderId::Anthropic,
        capabilities: Some(provider::profile(ProviderId::Anthropic).can),
        max_tokens: Some(300),
        seed: Some(7),
        effort: Some(Effort::Low),
        ..endpoint
    })
}

/// Twelve questions of all sizes, three systems of very different length, with gaps.
fn mixed() -> Frame {
    let mut frame =
        frame(&[1, 9, 3, 2, 4, 8, 3, 5, 2, 7, 3, 6], &["α \"quoted\"", "b", "</script>"]);
    for (at, item) in frame.cases.iter_mut().flat_map(|it| &mut it.items).enumerate() {
        item.types = ItemType::ALL.into_iter().skip(at % 7).take(at % 3).collect();
        item.weight = [1.0, 0.1, 3.0][at % 3];
    }
    for (system, it) in frame.systems.iter_mut().enumerate() {
        for (case, answer) in it.answers.iter_mut().enumerate() {
            match (answer, (case + system) % 6) {
                (answer, 4) if system == 1 => *answer = AnswerState::Missing,
                (answer, 5) if system == 2 => *answer = AnswerState::Empty,
                (AnswerState::Answered { words, .. }, _) => *words = [700, 100, 97][system],
                _ => {}
            }
        }
    }
    frame
}

/// Replies of every kind, so that every branch of the file is written.
fn said(record: &Record) -> Ledger {
    let mut ledger = Ledger::default();
    for (at, task) in record.tasks().into_iter().enumerate() {
        let labels: Vec<&str> =
            (0..task.len as usize).map(|it| Label::ALL[(it * 3 + at) % 5].as_str()).collect();
        let whole = labels.join("\n");
        let odd = whole.replace("Mostly", "Somewhat");
        let reply = |text: &str, finish| Outcome::Reply {
            text: text.to_owned(),
            finish,
            evidence: Vec::new(),
        };
        let failure = |kind, status| Outcome::Failure {
            body: "{}".to_owned(),
            kind,
            status,
            detail: "“words” \\ \u{0} 𝛼".to_owned(),
        };
        let outcomes = match at % 12 {
            0 => vec![reply(&whole, Finish::Length)],
            1 => vec![failure(ErrorKind::Timeout, None), reply(&whole, Finish::Stop)],
            2 => vec![failure(ErrorKind::BadRequest, Some(400))],
            3 => vec![reply("", Finish::Refused("no".to_owned()))],
            4 => vec![reply(&odd, Finish::Other("eos?".to_owned()))],
            5 => continue,
            _ => vec![Outcome::Reply {
                text: whole.clone(),
                finish: Finish::Stop,
                evidence: vec![Some((3, 9)), None],
            }],
        };
        for outcome in outcomes {
            let mut it = attempt(&record.id, 0, at as f64 + 0.1, outcome);
            it.model_answered = at.is_multiple_of(2).then(|| "m-2026".to_owned());
            it.sent = vec!["temperature=0.1".to_owned()];
            it.dropped = vec!["max_tokens: not set".to_owned()];
            it.usage =
                Usage { input: Some(612), output: Some(9), cached: Some(5), reasoning: Some(1) };
            ledger.record(task.key, it);
        }
    }
    ledger
}

fn texts(frame: &Frame) -> Texts {
    let case = |n: usize| CaseText {
        query: "Why?".to_owned(),
        date: n.is_multiple_of(2).then(|| "2024-01-01".to_owned()),
        items: vec!["<b>it</b>".to_owned(); n],
    };
    let answer = |it: &AnswerState| it.is_answered().then(|| "Because 𝛼.".to_owned());
    Texts {
        cases: frame.cases.iter().map(|it| case(it.items.len())).collect(),
        answers: frame.systems.iter().map(|it| it.answers.iter().map(answer).collect()).collect(),
    }
}

fn text(record: &Record, ledger: &Ledger, texts: Option<&Texts>) -> String {
    write(record, ledger, texts).concat()
}

fn labelled(person: &str, label: Label) -> (Record, Ledger) {
    let record = record(JudgeSpec::ByHand { person: person.to_owned() }, mixed());
    let mut ledger = Ledger::default();
    for task in record.tasks().into_iter().step_by(2) {
        let text = label.as_str().to_owned();
        let reply = Outcome::Reply { text, finish: Finish::Stop, evidence: Vec::new() };
        ledger.record(task.key, attempt(&record.id, 0, 5.0, reply));
    }
    (record, ledger)
}

/// One run a judge, all that a file can hold between them.
fn files() -> Vec<String> {
    let mut files = Vec::new();
    for judge in [
        endpoint(OutputFormat::Lines),
        endpoint(OutputFormat::JsonSchema),
        all_set(),
        JudgeSpec::Practice,
        JudgeSpec::Imported {
            judge: "unknown".to_owned(),
            prompt: "unknown".to_owned(),
            date: "unknown".to_owned(),
        },
    ] {
        let record = record(judge, mixed());
        let ledger = said(&record);
        files.push(text(&record, &ledger, None));
        files.push(text(&record, &ledger, Some(&texts(&record.frame))));
    }
    let mut battles = record(JudgeSpec::Practice, mixed());
    battles.settings.preference = Some(Preference {
        duel: Duel {
            prompt: DuelPrompt::viva(),
            allow_tie: true,
            bias: Bias { family: Some("b".to_owned()), ..Bias::default() },
        },
        per_pair: 3,
        no_answer_loses: true,
    });
    let matching = battles.settings.matching().unwrap();
    battles.battles = matchups::plan(&battles.frame, matching, &[]).battles;
    battles.id = Record::id_of(&battles.settings, battles.frame.dataset.digest);
    let mut ledger = said(&battles);
    for task in battles.duels() {
        let (_, text) =
            practice::prefer("q", [Seat { system: "b", answer: "x" }; 2], &Bias::default());
        let reply = Outcome::Reply { text, finish: Finish::Stop, evidence: Vec::new() };
        ledger.record(task.key, attempt(&battles.id, 0, 5.0, reply));
    }
    files.push(text(&battles, &ledger, None));
    let mut priced = record(endpoint(OutputFormat::Lines), mixed());
    priced.settings.budget = Some(2.5);
    priced.settings.prices = Some(Prices {
        input: 0.4,
        output: 1.6,
        source: PriceSource::User,
        as_of: "2026-11-30".to_owned(),
    });
    priced.settings.batch_prices = priced.settings.prices.clone();
    files.push(text(&priced, &said(&priced), None));
    let mut bridge = record(endpoint(OutputFormat::Lines), mixed());
    bridge.settings.repeats = Some(Repeats { sample: 2, times: 3 });
    bridge.bridge = Some(priced.id.clone());
    bridge.id = bridge.own_id();
    let before = Size { queries: 1, systems: 1, battles: 0 };
    let batch = |stage| SentBatch::new("viva-1-openai-1.jsonl", 2, 7.0, stage);
    bridge.batches = vec![
        batch(BatchStage::Uploading),
        batch(BatchStage::Beginning),
        batch(BatchStage::Failed),
        batch(BatchStage::Read("batch_1".to_owned())),
        SentBatch {
            done: Some((1, 2)),
            at_most: Some(0.5),
            ..batch(BatchStage::Waiting("batch_2".to_owned()))
        },
    ];
    bridge.extensions.push(Extension { at: 5.0, before, after: bridge.size() });
    files.push(text(&bridge, &said(&bridge), None));
    let (ada, bo) = (labelled("Ada", Label::Mostly), labelled("Bo", Label::Barely));
    files.push(text(&ada.0, &ada.1, None));
    let (merged, replies) = merge(&[(&ada.0, &ada.1), (&bo.0, &bo.1)], 9.0).unwrap();
    assert!(!merged.conflicts.is_empty());
    files.push(text(&merged, &ledger_of(replies), None));
    files.push(text(&record(JudgeSpec::Practice, frame(&[], &[])), &Ledger::default(), None));
    files
}

fn ledger_of(replies: Vec<(Digest, Attempt)>) -> Ledger {
    let mut ledger = Ledger::default();
    for (key, attempt) in replies {
        ledger.admit(key, attempt);
    }
    ledger
}

#[test]
fn a_run_comes_back_as_it_went() {
    let record = record(endpoint(OutputFormat::Lines), mixed());
    let (ledger, texts) = (said(&record), texts(&record.frame));
    let back = read(text(&record, &ledger, Some(&texts)).as_bytes()).unwrap();
    assert_eq!((&back.record, back.texts.as_ref()), (&record, Some(&texts)));
    assert_eq!(back.replies.len(), ledger.len());
    let again = ledger_of(back.replies);
    for task in record.tasks() {
        assert_eq!(again.attempts(task.key), ledger.attempts(task.key));
    }
    assert_eq!(read(text(&record, &ledger, None).as_bytes()).unwrap().texts, None);
}

#[test]
fn tables_are_recomputed_to_the_last_digit() {
    for file in files() {
        let file_value: Value = serde_json::from_str(&file).unwrap();
        let back = read(file.as_bytes()).unwrap();
        let (ledger, tables) = (ledger_of(back.replies), file_value["tables"].as_array().unwrap());
        assert!(!tables.is_empty());
        for table in tables {
            let reading: Reading = serde_json::from_value(table["reading"].clone()).unwrap();
            let again = Tables::of(&back.record, &ledger, reading);
            assert_eq!(&serde_json::to_value(&again).unwrap(), table);
            assert!(back.tables.contains(&again));
        }
    }
}

#[test]
fn a_file_holds_what_the_schema_says_and_nothing_else() {
    let schema: Value = serde_json::from_str(
        &fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("public/schema/run-file.schema.json"),
        )
        .unwrap(),
    )
    .unwrap();
    let mut seen = BTreeSet::new();
    for file in files() {
        let value: Value = serde_json::from_str(&file).unwrap();
        check(&schema, &schema, &value, "", &mut seen).unwrap();
        for (pointer, wrong) in [
            ("/record/settings/api_key", json!("x")),
            ("/record/phase", json!("finished")),
            ("/record/created", json!("now")),
            ("/version", json!(3)),
            ("/tables/0/coverage/n_queries", json!(1.5)),
        ] {
            let mut hurt = value.clone();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            hurt.pointer_mut(parent).unwrap()[name] = wrong;
            assert!(check(&schema, &schema, &hurt, "", &mut seen).is_err(), "{pointer}");
        }
    }
    let unseen: Vec<String> = named(&schema).difference(&seen).cloned().collect();
    assert!(unseen.is_empty(), "in the schema and in no file: {unseen:?}");
}

/// Names of all properties in a schema.
fn named(schema: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                if let ("properties", Value::Object(properties)) = (key.as_str(), value) {
                    names.extend(properties.keys().cloned());
                }
                names.extend(named(value));
            }
        }
        Value::Array(list) => names.extend(list.iter().flat_map(named)),
        _ => {}
    }
    names
}

/// The part of JSON Schema that ours uses. Collects the names of the properties met.
fn check(
    root: &Value,
    schema: &Value,
    value: &Value,
    at: &str,
    seen: &mut BTreeSet<String>,
) -> Result<(), String> {
    let rules = schema.as_object().ok_or("a schema is an object")?;
    for (rule, with) in rules {
        let holds = match rule.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "pattern" | "properties" => {
                true
            }
            "$ref" => {
                let pointer = with.as_str().and_then(|it| it.strip_prefix('#')).unwrap_or("?");
                let target = root.pointer(pointer).ok_or(format!("no {pointer}"))?;
                check(root, target, value, at, seen)?;
                true
            }
            "type" => match with {
                Value::Array(several) => several.iter().any(|it| is_a(it, value)),
                one => is_a(one, value),
            },
            "const" => value == with,
            "enum" => with.as_array().is_some_and(|it| it.contains(value)),
            "oneOf" | "anyOf" => {
                let all = with.as_array().ok_or("a list of schemas")?;
                let fit = all.iter().filter(|it| check(root, it, value, at, seen).is_ok()).count();
                if rule == "oneOf" { fit == 1 } else { 0 < fit }
            }
            "required" => with.as_array().is_some_and(|it| {
                let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
                !value.is_object() || it.iter().all(has)
            }),
            "minimum" => value.as_f64().is_none_or(|it| with.as_f64().unwrap() <= it),
            "exclusiveMinimum" => value.as_f64().is_none_or(|it| with.as_f64().unwrap() < it),
            "minItems" => {
                value.as_array().is_none_or(|it| with.as_u64().unwrap() <= it.len() as u64)
            }
            "maxItems" => {
                value.as_array().is_none_or(|it| it.len() as u64 <= with.as_u64().unwrap())
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, with, item, &format!("{at}/{index}"), seen)?;
                }
                true
            }
            "additionalProperties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    let known = rules["properties"].get(key);
                    let known = known.ok_or(format!("{at}/{key} is not in the schema"))?;
                    check(root, known, inner, &format!("{at}/{key}"), seen)?;
                    seen.insert(key.clone());
                }
                true
            }
            other => return Err(format!("this check does not know `{other}`")),
        };
        if !holds {
            return Err(format!("{at}: `{rule}` does not hold of {value}"));
        }
    }
    Ok(())
}

fn is_a(name: &Value, value: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

/// `file` with one value replaced.
fn hurt(file: &str, pointer: &str, with: Value) -> RunFileError {
    let mut value: Value = serde_json::from_str(file).unwrap();
    *value.pointer_mut(pointer).expect(pointer) = with;
    read(value.to_string().as_bytes()).expect_err(pointer)
}

#[test]
fn what_is_no_run_file_is_refused_with_the_reason() {
    let record = record(endpoint(OutputFormat::Lines), mixed());
    let file = text(&record, &said(&record), Some(&texts(&record.frame)));
    for (pointer, with) in [
        ("/format", json!("other")),
        ("/record/frame/cases", json!("none")),
        ("/replies/0/key", json!("zz")),
        ("/replies/0/attempts/0/outcome", json!({ "verdict": {} })),
        ("/record/settings/judge", json!("oracle")),
    ] {
        let error = hurt(&file, pointer, with);
        assert!(matches!(error, RunFileError::NotRead(_)), "{pointer}: {error}");
    }
    assert!(matches!(hurt(&file, "/version", json!(3)), RunFileError::Newer(3)));
    // A newer file is told from a broken one even where its shape is another.
    let newer = br#"{"format":"viva-run","version":9,"record":"of another shape"}"#;
    assert!(matches!(read(newer), Err(RunFileError::Newer(9))));
    for (pointer, with) in [
        ("/record/id", json!("00")),
        ("/record/settings/seed", json!(8)),
        ("/record/frame/systems/1/answers", json!([])),
        ("/record/frame/cases/0/items/0/weight", json!(0.0)),
        ("/record/frame/cases/0/items/0/weight", json!(-1)),
        ("/texts/cases", json!([])),
        ("/texts/answers", json!([[], [], []])),
        ("/texts/answers/0", json!(["one"])),
        ("/texts/cases/1/items", json!(["one"])),
    ] {
        let error = hurt(&file, pointer, with);
        assert!(matches!(error, RunFileError::Inconsistent(_)), "{pointer}: {error}");
    }
    // Money that comes back would be a way around a budget.
    let mut out = record;
    let sent = SentBatch::new("a.jsonl", 1, 0.0, BatchStage::Beginning);
    out.batches = vec![SentBatch { at_most: Some(0.5), ..sent }];
    let file = text(&out, &said(&out), None);
    assert!(read(file.as_bytes()).is_ok());
    let error = hurt(&file, "/record/batches/0/at_most", json!(-1000.0));
    assert!(matches!(error, RunFileError::Inconsistent(_)), "{error}");
}

/// Files from before there were providers say nothing of them, and are the same runs.
#[test]
fn files_from_before_providers_are_read() {
    let record = record(endpoint(OutputFormat::Lines), mixed());
    let file = text(&record, &said(&record), None);
    let mut value: Value = serde_json::from_str(&file).unwrap();
    let judge = value.pointer_mut("/record/settings/judge/endpoint").unwrap();
    for name in ["provider", "capabilities", "seed", "effort"] {
        assert!(judge.as_object_mut().unwrap().remove(name).is_some(), "{name}");
    }
    let back = read(value.to_string().as_bytes()).unwrap();
    assert_eq!(back.record.settings.judge, record.settings.judge);
    assert_eq!(back.record.id, record.id);
}

#[test]
fn cut_and_spoiled_files_never_panic() {
    let record = record(endpoint(OutputFormat::Lines), mixed());
    let file = text(&record, &said(&record), Some(&texts(&record.frame))).into_bytes();
    let end = file.iter().rposition(|byte| *byte == b'}').unwrap();
    for cut in (0..=end).step_by(211) {
        assert!(matches!(read(&file[..cut]), Err(RunFileError::NotRead(_))), "cut at {cut}");
    }
    for (at, with) in (0..file.len()).step_by(157).zip(b"0917{}[],:\"eE-. nul\xff".iter().cycle()) {
        let mut spoiled = file.clone();
        spoiled[at] = *with;
        if let Ok(back) = read(&spoiled) {
            let ledger = ledger_of(back.replies);
            for reading in Reading::ALL {
                assert_eq!(Tables::of(&back.record, &ledger, reading).reading, reading);
            }
        }
    }
    assert!(read(&vec![b'['; 100_000]).is_err(), "nesting without end");
}

#[test]
fn a_key_is_in_no_file() {
    for secret in ["sk-proj-abcdefghijklmnop", "0123plain-key-of-no-known-shape"] {
        let key = ApiKey::new(secret, BASE).unwrap();
        let record = record(endpoint(OutputFormat::Lines), mixed());
        let mut ledger = said(&record);
        // As in the worker: a server that echoes the key, and what is kept of its words.
        let body = json!({ "error": { "message": format!("Incorrect API key: {secret}") } });
        let response = HttpResponse { status: 401, body: body.to_string(), retry_after: None };
        let JudgeSpec::Endpoint(asked) = endpoint(OutputFormat::Lines) else { unreachable!() };
        let outcome = provider::decode(&asked, &response, 0).outcome;
        let mut failed = attempt(&record.id, 0, 99.0, outcome);
        failed.blot(&key);
        assert!(
            matches!(&failed.outcome, Outcome::Failure { detail, .. } if detail.contains("[key]"))
        );
        ledger.record(record.tasks()[0].key, failed);
        let text_of = format!("Mostly, says {secret}");
        let outcome = Outcome::Reply { text: text_of, finish: Finish::Stop, evidence: Vec::new() };
        let mut echoed = attempt(&record.id, 0, 100.0, outcome);
        echoed.model_answered = Some(format!("model of {secret}"));
        echoed.blot(&key);
        ledger.record(record.tasks()[0].key, echoed);
        let file = text(&record, &ledger, Some(&texts(&record.frame)));
        assert!(!file.contains(secret) && !file.contains(&secret[8..]));
    }
}

/// A small run with everything that a file can hold, as JSON.
fn small() -> Value {
    let mut record = record(all_set(), frame(&[2, 1], &["a", "b"]));
    record.settings.preference = Some(Preference {
        duel: Duel { prompt: DuelPrompt::viva(), allow_tie: true, bias: Bias::default() },
        per_pair: 2,
        no_answer_loses: true,
    });
    record.settings.budget = Some(2.5);
    let prices = Prices {
        input: 0.4,
        output: 1.6,
        source: PriceSource::User,
        as_of: "2026-11-30".to_owned(),
    };
    record.settings.prices = Some(prices.clone());
    record.settings.batch_prices = Some(prices);
    record.settings.repeats = Some(Repeats { sample: 1, times: 2 });
    let matching = record.settings.matching().unwrap();
    record.battles = matchups::plan(&record.frame, matching, &[]).battles;
    record.id = record.own_id();
    let before = Size { queries: 1, systems: 1, battles: 0 };
    record.extensions.push(Extension { at: 5.0, before, after: record.size() });
    let mut ledger = said(&record);
    for task in record.duels() {
        let text = "**output: {\"judgement\": \"Response 1\"}**\nJustification: it is.".to_owned();
        let reply = Outcome::Reply { text, finish: Finish::Stop, evidence: Vec::new() };
        ledger.record(task.key, attempt(&record.id, 0, 5.0, reply));
    }
    serde_json::from_str(&text(&record, &ledger, Some(&texts(&record.frame)))).unwrap()
}

/// Pointers to all values in a value.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            for (index, it) in list.iter().enumerate() {
                places(it, &format!("{at}/{index}"), all);
            }
        }
        Value::Object(map) => {
            for (name, it) in map {
                places(it, &format!("{at}/{name}"), all);
            }
        }
        _ => {}
    }
    all.push(at.to_owned());
}

#[test]
fn token_counts_beyond_measure_are_added_up() {
    let mut file = small();
    for replies in file["replies"].as_array_mut().unwrap() {
        for attempt in replies["attempts"].as_array_mut().unwrap() {
            attempt["usage"] = json!({ "input": u64::MAX, "output": u64::MAX });
        }
    }
    let back = read(file.to_string().as_bytes()).unwrap();
    let progress = back.record.progress(&ledger_of(back.replies));
    assert_eq!((progress.tokens_in, progress.tokens_out), (u64::MAX, u64::MAX));
}

/// What may stand in the place of a value: too much, too little, or another kind.
fn odd() -> Vec<Value> {
    let numbers = [json!(0), json!(1), json!(-1), json!(u32::MAX), json!(u64::MAX), json!(0.5)];
    let floats = [json!(1e308), json!(-1e308), json!(5e-324), json!(9e15)];
    let others = [json!(null), json!(true), json!(""), json!("Mostly"), json!([]), json!({})];
    numbers.into_iter().chain(floats).chain(others).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is changed in a file: it is refused with a reason, or all that the page computes of it can
    /// be computed, the run is written again, and what is written is what was read.
    #[test]
    fn a_changed_file_is_refused_or_is_a_run(
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8),
            1..4,
        ),
        fits: bool,
    ) {
        let mut file = small();
        for (place, with, how) in changes {
            let mut all = Vec::new();
            places(&file, "", &mut all);
            let at = &all[place.index(all.len())];
            // Another part of the file, or an odd value: mostly of the same kind, which is seldom refused.
            let mut choice = odd();
            if how == 0 {
                choice = all.iter().map(|it| file.pointer(it).unwrap().clone()).collect();
            }
            let place = file.pointer_mut(at).unwrap();
            if how != 1 {
                choice.retain(|it| discriminant(it) == discriminant(place));
            }
            if !choice.is_empty() {
                *place = choice.swap_remove(with.index(choice.len()));
            }
        }
        if fits && let Ok(mut record) = serde_json::from_value::<Record>(file["record"].clone()) {
            record.id = record.own_id();
            file["record"]["id"] = json!(record.id);
        }
        match read(file.to_string().as_bytes()) {
            Err(error) => prop_assert!(error.to_string().ends_with(|c: char| c.is_alphanumeric())),
            Ok(back) => is_a_run(back)?,
        }
    }
}

/// What the page does with a run from a file.
fn is_a_run(back: RunFile) -> Result<(), TestCaseError> {
    let RunFile { record, texts: kept, replies, .. } = back;
    let ledger = ledger_of(replies);
    for reading in Reading::ALL {
        let table = Tables::of(&record, &ledger, reading).coverage;
        prop_assert_eq!(table.n_queries, record.frame.cases.len() as u64);
        record.repeated(&ledger, reading);
    }
    let written = text(&record, &ledger, kept.as_ref());
    let again = read(written.as_bytes()).map_err(|it| TestCaseError::fail(it.to_string()))?;
    prop_assert_eq!(&again.record, &record);
    prop_assert_eq!(&again.texts, &kept);
    let again = ledger_of(again.replies);
    for task in record.all_tasks() {
        prop_assert_eq!(again.attempts(task.key()), ledger.attempts(task.key()));
    }
    let progress = record.progress(&ledger);
    let spent: f64 = spend::spent(&record, &ledger).iter().map(|it| it.attempts).sum();
    prop_assert!((spent - progress.attempts as f64).abs() < 1e-6);
    let (id, n_cases) = (record.id.clone(), record.frame.cases.len());
    let mut book = Book::default();
    book.reopen("x", ledger.len(), record.clone(), kept.clone());
    book.reopen("x", ledger.len(), record, kept);
    for case in 0..n_cases {
        prop_assert!(book.inspect(&ledger, &id, case).is_ok());
    }
    prop_assert!(book.inspect(&ledger, &id, n_cases).is_err());
    book.batch_plan(&ledger, &id).ok();
    Ok(())
}
