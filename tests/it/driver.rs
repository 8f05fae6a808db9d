//! Whole runs against a scripted world: what is asked, what is counted, what survives.

use std::cell::RefCell;

use futures_executor::block_on;
use proptest::prelude::*;
use viva::judge::{Again, Bias, Duel, DuelPrompt, ErrorKind, JudgeSpec};
use viva::ledger::Ledger;
use viva::observation::{Mark, Unscored};
use viva::protocol::{Reading, Request, Task};
use viva::rating::Winner;
use viva::run::driver::Halt;
use viva::run::record::{Preference, Record};
use viva::run::{AnswerState, Control, Phase, Progress, Wish, drive, matchups};

use crate::world::{Say, Scripted, batch, frame, record};

fn mostly(_: usize, request: &Request) -> Say {
    Say::Text(vec!["Mostly"; batch(request).len as usize].join("\n"))
}

/// Drives `record` to its end and gives the last progress with the ledger.
fn run<F: Fn(usize, &Request) -> Say>(
    record: &Record,
    ledger: Ledger,
    script: F,
) -> (Progress, Ledger, Scripted<F>) {
    let world = Scripted::new(record, script);
    let ledger = RefCell::new(ledger);
    let tasks = record.all_tasks();
    let control = Control::new(record.settings.concurrency as usize);
    let progress = block_on(drive(&record.job(&tasks), &ledger, &world, &control, |now| {
        let tally = &now.tally;
        assert_eq!(
            tally.asked(),
            tally.scored
                + tally.unparsed
                + tally.truncated
                + tally.refused
                + tally.failed
                + tally.in_flight
        );
    }))
    .unwrap();
    assert_eq!(progress.attempts as usize, world.performed.get(), "attempts are exchanges");
    assert_eq!(world.log.borrow().len(), world.performed.get(), "each exchange is stored");
    (progress, ledger.into_inner(), world)
}

#[test]
fn nine_items_make_two_calls() {
    let record = record(JudgeSpec::Practice, frame(&[9], &["a"]));
    let (progress, ledger, _) = run(&record, Ledger::default(), mostly);
    assert_eq!((progress.calls, progress.attempts), (2, 2));
    assert_eq!(progress.phase, Phase::Done);
    assert_eq!(progress.tally.scored, 9);
    assert_eq!(record.progress(&ledger).phase, Phase::Done, "told again from the ledger");
}

#[test]
fn a_reload_asks_nothing_twice() {
    let record = record(JudgeSpec::Practice, frame(&[3, 3], &["a", "b"]));
    let (first, ledger, _) = run(&record, Ledger::default(), mostly);
    let (second, _, world) = run_more(&record, ledger, |_, _| panic!("nothing is left to ask"));
    assert_eq!(world.performed.get(), 0);
    assert_eq!(first.tally, second.tally);
}

#[test]
fn a_clock_that_is_set_back_changes_no_order_and_asks_nothing_twice() {
    let record = record(JudgeSpec::Practice, frame(&[3], &["a"]));
    // Read back in another order, the failure would be the last word and worth another try.
    let world = Scripted::new(&record, |nth, _: &Request| match nth {
        0 => Say::Fail(ErrorKind::ServerError),
        _ => Say::Text("Mostly\nMostly".to_owned()),
    });
    world.step.set(-3_600_000.0);
    let ledger = RefCell::new(Ledger::default());
    let tasks = record.all_tasks();
    let control = Control::new(1);
    let first = block_on(drive(&record.job(&tasks), &ledger, &world, &control, |_| {})).unwrap();
    assert_eq!((first.attempts, first.tally.unparsed), (4, 3));

    let mut read = Ledger::default();
    for (key, attempt) in world.log.borrow().iter().rev() {
        read.admit(*key, attempt.clone());
    }
    let key = tasks[0].key();
    assert_eq!(read.attempts(key), ledger.borrow().attempts(key));
    let (second, _, world) = run_more(&record, read, |_, _| panic!("nothing is left to ask"));
    assert_eq!((world.performed.get(), second.tally), (0, first.tally));
}

#[test]
fn equal_answers_are_asked_about_once() {
    let mut frame = frame(&[3], &["a", "b"]);
    frame.systems[1].answers = frame.systems[0].answers.clone();
    let record = record(JudgeSpec::Practice, frame);
    let (progress, _, _) = run(&record, Ledger::default(), mostly);
    assert_eq!((progress.calls, progress.tally.scored), (1, 6));
}

