//! Every way in which a provider is known to go wrong, 500 calls each, on a virtual clock.

use std::cell::RefCell;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use viva::judge::http::HttpResponse;
use viva::judge::retry::RetryPolicy;
use viva::judge::{Endpoint, ErrorKind, JudgeSpec, OutputFormat, Prompt, ProviderId};
use viva::ledger::{Ledger, Pass};
use viva::observation::Unscored;
use viva::protocol::{Reading, Request, coverage};
use viva::run::Phase;
use viva::run::driver::Halt;
use viva::run::money::{PriceSource, Prices};
use viva::run::record::Record;

use crate::timed::{Heard, JITTER, Said, Timed, bound};
use crate::world::{batch, frame, record};

const CALLS: usize = 500;

/// What becomes of a call's verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Scored,
    Lost(Unscored),
}

const FAILED: Ends = Ends::Lost(Unscored::Failed);
const UNPARSED: Ends = Ends::Lost(Unscored::Unparsed);
const TRUNCATED: Ends = Ends::Lost(Unscored::Truncated);
const REFUSED: Ends = Ends::Lost(Unscored::Refused);

fn judge(format: OutputFormat) -> JudgeSpec {
    JudgeSpec::Endpoint(Endpoint {
        provider: ProviderId::Custom,
        capabilities: None,
        base_url: "https://llm.example.org/v1".to_owned(),
        model: "m".to_owned(),
        temperature: Some(0.0),
        max_tokens: Some(100),
        seed: None,
        effort: None,
        format,
        prompt: Prompt::viva(),
    })
}

fn http(status: u16, body: impl Into<String>) -> Heard {
    Heard::Response(HttpResponse { status, body: body.into(), retry_after: None })
}

fn later(status: u16, seconds: u64) -> Heard {
    let body = "{}".to_owned();
    Heard::Response(HttpResponse { status, body, retry_after: Some(seconds) })
}

fn choice(message: &serde_json::Value, finish: &str) -> Heard {
    let choices = json!([{ "message": message, "finish_reason": finish }]);
    let usage = json!({ "prompt_tokens": 400, "completion_tokens": 9 });
    http(200, json!({ "choices": choices, "usage": usage }).to_string())
}

fn text(text: &str) -> Heard {
    choice(&json!({ "content": text }), "stop")
}

fn good(format: OutputFormat, n_items: usize) -> Heard {
    match format {
        OutputFormat::Lines => text(&vec!["Mostly"; n_items].join("\n")),
        OutputFormat::JsonSchema => {
            let map: serde_json::Map<_, _> =
                (1..=n_items).map(|it| (format!("item_{it}"), json!("Mostly"))).collect();
            text(&serde_json::Value::Object(map).to_string())
        }
    }
}

fn said(heard: Heard, milliseconds: u64) -> Said {
    Said { heard, took: Duration::from_millis(milliseconds), charged: (0, 0) }
}

/// A third of the calls meets `fault` always, a third once, a third never.
///
/// `tries` is how often the policy asks those that always meet it.
#[track_caller]
fn check_as(
    format: OutputFormat,
    fault: impl Fn(usize) -> Heard,
    took: u64,
    ends: Ends,
    tries: u64,
) {
    let mut record = record(judge(format), frame(&[3; CALLS], &["a"]));
    record.settings.concurrency = 8;
    let n_items = |request: &Request| batch(request).len as usize;
    let world = Timed::new(&record, |nth, request| match (batch(request).case % 3, nth) {
        (0, _) | (1, 0) => said(fault(n_items(request)), took),
        _ => said(good(format, n_items(request)), 200),
    });
    let ledger = RefCell::new(Ledger::default());
    let progress = world.drive(&record, &ledger);

    check_waits(&world);
    assert!(world.most_together.get() <= 8);
    assert_eq!(record.progress(&ledger.borrow()).tally, progress.tally, "told again");
    if progress.phase == Phase::Stopped {
        assert!(matches!(progress.halt, Some(Halt::Wall(_))), "{:?}", progress.halt);
        return;
    }
    let share = |rest: usize| (0..CALLS).filter(|it| it % 3 == rest).count() as u64;
    let (always, once, never) = (share(0), share(1), share(2));
    let mends = 1 < tries;
    let lost = if mends { always } else { always + once };
    let attempts = always * tries + once * if mends { 2 } else { 1 } + never;
    assert_eq!(progress.attempts, attempts);
    assert_eq!(progress.tally.asked(), progress.planned);
    let tally = progress.tally;
    match ends {
        Ends::Scored => assert_eq!(tally.scored, progress.planned),
        Ends::Lost(why) => {
            let n = match why {
                Unscored::Unparsed => tally.unparsed,
                Unscored::Truncated => tally.truncated,
                Unscored::Refused => tally.refused,
                Unscored::Failed => tally.failed,
                Unscored::InFlight | Unscored::NotAsked => 0,
            };
            assert_eq!(n, 3 * lost);
            assert_eq!(tally.scored, progress.planned - 3 * lost);
        }
    }
}

