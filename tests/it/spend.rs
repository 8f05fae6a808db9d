//! What a run has cost: lines that add up to what the run itself counts.

use viva::judge::{Bias, Duel, DuelPrompt, ErrorKind, Finish, Outcome, OutputFormat};
use viva::ledger::Ledger;
use viva::protocol::{Battling, Task};
use viva::run::money::{PriceSource, Prices};
use viva::run::record::Preference;
use viva::run::spend::{Protocol, Spent, spent};

use crate::world::{attempt, endpoint, frame, record};

#[test]
fn lines_add_up_to_what_the_run_counts() {
    let mut run = record(endpoint(OutputFormat::Lines), frame(&[9, 3], &["a", "b", "c"]));
    run.settings.prices =
        Some(Prices { input: 2.0, output: 8.0, source: PriceSource::User, as_of: String::new() });
    run.settings.preference = Some(Preference {
        duel: Duel { prompt: DuelPrompt::viva(), allow_tie: false, bias: Bias::default() },
        per_pair: 2,
        no_answer_loses: false,
    });
    run.battles =
        vec![Battling { case: 0, first: 0, second: 1 }, Battling { case: 1, first: 1, second: 2 }];
    run.id = run.own_id();
    let mut ledger = Ledger::default();
    let tasks = run.all_tasks();
    assert!(tasks.iter().any(|task| matches!(task, Task::Preference(_))));
    for (n, task) in tasks.iter().enumerate() {
        let n = n as u64;
        let refused = Outcome::failure(ErrorKind::RateLimited, "later");
        ledger.record(task.key(), attempt(&run.id, 0, 1.0, refused));
        let reply =
            Outcome::Reply { text: "x".to_owned(), finish: Finish::Stop, evidence: Vec::new() };
        let mut made = attempt(&run.id, 0, 2.0, reply);
        (made.usage.input, made.usage.output) = (Some(1000 + n), Some(10 + n));
        ledger.record(task.key(), made);
    }
    // Another run's calls are not this one's.
    let other = attempt("other", 0, 3.0, Outcome::failure(ErrorKind::Timeout, ""));
    ledger.record(tasks[0].key(), other);

    let lines = spent(&run, &ledger);
    let progress = run.progress(&ledger);
    let sum = |what: fn(&Spent) -> f64| lines.iter().map(what).sum::<f64>();
    assert!((sum(|it| it.attempts) - progress.attempts as f64).abs() < 1e-9);
    assert!((sum(|it| it.tokens_in) - progress.tokens_in as f64).abs() < 1e-6);
    assert!((sum(|it| it.tokens_out) - progress.tokens_out as f64).abs() < 1e-6);
    assert!(sum(|it| it.uncounted).abs() < 1e-9, "what is refused at the door costs nothing");
    let money = progress.money.unwrap();
    assert!((sum(|it| it.dollars.unwrap()) - money.spent).abs() < 1e-9);
    let of = |protocol, name: &str| {
        lines.iter().find(|it| it.protocol == protocol && it.system == name).unwrap().attempts
    };
    // Two batches and one of the first question and the second, each asked twice.
    assert!((of(Protocol::Coverage, "a") - 6.0).abs() < 1e-9);
    // Both seat orders of one battle, twice, and half of them each; b is in two battles.
    assert!((of(Protocol::Preference, "a") - 2.0).abs() < 1e-9);
    assert!((of(Protocol::Preference, "b") - 4.0).abs() < 1e-9);

    run.settings.prices = None;
    assert!(spent(&run, &ledger).iter().all(|it| it.dollars.is_none()), "unknown is never zero");
}