#[test]
fn a_wrong_count_is_asked_three_times_and_never_scored() {
    let record = record(JudgeSpec::Practice, frame(&[3], &["a"]));
    let (progress, _, _) =
        run(&record, Ledger::default(), |_, _| Say::Text("Mostly\nBarely".to_owned()));
    assert_eq!((progress.calls, progress.attempts), (1, 3));
    assert_eq!(progress.tally.unparsed, 3);
    assert_eq!(progress.phase, Phase::DoneWithFailures);
}

#[test]
fn a_wrong_count_is_mended_by_the_next_reply() {
    let record = record(JudgeSpec::Practice, frame(&[3], &["a"]));
    let (progress, _, _) = run(&record, Ledger::default(), |nth, request| {
        if nth == 0 { Say::Text("Mostly".to_owned()) } else { mostly(nth, request) }
    });
    assert_eq!((progress.attempts, progress.tally.scored), (2, 3));
}

#[test]
fn one_failure_never_stops_the_rest() {
    let record = record(JudgeSpec::Practice, frame(&[2, 2, 2], &["a", "b"]));
    let (progress, ledger, _) = run(&record, Ledger::default(), |nth, request| {
        if batch(request).case == 1 && batch(request).system == 0 {
            Say::Fail(ErrorKind::BadRequest)
        } else {
            mostly(nth, request)
        }
    });
    assert_eq!((progress.tally.scored, progress.tally.failed), (10, 2));
    assert_eq!(progress.phase, Phase::DoneWithFailures);
    let sheet = record.sheet(&ledger, Reading::Recommended);
    assert_eq!(sheet.marks[0][1], vec![Mark::Unscored(Unscored::Failed); 2]);
}

#[test]
fn a_retryable_failure_is_tried_four_times_with_waits() {
    let record = record(JudgeSpec::Practice, frame(&[1], &["a"]));
    let (progress, _, world) =
        run(&record, Ledger::default(), |_, _| Say::Fail(ErrorKind::Overloaded));
    assert_eq!((progress.attempts, progress.tally.failed), (4, 1));
    assert_eq!(world.waited.get().as_millis(), 500 + 1000 + 2000);
}

#[test]
fn a_cut_reply_is_asked_for_once_more_with_a_raised_cap() {
    let record = record(JudgeSpec::Practice, frame(&[2, 2], &["a"]));
    let (progress, _, world) =
        run(&record, Ledger::default(), |nth, request| match (batch(request).case, request.with) {
            (0, Again::RaisedCap) => mostly(nth, request),
            _ => Say::Cut("Mostly".to_owned()),
        });
    assert_eq!(world.performed.get(), 4);
    assert_eq!((progress.tally.scored, progress.tally.truncated), (2, 2));
}

#[test]
fn an_unreadable_reply_is_asked_for_again_with_a_note() {
    let record = record(JudgeSpec::Practice, frame(&[2], &["a"]));
    let (progress, _, world) = run(&record, Ledger::default(), |nth, request| match nth {
        0 => Say::Text("Mostly".to_owned()),
        1 => Say::Fail(ErrorKind::Overloaded),
        _ if request.with == Again::RepairNote => mostly(nth, request),
        _ => panic!("the note is lost"),
    });
    assert_eq!((world.performed.get(), progress.tally.scored), (3, 2));
}

#[test]
fn a_daily_quota_stops_at_once() {
    let record = record(JudgeSpec::Practice, frame(&[1; 50], &["a"]));
    let (progress, _, world) =
        run(&record, Ledger::default(), |_, _| Say::Fail(ErrorKind::DailyQuota));
    assert_eq!(progress.halt, Some(Halt::Wall(ErrorKind::DailyQuota)));
    assert!(world.performed.get() <= 4, "{}", world.performed.get());
}

#[test]
fn a_busy_host_gets_fewer_calls_at_once_and_more_as_it_keeps_up() {
    let record = record(JudgeSpec::Practice, frame(&[1; 40], &["a"]));
    let world = Scripted::new(&record, |nth, request| match nth {
        0..=3 => Say::Fail(ErrorKind::RateLimited),
        _ => mostly(nth, request),
    });
    let ledger = RefCell::new(Ledger::default());
    let tasks = record.all_tasks();
    let control = Control::new(8);
    let paces = RefCell::new(Vec::new());
    let progress = block_on(drive(&record.job(&tasks), &ledger, &world, &control, |now| {
        if now.phase == Phase::Running {
            paces.borrow_mut().push(now.pace);
        }
    }))
    .unwrap();
    assert_eq!((progress.phase, progress.tally.scored, progress.pace), (Phase::Done, 40, 0));
    let paces = paces.into_inner();
    assert_eq!((paces[0], paces.iter().min(), paces.last()), (8, Some(&4), Some(&8)));
}