#[track_caller]
fn check(fault: impl Fn(usize) -> Heard, ends: Ends, tries: u64) {
    check_as(OutputFormat::Lines, fault, 200, ends, tries);
}

/// Between two exchanges about one thing lies at least the wait of the policy; where nothing slows
/// the host down, exactly that.
#[track_caller]
fn check_waits<F>(world: &Timed<F>) {
    let policy = RetryPolicy::STANDARD;
    for entries in world.log.borrow().values() {
        let mut failures = 0;
        for pair in entries.windows(2) {
            let gap = pair[1].began - pair[0].ended;
            let Some(kind) = pair[0].failure else {
                failures = 0;
                continue;
            };
            failures += 1;
            let wait = policy.wait(kind, failures, JITTER, pair[0].retry_after);
            let wait = wait.as_secs_f64() * 1000.0;
            assert!(wait <= gap + 1.0, "{kind:?}: {gap} ms for {wait} ms");
            assert!(kind.slows() || gap <= wait + 1.0, "{kind:?}: {gap} ms for {wait} ms");
        }
    }
}

#[test]
fn limits_with_a_readable_wait() {
    check(|_| later(429, 7), FAILED, 6);
}

#[test]
fn limits_with_a_wait_in_the_body() {
    check(|_| http(429, r#"{"error":{"details":[{"retryDelay":"3s"}]}}"#), FAILED, 6);
}

#[test]
fn limits_without_a_readable_wait() {
    check(|_| http(429, "{}"), FAILED, 6);
}

#[test]
fn server_errors_and_full_servers() {
    check(|_| http(500, "{}"), FAILED, 4);
    check(|_| http(502, "<html><title>502 Bad Gateway</title></html>"), FAILED, 4);
    check(|_| http(503, "{}"), FAILED, 4);
    check(|_| later(503, 2), FAILED, 4);
    check(|_| http(529, r#"{"error":{"type":"overloaded_error"}}"#), FAILED, 4);
    check(|_| http(200, r#"{"error":{"code":500,"message":"inside"}}"#), FAILED, 4);
    check(|_| http(200, r#"{"error":{"code":429,"message":"slow down"}}"#), FAILED, 6);
}

#[test]
fn walls_and_refused_requests() {
    check(|_| Heard::Nothing(ErrorKind::Unreachable), FAILED, 4);
    check(|_| http(401, "{}"), FAILED, 1);
    check(|_| http(402, "{}"), FAILED, 1);
    check(|_| http(403, r#"{"error":{"message":"your organization"}}"#), FAILED, 1);
    check(|_| http(404, r#"{"error":{"code":"model_not_found"}}"#), FAILED, 1);
    check(|_| http(413, "<html>413</html>"), FAILED, 1);
    check(|_| http(400, r#"{"error":{"message":"no temperature"}}"#), FAILED, 1);
}

#[test]
fn hangs_and_slow_drips() {
    let hang = |_| Heard::Nothing(ErrorKind::Timeout);
    check_as(OutputFormat::Lines, hang, 300_000, FAILED, 4);
    let drip = |n| good(OutputFormat::Lines, n);
    check_as(OutputFormat::Lines, drip, 60_000, Ends::Scored, 1);
}

#[test]
fn bodies_that_are_no_json() {
    check(|_| Heard::Nothing(ErrorKind::Malformed), FAILED, 2);
    check(|_| http(200, r#"{"choices":[{"mess"#), FAILED, 2);
    check(|_| http(200, "<!doctype html><title>Welcome</title>"), FAILED, 2);
    // A server that does not escape what the model wrote.
    let latex = r#"{"choices":[{"message":{"content":"\(\frac{1}{2}\) Mostly"}}]}"#;
    check(|_| http(200, latex), FAILED, 2);
}

#[test]
fn replies_without_text() {
    check(|_| text(""), FAILED, 4);
    check(|_| choice(&json!({ "content": null }), "stop"), FAILED, 4);
    check(|_| http(200, r#"{"choices":[]}"#), FAILED, 4);
    check(|_| choice(&json!({ "content": "Mostly\nBar" }), "length"), TRUNCATED, 2);
    check(|_| choice(&json!({ "content": null, "refusal": "I cannot" }), "stop"), REFUSED, 1);
    check(|_| choice(&json!({ "content": "Mos" }), "content_filter"), REFUSED, 1);
}

#[test]
fn replies_with_other_text() {
    let parts = json!({ "content": [
        { "type": "thinking", "text": "hm" },
        { "type": "text", "text": "Mostly\nBarely\nMostly" },
    ]});
    check(|_| choice(&parts, "stop"), Ends::Scored, 1);
    check(|_| text("Mostly\nBarely"), UNPARSED, 3);
    check(|_| text("Mostly\nBarely\nMostly\nMostly"), UNPARSED, 3);
    let quoting = "Give exactly one of these labels:\nMostly\nBarely\nMostly\nMostly";
    check(|_| text(quoting), UNPARSED, 3);
    // The right count of lines with words that are no label: each item is lost, nothing is asked again.
    check(|_| text("\\(\\text{Mostly}\\)\n\\frac{1}{2}\n\\\\"), UNPARSED, 1);
}

#[test]
fn objects_that_are_not_what_was_asked_for() {
    let as_object = |content: &'static str| {
        check_as(OutputFormat::JsonSchema, move |_| text(content), 200, UNPARSED, 3);
    };
    as_object(r#"{"item_1":"Mostly","item_1":"Barely","item_2":"Mostly"}"#);
    as_object(r#"{"item_1":"Mostly","item_2":"Barely"}"#);
    as_object(r#"{"item_1":"\(Mostly\)","item_2":"Barely","item_3":"Mostly"}"#);
    as_object(r#"{"item_1":"Mostly","item_2":"Bar"#);
}

/// Every call meets the wall: it ends within a few calls and says which.
#[track_caller]
fn check_wall(fault: impl Fn() -> Heard, kind: ErrorKind, at_most: u64) {
    let mut record = record(judge(OutputFormat::Lines), frame(&[1; CALLS], &["a"]));
    record.settings.concurrency = 8;
    let world = Timed::new(&record, |_, _| said(fault(), 200));
    let progress = world.drive(&record, &RefCell::new(Ledger::default()));
    assert_eq!((progress.phase, progress.halt), (Phase::Stopped, Some(Halt::Wall(kind))));
    assert!(progress.attempts <= at_most, "{}", progress.attempts);
}

#[test]
fn walls_stop_the_run_and_a_daily_quota_at_once() {
    let daily = r#"{"error":{"details":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}}"#;
    check_wall(|| http(429, daily), ErrorKind::DailyQuota, 8);
    check_wall(|| http(401, "{}"), ErrorKind::KeyRefused, 13);
    check_wall(|| http(402, "{}"), ErrorKind::NoCredit, 13);
    check_wall(|| Heard::Nothing(ErrorKind::Unreachable), ErrorKind::Unreachable, 4 * 13);
}

fn priced(record: &mut Record, prices: (f64, f64), budget: f64) {
    record.settings.prices = Some(Prices {
        input: prices.0,
        output: prices.1,
        source: PriceSource::User,
        as_of: "2026-11-30".to_owned(),
    });
    record.settings.budget = Some(budget);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Whatever replies, usages and prices do: what the provider charges stays within the budget, as
    /// long as it charges no call for more tokens than were sent and allowed. It may tell its usage or
    /// not, and charge for calls that brought nothing. A reload forgets nothing of it.
    #[test]
    fn the_budget_is_never_passed(
        choices in prop::collection::vec((0_u8..9, 0.0_f64..=1.0, 0.0_f64..=1.0), 30),
        prices in (0.0_f64..20.0, 0.0_f64..80.0),
        calls_worth in 0.3_f64..30.0,
        concurrency in 1_u32..12,
        n_cases in 1_usize..40,
    ) {
        let mut record = record(judge(OutputFormat::Lines), frame(&vec![2; n_cases], &["a"]));
        record.settings.concurrency = concurrency;
        let budget = calls_worth * (prices.0 * 1800.0 + prices.1 * 100.0) / 1e6;
        priced(&mut record, prices, budget);
        let ledger = RefCell::new(Ledger::default());
        let mut charged = (0, 0);
        for visit in 0..3 {
            let world = Timed::new(&record, |nth, request: &Request| {
                let at = usize::from(request.key().as_bytes()[1]) + nth + visit;
                let (what, input, output) = choices[at % choices.len()];
                let most = bound(request);
                let part = |most: u64, share: f64| (most as f64 * share) as u64;
                let charged = (part(most.input, input), part(most.output.unwrap(), output));
                let usage = json!({ "prompt_tokens": charged.0, "completion_tokens": charged.1 });
                let reply = |content: &str, finish: &str, usage: serde_json::Value| {
                    let choice = json!([{ "message": { "content": content }, "finish_reason": finish }]);
                    http(200, json!({ "choices": choice, "usage": usage }).to_string())
                };
                let (heard, charged) = match what {
                    0 => (reply("Mostly\nBarely", "stop", json!(null)), charged),
                    1 => (reply("Mostly", "length", usage), charged),
                    2 => (reply("Mostly", "stop", json!({ "prompt_tokens": charged.0 })), charged),
                    3 => (Heard::Nothing(ErrorKind::Timeout), charged),
                    4 => (http(500, "{}"), charged),
                    5 => (http(429, "{}"), (0, 0)),
                    6 => (http(200, r#"{"choices":[{"mess"#), charged),
                    _ => (reply("Mostly\nBarely", "stop", usage), charged),
                };
                Said { heard, took: Duration::from_millis(100 + 50 * u64::from(what)), charged }
            });
            let progress = world.drive(&record, &ledger);
            let (input, output) = world.charged.get();
            charged = (charged.0 + input, charged.1 + output);
            let cost = record.settings.prices.as_ref().unwrap().of(charged.0, charged.1);
            prop_assert!(cost <= budget * (1.0 + 1e-9), "{} of {}", cost, budget);
            let money = progress.money.unwrap();
            prop_assert!(money.reserved.abs() < 1e-12);
            prop_assert!(cost <= (money.spent + money.doubt) * (1.0 + 1e-9) + 1e-12);
            prop_assert!(progress.halt.is_none() || progress.halt == Some(Halt::Budget));
            if progress.halt.is_none() {
                prop_assert_eq!(progress.tally.asked(), progress.planned);
            }
            // "Retry failed", after a reload.
            record.pass += 1;
        }
    }

    /// A run that has come to its end needs nothing more under any reading.
    #[test]
    fn another_reading_asks_nothing(
        choices in prop::collection::vec(0_u8..8, 20),
        items in prop::collection::vec(1_usize..10, 1..12),
    ) {
        let record = record(judge(OutputFormat::Lines), frame(&items, &["a", "b"]));
        let world = Timed::new(&record, |nth, request: &Request| {
            let n_items = batch(request).len as usize;
            let at = usize::from(request.key().as_bytes()[0]) + nth;
            let heard = match choices[at % choices.len()] {
                0 => http(503, "{}"),
                1 => text("Mostly"),
                2 => choice(&json!({ "content": "Mostly" }), "length"),
                3 => text(&vec!["1. mostly."; n_items].join("\n")),
                4 => text(&vec!["Perhaps"; n_items].join("\n")),
                5 => choice(&json!({ "content": null, "refusal": "no" }), "stop"),
                _ => good(OutputFormat::Lines, n_items),
            };
            said(heard, 100)
        });
        let ledger = RefCell::new(Ledger::default());
        let progress = world.drive(&record, &ledger);
        prop_assert_eq!(progress.tally.asked(), progress.planned);
        let ledger = ledger.into_inner();
        let pass = Pass { ledger: &ledger, run: &record.id, number: 0 };
        for reading in [Reading::Recommended, Reading::Paper, Reading::Released] {
            for task in record.tasks() {
                let format = OutputFormat::Lines;
                let policy = RetryPolicy::STANDARD;
                prop_assert!(coverage::evaluate(&task, format, reading, &pass, &policy).is_ok());
            }
            prop_assert_eq!(record.sheet(&ledger, reading).tally().asked(), progress.planned);
        }
    }
}

#[test]
fn a_provider_that_reports_more_than_it_may_is_believed_and_asked_nothing_more() {
    let mut record = record(judge(OutputFormat::Lines), frame(&[1; 50], &["a"]));
    record.settings.concurrency = 1;
    priced(&mut record, (1.0, 1.0), 1.0);
    let world = Timed::new(&record, |_, _| {
        let usage = json!({ "prompt_tokens": 600_000, "completion_tokens": 9 });
        let choices = json!([{ "message": { "content": "Mostly" }, "finish_reason": "stop" }]);
        said(http(200, json!({ "choices": choices, "usage": usage }).to_string()), 100)
    });
    let progress = world.drive(&record, &RefCell::new(Ledger::default()));
    assert_eq!((progress.halt, progress.attempts), (Some(Halt::Budget), 2));
    assert!(1.2 < progress.money.unwrap().spent);
}

#[test]
fn near_its_end_a_budget_is_used_one_call_after_the_other() {
    // Each call may cost far more than it does, so that few fit at once and all fit in a row.
    let mut record = record(judge(OutputFormat::Lines), frame(&[1; 40], &["a"]));
    record.settings.concurrency = 8;
    priced(&mut record, (0.0, 10_000.0), 4.0);
    let world = Timed::new(&record, |_, _| {
        let usage = json!({ "prompt_tokens": 400, "completion_tokens": 5 });
        let choices = json!([{ "message": { "content": "Mostly" }, "finish_reason": "stop" }]);
        said(http(200, json!({ "choices": choices, "usage": usage }).to_string()), 100)
    });
    let progress = world.drive(&record, &RefCell::new(Ledger::default()));
    assert_eq!(progress.phase, Phase::Done, "{:?}", progress.halt);
    assert!(world.most_together.get() <= 4, "{}", world.most_together.get());
    assert!((progress.money.unwrap().spent - 2.0).abs() < 1e-9);
}
