//! The leaderboard against known numbers, in its three arithmetics, and where no rating exists.

use std::ops::ControlFlow;

use viva::metrics::leaderboard::{FieldOutcome, Next, NothingWhy, Rated, Row, Wanted, Withheld};
use viva::metrics::{
    Leaderboard, Mode, RatingView, UndecidedAs, exploratory_by_field, leaderboard,
};
use viva::rating::{Battle, Limit, Tournament, Undecided, Verdict, Winner};

/// Names, and (first, second, [wins, losses, ties]) each battle over a query of its own.
fn tournament(names: &[&str], results: &[(u32, u32, [u32; 3])]) -> Tournament {
    let mut battles = Vec::new();
    for (first, second, times) in results {
        let winners = [Winner::First, Winner::Second, Winner::Tie];
        for (winner, times) in winners.into_iter().zip(times) {
            for _ in 0..*times {
                let query = battles.len() as u32;
                let (first, second) = (*first, *second);
                battles.push(Battle { first, second, winner, query, stratum: query % 2 });
            }
        }
    }
    Tournament {
        systems: names.iter().map(|&it| it.to_owned()).collect(),
        queries: (0..battles.len()).map(|at| format!("q{at}")).collect(),
        strata: vec!["Life".to_owned(), "Letters".to_owned()],
        battles,
        undecided: Vec::new(),
    }
}

/// protocols.md 7.1.
fn four() -> Tournament {
    tournament(
        &["M1", "M2", "M3", "M4"],
        &[
            (0, 1, [6, 2, 0]),
            (1, 2, [5, 3, 0]),
            (0, 2, [7, 1, 0]),
            (2, 3, [4, 2, 2]),
            (0, 3, [6, 1, 1]),
            (1, 3, [5, 2, 1]),
        ],
    )
}

/// The same results six times over new queries: no resample of them falls apart.
fn many() -> Tournament {
    let mut tournament = four();
    let once = tournament.battles.clone();
    for time in 1..6 {
        let again = once.iter().map(|it| Battle { query: it.query + 48 * time, ..*it });
        tournament.battles.extend(again);
    }
    tournament.queries = (0..6 * 48).map(|at| format!("q{at}")).collect();
    tournament
}

fn board(tournament: &Tournament, view: &RatingView) -> Leaderboard {
    leaderboard(tournament, view, |_, _| ControlFlow::Continue(())).unwrap()
}