#[test]
fn retry_failed_asks_only_what_has_no_verdict() {
    let mut record = record(JudgeSpec::Practice, frame(&[2, 2, 2], &["a"]));
    let (_, ledger, _) =
        run(&record, Ledger::default(), |nth, request| match batch(request).case {
            0 => mostly(nth, request),
            1 => Say::Cut("Mostly\nMos".to_owned()),
            _ => Say::Text("Mostly\nSomewhat".to_owned()),
        });
    let before = record.progress(&ledger);
    assert_eq!((before.tally.scored, before.tally.truncated, before.tally.unparsed), (3, 2, 1));
    record.pass = 1;
    let (after, _, world) = run_more(&record, ledger, mostly);
    assert_eq!(world.performed.get(), 2);
    assert_eq!((after.tally.scored, after.phase), (6, Phase::Done));
}

/// As [`run`], for a ledger that already holds attempts of this run.
fn run_more<F: Fn(usize, &Request) -> Say>(
    record: &Record,
    ledger: Ledger,
    script: F,
) -> (Progress, Ledger, Scripted<F>) {
    let world = Scripted::new(record, script);
    let ledger = RefCell::new(ledger);
    let tasks = record.all_tasks();
    let control = Control::new(2);
    let progress = block_on(drive(&record.job(&tasks), &ledger, &world, &control, |_| {})).unwrap();
    (progress, ledger.into_inner(), world)
}

#[test]
fn a_worse_second_reply_does_not_replace_a_good_one() {
    let mut record = record(JudgeSpec::Practice, frame(&[2], &["a"]));
    let (_, ledger, _) =
        run(&record, Ledger::default(), |_, _| Say::Text("Mostly\nSomewhat".to_owned()));
    record.pass = 1;
    let (after, _, _) = run_more(&record, ledger, |_, _| Say::Text("nothing of use".to_owned()));
    assert_eq!((after.tally.scored, after.tally.unparsed), (1, 1));
}

#[test]
fn a_wall_stops_the_run_and_says_why() {
    let record = record(JudgeSpec::Practice, frame(&[1; 50], &["a"]));
    let (progress, _, world) =
        run(&record, Ledger::default(), |_, _| Say::Fail(ErrorKind::KeyRefused));
    assert_eq!(progress.phase, Phase::Stopped);
    assert_eq!(progress.halt, Some(Halt::Wall(ErrorKind::KeyRefused)));
    assert!(world.performed.get() < 10, "{} calls into a wall", world.performed.get());
}

#[test]
fn the_call_cap_holds() {
    let mut record = record(JudgeSpec::Practice, frame(&[1; 20], &["a"]));
    record.settings.call_cap = Some(7);
    let (progress, ledger, world) = run(&record, Ledger::default(), mostly);
    assert_eq!((world.performed.get(), progress.phase), (7, Phase::Stopped));
    assert_eq!(progress.halt, Some(Halt::Cap));
    assert_eq!((progress.tally.asked(), progress.tally.scored), (7, 7));
    record.settings.call_cap = Some(12);
    let (_, _, world) = run_more(&record, ledger, mostly);
    assert_eq!(world.performed.get(), 5, "a raised cap counts what was spent");
}

#[test]
fn concurrency_is_a_limit() {
    let record = record(JudgeSpec::Practice, frame(&[1; 30], &["a"]));
    let (_, _, world) = run(&record, Ledger::default(), mostly);
    assert_eq!(world.most_together.get(), 4);
}

/// A run of `record` in which somebody wishes something once six calls are done.
fn wished_after_six(record: &Record, wish: Wish) -> (Progress, usize) {
    let world = Scripted::new(record, mostly);
    let ledger = RefCell::new(Ledger::default());
    let tasks = record.all_tasks();
    let control = Control::new(4);
    let progress = block_on(drive(&record.job(&tasks), &ledger, &world, &control, |now| {
        if now.calls_done == 6 {
            control.set(wish);
        }
    }))
    .unwrap();
    (progress, world.performed.get())
}

#[test]
fn stop_lets_what_is_in_flight_finish() {
    let record = record(JudgeSpec::Practice, frame(&[1; 30], &["a"]));
    let (progress, performed) = wished_after_six(&record, Wish::Stop);
    assert_eq!((progress.phase, progress.halt), (Phase::Stopped, Some(Halt::ByHand)));
    assert_eq!(progress.tally.in_flight, 0);
    assert_eq!(progress.tally.scored as usize, performed);
    assert!(performed <= 10);
}

