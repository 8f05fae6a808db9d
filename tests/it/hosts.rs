//! Which host got how many calls.

use viva::judge::{ErrorKind, Finish, JudgeSpec, Outcome, OutputFormat};
use viva::ledger::Ledger;
use viva::report::{self, Block};
use viva::run::hosts::{HostCalls, hosts};
use viva::run::record::Origin;

use crate::world::{attempt, endpoint, frame, record};

#[test]
fn every_call_that_left_stands_with_its_host() {
    let ours = record(endpoint(OutputFormat::Lines), frame(&[2], &["a"]));
    let mut other = record(endpoint(OutputFormat::JsonSchema), frame(&[2], &["a"]));
    let JudgeSpec::Endpoint(judge) = &mut other.settings.judge else { panic!("no endpoint") };
    judge.base_url = "http://localhost:8080/v1".to_owned();
    other.id = "other".to_owned();
    let mut of_file = ours.clone();
    of_file.id = "file".to_owned();
    of_file.origin = Origin::RunFile;
    let key = ours.all_tasks()[0].key();

    let reply = || Outcome::Reply { text: "x".to_owned(), finish: Finish::Stop, evidence: vec![] };
    let mut ledger = Ledger::default();
    for (run, at, outcome) in [
        (ours.id.as_str(), 5.0, reply()),
        (&ours.id, 2.0, Outcome::failure(ErrorKind::RateLimited, "")),
        (&ours.id, 9.0, Outcome::failure(ErrorKind::Cancelled, "")),
        // Never sent.
        (&ours.id, 1.0, Outcome::failure(ErrorKind::KeyUnusable, "")),
        ("other", 3.0, reply()),
        ("file", 3.0, reply()),
        ("deleted", 3.0, reply()),
    ] {
        let mut made = attempt(run, 0, at, outcome);
        made.model_asked = "m".to_owned();
        ledger.record(key, made);
    }
    // By hand.
    let mut by_hand = attempt("other", 0, 1.0, reply());
    by_hand.model_asked = String::new();
    ledger.record(key, by_hand);

    let found = hosts([&ours, &other, &of_file].into_iter(), &ledger);
    let JudgeSpec::Endpoint(judge) = &ours.settings.judge else { panic!("no endpoint") };
    let first =
        HostCalls { calls: 3, replies: 1, last: 9.0, ..HostCalls::one(judge.host(), 2.0, true) };
    assert_eq!(found.hosts, [first, HostCalls::one("localhost:8080", 3.0, true)]);
    assert_eq!((found.unknown, found.of_files), (1, 1));

    let beside = [HostCalls::one("api.example.org", 7.0, false)];
    let blocks = report::hosts::blocks(&found, &beside, |at| format!("at {at}"));
    let tables: Vec<_> = blocks
        .iter()
        .filter_map(|it| if let Block::Table(table) = it { Some(table) } else { None })
        .collect();
    assert_eq!(tables.len(), 2);
    assert_eq!(tables[0].rows[1], ["localhost:8080", "1", "1", "at 3", "at 3"]);
    assert_eq!(tables[1].rows[0], ["api.example.org", "1", "0", "at 7", "at 7"]);
    let text = format!("{blocks:?}");
    assert!(text.contains("1 call is on record of runs that were deleted"), "{text}");
    let none =
        report::hosts::blocks(&hosts([].into_iter(), &Ledger::default()), &[], |_| String::new());
    assert!(format!("{none:?}").contains("No call to a judge"));
}