#[track_caller]
fn rated(tournament: &Tournament, view: &RatingView) -> Rated {
    match board(tournament, view) {
        Leaderboard::Rated(it) => it,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn withheld(tournament: &Tournament) -> Withheld {
    match board(tournament, &RatingView::default()) {
        Leaderboard::Withheld(it) => it,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn at(limit: Limit) -> f64 {
    limit.finite().expect("a number")
}

fn row<'a>(rated: &'a Rated, name: &str) -> &'a Row {
    rated.rows.iter().find(|row| row.name == name).expect("a row")
}

fn of_mode(mode: Mode) -> RatingView {
    RatingView { mode, ..RatingView::default() }
}

#[test]
fn four_models() {
    let rated = rated(&four(), &RatingView::default());
    for (row, (name, expected, error)) in rated.rows.iter().zip([
        ("M1", 1195.3273, 66.9),
        ("M2", 1008.9246, 56.1),
        ("M3", 923.3651, 53.8),
        ("M4", 872.3831, 56.8),
    ]) {
        assert_eq!(row.name, name);
        assert!((at(row.rating) - expected).abs() < 1e-3, "{row:?}");
        // The factor for few queries, of 48 of them, is in it.
        let expected_error = error * (48.0_f64 / 47.0).sqrt();
        let spread = at(row.spread.unwrap());
        assert!((spread - expected_error).abs() < 0.2, "{spread} against {expected_error}");
        let reach = (at(row.high.unwrap()) - at(row.low.unwrap())) / 2.0;
        assert!((reach / spread - 2.0117).abs() < 1e-3, "t with 47 degrees: {}", reach / spread);
        assert_eq!((row.battles, row.queries), (24, 24));
    }
    assert_eq!(rated.rows.iter().filter_map(|row| row.rank).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!((rated.amounts.decided, rated.amounts.queries), (48, 48));
    assert_eq!(rated.pairs.len(), 6);
    let pair = &rated.pairs[0];
    assert_eq!((pair.first_name.as_str(), pair.second_name.as_str()), ("M1", "M2"));
    let reach = rated.simultaneous.unwrap();
    assert!(reach.single < reach.reach, "all pairs at once reach further: {reach:?}");
    let last = &rated.pairs[2];
    assert_eq!((last.second_name.as_str(), last.verdict), ("M4", Verdict::Above));
    let first: f64 = rated.rows.iter().filter_map(|row| row.first).sum();
    assert!(first <= 1.0 + 1e-9 && rated.rows[0].first.is_some_and(|it| 0.9 < it));
    let ranges: Vec<_> = rated.rows.iter().map(|row| row.ranks.unwrap()).collect();
    assert!(ranges.iter().all(|it| 1 <= it.best && it.best <= it.worst && it.worst <= 4));
}

/// While battles are still to come there is nothing to stop early at.
#[test]
fn an_interim_table_ranks_and_compares_nothing() {
    let interim_of = |view: &RatingView| match board(&four(), view).interim() {
        Leaderboard::Rated(it) => it,
        other => panic!("{other:?}"),
    };
    let full = rated(&four(), &RatingView::default());
    let interim = interim_of(&RatingView::default());
    assert!(interim.interim && !full.interim);
    assert_eq!((interim.pairs.len(), interim.simultaneous), (0, None));
    for (row, before) in interim.rows.iter().zip(&full.rows) {
        assert_eq!((row.rank, row.ranks, row.first), (None, None, None));
        assert_eq!((row.rating, row.low, row.high), (before.rating, before.low, before.high));
    }
    let anchored = RatingView { anchor: Some((0, 1000.0)), ..RatingView::default() };
    assert!(interim_of(&anchored).rows.iter().all(|row| row.low.is_none() && row.spread.is_none()));
}

/// The same battles under other names, in another order, with other ids: every digit stays.
#[test]
fn renaming_and_reordering_permute_only() {
    let before = four();
    // M1, M2, M3, M4 become 2, 0, 3, 1.
    let place = [2_u32, 0, 3, 1];
    let mut after = Tournament {
        systems: ["zeta", "alpha", "omega", "beta"].map(str::to_owned).to_vec(),
        strata: vec!["b".to_owned(), "a".to_owned()],
        ..before.clone()
    };
    after.battles.reverse();
    for battle in &mut after.battles {
        let (first, second) = (place[battle.first as usize], place[battle.second as usize]);
        *battle = Battle {
            first: second,
            second: first,
            winner: battle.winner.swapped(),
            query: 47 - battle.query,
            stratum: 1 - battle.stratum,
        };
    }
    let name =
        |old: &str| after.systems[place[old[1..].parse::<usize>().unwrap() - 1] as usize].clone();
    for mode in Mode::ALL {
        let (one, other) = (rated(&before, &of_mode(mode)), rated(&after, &of_mode(mode)));
        for (one, other) in one.rows.iter().zip(&other.rows) {
            assert_eq!(name(&one.name), other.name);
            let renamed = Row { system: other.system, name: other.name.clone(), ..one.clone() };
            assert_eq!(&renamed, other, "{mode:?}");
        }
        for (one, other) in one.pairs.iter().zip(&other.pairs) {
            assert_eq!(name(&one.first_name), other.first_name);
            assert!((one.difference - other.difference).abs() < 1e-9);
            assert_eq!(one.simultaneous, other.simultaneous);
        }
    }
}

#[test]
fn hiding_a_system_removes_its_battles() {
    let all = rated(&four(), &RatingView::default());
    let view = RatingView { hidden: vec![3], ..RatingView::default() };
    let fewer = rated(&four(), &view);
    assert_eq!((all.amounts.asked, fewer.amounts.asked), (48, 24));
    assert_eq!(fewer.rows.len(), 3);
    let only =
        tournament(&["M1", "M2", "M3"], &[(0, 1, [6, 2, 0]), (1, 2, [5, 3, 0]), (0, 2, [7, 1, 0])]);
    let only = rated(&only, &RatingView::default());
    for (one, other) in fewer.rows.iter().zip(&only.rows) {
        assert!((at(one.rating) - at(other.rating)).abs() < 1e-9);
        assert_eq!(one.queries, other.queries);
    }
}

#[test]
fn a_domain_is_the_same_arithmetic_on_its_battles() {
    let view = RatingView { domain: Some("Letters".to_owned()), ..RatingView::default() };
    let Leaderboard::Rated(some) = board(&four(), &view) else { panic!("rated") };
    assert_eq!((some.amounts.asked, some.amounts.domains), (24, 1));
    let view = RatingView { domain: Some("Stars".to_owned()), ..RatingView::default() };
    let Leaderboard::Nothing(nothing) = board(&four(), &view) else { panic!("nothing") };
    assert_eq!(nothing.why, NothingWhy::OtherDomain);
    let view = RatingView { hidden: vec![0, 1, 2], ..RatingView::default() };
    let Leaderboard::Nothing(nothing) = board(&four(), &view) else { panic!("nothing") };
    assert_eq!(nothing.why, NothingWhy::FewSystems);
}

#[test]
fn undecided_battles_for_and_against_bracket() {
    let mut tournament = four();
    for (first, second) in [(0, 1), (2, 0), (1, 2)] {
        tournament.undecided.push(Undecided { first, second, query: 48, stratum: 0 });
    }
    tournament.queries.push("q48".to_owned());
    let rating = |undecided| {
        let rated = rated(&tournament, &RatingView { undecided, ..RatingView::default() });
        assert_eq!((rated.amounts.asked, rated.amounts.undecided), (51, 3));
        let row = row(&rated, "M1").clone();
        assert_eq!(row.undecided, 2);
        (at(row.rating), row.battles)
    };
    let (out, for_it) = (rating(UndecidedAs::LeftOut), rating(UndecidedAs::ForSystem(0)));
    let (ties, against) = (rating(UndecidedAs::Ties), rating(UndecidedAs::AgainstSystem(0)));
    assert!(against.0 < out.0 && out.0 < for_it.0);
    assert!(against.0 < ties.0 && ties.0 < for_it.0);
    assert_eq!([out.1, for_it.1, ties.1, against.1], [24, 26, 26, 26]);
}

#[test]
fn modes_differ_as_documented() {
    let tournament = many();
    let [recommended, paper, released] = Mode::ALL.map(|mode| rated(&tournament, &of_mode(mode)));
    let mut ratios = Vec::new();
    for row in &recommended.rows {
        let name = &row.name;
        let resampled = row.resampled.unwrap();
        assert!((at(resampled.median) - at(row.rating)).abs() < 15.0);
        assert!(at(resampled.low) < at(resampled.median));
        for published in [&paper, &released] {
            let other = self::row(published, name);
            assert_eq!(other.ranks, None);
            let (rating, std) = (at(other.rating), at(other.spread.unwrap()));
            assert!((at(other.low.unwrap()) - (rating - std)).abs() < 1e-9);
            let resampled = other.resampled.unwrap();
            let centre =
                if published.mode == Mode::Paper { resampled.median } else { resampled.mean };
            assert!((at(centre) - rating).abs() < 1e-12);
        }
        let spread = |it: &Rated| at(self::row(it, name).spread.unwrap());
        ratios.push(spread(&paper) / spread(&released));
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!((1.25..1.6).contains(&mean), "{ratios:?}");
}

#[test]
fn an_anchor_shifts_labels_and_pairs_intervals() {
    let free = rated(&four(), &RatingView::default());
    let view = RatingView { anchor: Some((2, 500.0)), ..RatingView::default() };
    let held = rated(&four(), &view);
    let shift = 500.0 - at(row(&free, "M3").rating);
    for (one, other) in free.rows.iter().zip(&held.rows) {
        assert!((at(one.rating) + shift - at(other.rating)).abs() < 1e-9);
        assert_eq!((one.rank, one.ranks), (other.rank, other.ranks));
    }
    let anchor = row(&held, "M3");
    assert_eq!((anchor.low, anchor.high, anchor.spread), (None, None, None));
    let pair =
        free.pairs.iter().find(|it| it.first_name == "M1" && it.second_name == "M3").unwrap();
    let first = row(&held, "M1");
    assert!((at(first.spread.unwrap()) - pair.standard_error).abs() < 1e-9);
    for mode in [Mode::Paper, Mode::Released] {
        let held = rated(&many(), &RatingView { mode, ..view.clone() });
        assert!((at(row(&held, "M3").rating) - 500.0).abs() < 1e-9);
        assert_eq!(row(&held, "M3").low, None);
        assert!(0.0 < at(row(&held, "M1").spread.unwrap()));
    }
}

#[test]
fn diagnostics_have_their_own_numbers() {
    let view = RatingView { diagnostics: Wanted::Yes, ..RatingView::default() };
    let found = rated(&four(), &view).diagnostics.unwrap();
    let expected = [1026.7146, 1001.5247, 989.5615, 982.1993];
    for (row, expected) in found.rows.iter().zip(expected) {
        assert!((row.online - expected).abs() < 1e-4);
        assert!(row.davidson.is_some());
    }
    assert!(0.0 < found.davidson.unwrap().ties);
}

/// No rating; and after the wins that are named, one.
#[track_caller]
fn check_broken(mut tournament: Tournament, missing: usize) -> Withheld {
    let found = withheld(&tournament);
    assert_eq!((found.missing.len(), found.calls), (missing, 2 * missing as u64));
    assert!(found.grid.is_some());
    for it in &found.missing {
        let query = tournament.queries.len() as u32;
        tournament.queries.push(format!("added {query}"));
        let (first, second) = (it.winner as u32, it.loser as u32);
        let winner = Winner::First;
        tournament.battles.push(Battle { first, second, winner, query, stratum: 0 });
    }
    let rated = rated(&tournament, &RatingView::default());
    assert!(rated.rows.iter().all(|row| row.rating.finite().is_some()));
    assert!(0 < rated.separated, "few enough battles to fall apart in some resample");
    found
}

#[test]
fn one_unbeaten_of_three() {
    let broken =
        tournament(&["a", "b", "c"], &[(0, 1, [5, 0, 0]), (0, 2, [5, 0, 0]), (1, 2, [3, 2, 0])]);
    let found = check_broken(broken, 1);
    assert_eq!((found.never_beaten[0].name.as_str(), found.never_beaten[0].battles), ("a", 10));
    assert!(found.never_won.is_empty() && found.islands.is_empty());
    let Some(Next::Above { at_least: Some(bound) }) = found.groups[0].next else {
        panic!("{:?}", found.groups);
    };
    assert!((100.0..500.0).contains(&bound));
    assert_eq!(found.groups[0].members[0].rating, None);
    let below = &found.groups[1].members;
    assert_eq!((below[0].name.as_str(), below[1].name.as_str()), ("b", "c"));
    assert!((below[0].rating.unwrap() - below[1].rating.unwrap() - 70.4365).abs() < 1e-3);
}

#[test]
fn one_winless_of_three() {
    let broken =
        tournament(&["a", "b", "c"], &[(0, 1, [3, 2, 0]), (0, 2, [5, 0, 0]), (1, 2, [5, 0, 0])]);
    let found = check_broken(broken, 1);
    assert_eq!(found.never_won[0].name, "c");
    assert!(found.never_beaten.is_empty());
}

#[test]
fn two_islands() {
    let broken = tournament(&["a", "b", "c", "d"], &[(0, 1, [3, 2, 0]), (2, 3, [4, 1, 0])]);
    let found = check_broken(broken, 2);
    assert_eq!(found.islands, [["a", "b"], ["c", "d"]]);
    assert_eq!(found.groups[0].next, Some(Next::Apart));
}

#[test]
fn stopping_leaves_nothing() {
    let view = RatingView::default();
    assert!(leaderboard(&four(), &view, |_, _| ControlFlow::Break(())).is_none());
}

#[test]
fn what_crosses_to_the_page_has_no_infinities() {
    let broken = tournament(&["a", "b"], &[(0, 1, [9, 1, 0])]);
    let rated = rated(&broken, &RatingView::default());
    assert!(0 < rated.separated);
    assert_eq!(rated.rows[0].resampled.unwrap().high, Limit::Unbounded);
    // JSON has no infinities: they would come back as null. Grid and diagnostics do not cross: they are
    // composed where they were computed.
    let text = serde_json::to_string(&rated).unwrap();
    let back: Rated = serde_json::from_str(&text).unwrap();
    assert_eq!(back, Rated { grid: None, diagnostics: None, ..rated });
}

#[test]
fn fields_are_rated_where_they_can_be() {
    let mut tournament = four();
    let mut fields = vec!["Botany".to_owned(); tournament.queries.len()];
    for winner in [Winner::First, Winner::First] {
        let query = tournament.queries.len() as u32;
        tournament.queries.push(format!("q{query}"));
        fields.push("Ethics".to_owned());
        tournament.battles.push(Battle { first: 0, second: 1, winner, query, stratum: 0 });
    }
    let found = exploratory_by_field(&tournament, &fields);
    assert_eq!(found.fields.len(), 2);
    assert!(
        matches!(&found.fields[0].outcome, FieldOutcome::Rated { rows, .. } if rows.len() == 4)
    );
    assert_eq!(found.fields[1].outcome, FieldOutcome::Withheld { missing: 3 });
    let largest = found.largest_error.unwrap();
    assert!((67.0..68.5).contains(&largest), "{largest}");
}