#[test]
fn cancel_counts_what_had_left_and_loses_nothing_else() {
    let record = record(JudgeSpec::Practice, frame(&[2; 30], &["a"]));
    let (progress, performed) = wished_after_six(&record, Wish::Cancel);
    assert_eq!(progress.phase, Phase::Stopped);
    assert_eq!(progress.tally.in_flight, 0);
    assert_eq!(progress.attempts as usize, performed, "the server saw them all");
    assert_eq!(progress.tally.scored + progress.tally.failed, 2 * progress.attempts);
    assert!(0 < progress.tally.failed && progress.tally.failed <= 8);
}

#[test]
fn pause_holds_and_resume_goes_on() {
    let record = record(JudgeSpec::Practice, frame(&[1; 12], &["a"]));
    let world = Scripted::new(&record, mostly);
    let ledger = RefCell::new(Ledger::default());
    let tasks = record.all_tasks();
    let control = Control::new(3);
    let held = std::cell::Cell::new(0_u64);
    let progress = block_on(drive(&record.job(&tasks), &ledger, &world, &control, |now| {
        if now.calls_done == 3 && held.get() == 0 {
            control.set(Wish::Pause);
        }
        if now.phase == Phase::Paused && now.in_flight == 0 {
            held.set(now.calls_done);
            control.set(Wish::Run);
        }
    }))
    .unwrap();
    assert!((3..=6).contains(&held.get()), "{}", held.get());
    assert_eq!((progress.phase, progress.tally.scored), (Phase::Done, 12));
}

#[test]
fn what_cannot_be_stored_ends_the_run() {
    let record = record(JudgeSpec::Practice, frame(&[1; 12], &["a"]));
    let world = Scripted::new(&record, mostly);
    world.full_after.set(Some(5));
    let ledger = RefCell::new(Ledger::default());
    let tasks = record.all_tasks();
    let control = Control::new(2);
    let result = block_on(drive(&record.job(&tasks), &ledger, &world, &control, |_| {}));
    assert!(result.is_err());
    assert_eq!(ledger.borrow().len(), 5, "nothing unstored was counted");
    assert!(world.performed.get() <= 7, "and nothing new was asked");
}

#[test]
fn adding_a_system_asks_only_about_it() {
    let mut record = record(JudgeSpec::Practice, frame(&[3, 3], &["a"]));
    let (_, ledger, _) = run(&record, Ledger::default(), mostly);
    record.frame = frame(&[3, 3], &["a", "b"]);
    let (progress, _, world) = run_more(&record, ledger, mostly);
    assert_eq!(world.performed.get(), 2);
    assert_eq!((progress.calls, progress.tally.scored), (4, 12));
}

#[test]
fn another_reading_of_one_ledger_asks_nothing_and_differs() {
    let record = record(JudgeSpec::Practice, frame(&[2, 2], &["a"]));
    let (_, ledger, _) = run(&record, Ledger::default(), |nth, request| {
        if batch(request).case == 0 {
            Say::Text("1. mostly\n2. barely".to_owned())
        } else {
            mostly(nth, request)
        }
    });
    let tally = |reading| record.sheet(&ledger, reading).tally();
    assert_eq!(tally(Reading::Recommended).scored, 4);
    assert_eq!((tally(Reading::Paper).scored, tally(Reading::Paper).unparsed), (2, 2));
    let released = record.sheet(&ledger, Reading::Released);
    assert!(released.aborted.is_some_and(|why| why.contains("q0")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever the judge does, every verdict is accounted for and nothing is asked beyond the policy.
    #[test]
    fn every_verdict_is_accounted_for(choices in prop::collection::vec(0_u8..9, 40), items in prop::collection::vec(1_usize..12, 1..6)) {
        let record = record(JudgeSpec::Practice, frame(&items, &["a", "b"]));
        let script = |nth: usize, request: &Request| match choices[nth % choices.len()] {
            0 => Say::Fail(ErrorKind::Overloaded),
            1 => Say::Fail(ErrorKind::BadRequest),
            2 => Say::Text("Mostly".to_owned()),
            3 => Say::Cut("Mostly".to_owned()),
            4 => Say::Text(vec!["Perhaps"; batch(request).len as usize].join("\n")),
            5 => Say::Fail(ErrorKind::Timeout),
            _ => mostly(nth, request),
        };
        let (progress, ledger, _) = run(&record, Ledger::default(), script);
        prop_assert_eq!(progress.tally.asked(), progress.planned);
        prop_assert_eq!(progress.tally.in_flight, 0);
        prop_assert_eq!(progress.calls_done, progress.calls);
        prop_assert!(progress.attempts <= progress.calls * 12);
        let told = record.progress(&ledger);
        prop_assert_eq!(told.tally, progress.tally);
        prop_assert_eq!(told.attempts, progress.attempts);
        let (_, _, again) = run_more(&record, ledger, |_, _| panic!("nothing is left to ask"));
        prop_assert_eq!(again.performed.get(), 0);
    }
}

/// A run of both protocols: battles of three systems over five questions.
fn with_preference(judge: JudgeSpec) -> Record {
    let mut record = record(judge, frame(&[2, 3, 2, 1, 2], &["a", "b", "c"]));
    record.settings.preference = Some(Preference {
        duel: Duel { prompt: DuelPrompt::viva(), allow_tie: false, bias: Bias::default() },
        per_pair: 4,
        no_answer_loses: false,
    });
    let matching = record.settings.matching().unwrap();
    record.battles = matchups::plan(&record.frame, matching, &[]).battles;
    record.id = Record::id_of(&record.settings, record.frame.dataset.digest);
    record
}

fn says(seat: u32) -> Say {
    Say::Text(format!("**output: {{\"judgement\": \"Response {seat}\"}}**\nJustification: so."))
}

#[test]
fn battles_are_asked_in_both_orders_and_counted_with_the_items() {
    let record = with_preference(JudgeSpec::Practice);
    assert_eq!(record.battles.len(), 12);
    let (progress, ledger, world) =
        run(&record, Ledger::default(), |nth, request| match request.task {
            Task::Coverage(_) => mostly(nth, request),
            // The first seat always wins: split, whoever sits there.
            Task::Preference(_) => says(1),
        });
    assert_eq!(progress.phase, Phase::Done);
    assert_eq!((progress.calls, progress.tally.scored), (15 + 24, 30 + 24));
    assert_eq!(world.performed.get(), 39);
    let sheet = record.sheet(&ledger, Reading::Recommended);
    for it in &sheet.battles {
        assert_eq!(
            (it.given, it.swapped),
            (Mark::Scored(Winner::First), Mark::Scored(Winner::Second))
        );
    }
    assert_eq!(sheet.tally(), progress.tally);
}

#[test]
fn an_unreadable_verdict_is_asked_for_again_and_then_left_undecided() {
    let record = with_preference(JudgeSpec::Practice);
    let odd = record.duels()[5];
    let (progress, ledger, _) =
        run(&record, Ledger::default(), |nth, request| match request.task {
            Task::Coverage(_) => mostly(nth, request),
            Task::Preference(task) if task.key == odd.key => {
                Say::Text("Response 1 is better, I think.".to_owned())
            }
            Task::Preference(_) => says(2),
        });
    assert_eq!(progress.phase, Phase::DoneWithFailures);
    assert_eq!(progress.tally.unparsed, 1);
    assert_eq!(ledger.attempts(odd.key).len(), 3);
    let sheet = record.sheet(&ledger, Reading::Recommended);
    let undecided = sheet
        .battles
        .iter()
        .filter(|it| it.given.verdict().is_none() || it.swapped.verdict().is_none());
    assert_eq!(undecided.count(), 1);
}

#[test]
fn a_missing_answer_loses_without_a_call_where_one_wants_it() {
    let mut record = with_preference(JudgeSpec::Practice);
    record.frame.systems[0].answers[1] = AnswerState::Missing;
    let preference = record.settings.preference.as_mut().unwrap();
    (preference.no_answer_loses, preference.per_pair) = (true, 5);
    let matching = record.settings.matching().unwrap();
    record.battles = matchups::plan(&record.frame, matching, &[]).battles;
    assert_eq!((record.battles.len(), record.duels().len()), (15, 2 * 13));
    let (_, ledger, _) = run(&record, Ledger::default(), |nth, request| match request.task {
        Task::Coverage(_) => mostly(nth, request),
        Task::Preference(_) => says(1),
    });
    let sheet = record.sheet(&ledger, Reading::Recommended);
    let lost: Vec<_> = sheet.battles.iter().filter(|it| it.forfeit.is_some()).collect();
    assert_eq!(lost.len(), 2);
    for it in lost {
        let loser =
            if it.forfeit == Some(Winner::First) { it.battle.second } else { it.battle.first };
        assert_eq!((it.battle.case, loser), (1, 0));
    }
}
