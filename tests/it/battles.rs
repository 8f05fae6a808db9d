//! Files of battles in every format, with every fault, and there and back.

use proptest::prelude::*;
use viva::dataset::battles::{BattlesFormat, ImportedBattles, has_battles, read_battles};
use viva::dataset::{Blob, Problems};
use viva::rating::{Battle, PairCounts, Tournament, Undecided, Winner, examine, fit};
use viva::report::battles::{
    Details, Texts, arena_csv, evalica_csv, reference_files, reference_json,
};

fn file(name: &str, text: &str) -> (String, Blob) {
    (name.to_owned(), Blob::from(text.as_bytes().to_vec()))
}

fn read(files: &[(&str, &str)]) -> (ImportedBattles, Problems) {
    let files: Vec<_> = files.iter().map(|(name, text)| file(name, text)).collect();
    read_battles(&files)
}

/// Battles as `first > second / query / domain`, undecided ones with a question mark behind them.
fn shown(tournament: &Tournament) -> Vec<String> {
    let line = |first: u32, sign: char, second: u32, query: u32, stratum: u32| {
        format!(
            "{} {sign} {} / {} / {}",
            tournament.systems[first as usize],
            tournament.systems[second as usize],
            tournament.queries[query as usize],
            tournament.strata[stratum as usize]
        )
    };
    let sign = |winner| match winner {
        Winner::First => '>',
        Winner::Second => '<',
        Winner::Tie => '=',
    };
    let battles = tournament.battles.iter().map(|battle| {
        line(battle.first, sign(battle.winner), battle.second, battle.query, battle.stratum)
    });
    let open = tournament
        .undecided
        .iter()
        .map(|open| line(open.first, '?', open.second, open.query, open.stratum));
    battles.chain(open).collect()
}

/// One file: its format, its battles, and its problems as `place: what`.
#[track_caller]
fn check(
    name: &str,
    text: &str,
    format: BattlesFormat,
    battles: &[&str],
    problems: &[&str],
) -> ImportedBattles {
    let (found, told) = read(&[(name, text)]);
    assert_eq!(shown(&found.tournament), battles);
    let lines: Vec<String> =
        told.list().iter().map(|problem| format!("{}: {}", problem.place, problem.what)).collect();
    assert_eq!(lines, problems);
    assert!(told.list().iter().all(|problem| problem.file == name && problem.cure.ends_with('.')));
    let formats: Vec<_> = found.files.iter().map(|file| (file.format, file.rows)).collect();
    assert_eq!(formats, [(format, battles.len() as u64)]);
    assert!(has_battles(name, text.as_bytes()));
    found
}

/// The first five battles of ResearchQA's notebook, with its scores.
const FIVE: &str = r#"[
  {"session_id": "1", "implementation_A": "agentic-anthropic-web-research", "implementation_B": "retrieval-claude",
   "query": "Why?", "response_A": "Because.", "response_B": "So.", "judge": "A", "judge_feedback": "", "judge_swapped": "A",
   "score_A": 43, "score_B": 22, "winner": "win"},
  {"session_id": "2", "implementation_A": "agentic-openai-deep-research", "implementation_B": "retrieval-qwen",
   "judge": "A", "judge_swapped": "A", "score_A": 46, "score_B": 28},
  {"session_id": "3", "implementation_A": "parametric-gpt", "implementation_B": "retrieval-gpt",
   "judge": "A", "judge_swapped": "A", "score_A": 33, "score_B": 28},
  {"session_id": "4", "implementation_A": "parametric-gemini", "implementation_B": "retrieval-gemini",
   "judge": "A", "judge_swapped": "A", "score_A": 36, "score_B": 22},
  {"session_id": "5", "implementation_A": "parametric-claude", "implementation_B": "retrieval-gpt",
   "judge": "B", "judge_swapped": "B", "score_A": 26, "score_B": 36, "winner": "lose"}
]"#;

#[test]
fn five_published_battles() {
    let five = [
        "agentic-anthropic-web-research > retrieval-claude / 1 / Health Sciences & Medicine",
        "agentic-openai-deep-research > retrieval-qwen / 2 / Health Sciences & Medicine",
        "parametric-gpt > retrieval-gpt / 3 / Health Sciences & Medicine",
        "parametric-gemini > retrieval-gemini / 4 / Health Sciences & Medicine",
        "parametric-claude < retrieval-gpt / 5 / Health Sciences & Medicine",
    ];
    let name = "health_sciences_and_medicine.json";
    let found = check(name, FIVE, BattlesFormat::Pairwise, &five, &[]);
    let both = |winner| Some((Some(winner), Some(winner)));
    assert_eq!(found.direct[0], both(Winner::First));
    assert_eq!(found.direct[4], both(Winner::Second));
    assert_eq!((found.scores[0], found.scores[4]), (Some((43.0, 22.0)), Some((26.0, 36.0))));
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    assert!(found.notes[0].contains("taken to be of Health Sciences & Medicine"));
}

#[test]
fn verdicts_decide_where_there_are_no_scores() {
    let text = r#"[
        {"session_id":"q1","general_domain":"Law","implementation_A":"a","implementation_B":"b","judge":"A","judge_swapped":"A"},
        {"session_id":"q1","general_domain":"Law","implementation_A":"a","implementation_B":"c","judge":"B","judge_swapped":"B"},
        {"session_id":"q2","general_domain":"Law","implementation_A":"b","implementation_B":"c","judge":"A","judge_swapped":"B"},
        {"session_id":"q3","general_domain":null,"implementation_A":"b","implementation_B":"c","judge":"A","judge_swapped":null},
        {"session_id":"q4","general_domain":"","implementation_A":"b","implementation_B":"c","judge":"A"},
        {"session_id":"q5","general_domain":"","implementation_A":"b","implementation_B":"c","judge":"tie","judge_swapped":"B"},
        {"session_id":"q6","general_domain":"","implementation_A":"b","implementation_B":"c","judge":"None","judge_swapped":"None"}
    ]"#;
    let found = check(
        "x.json",
        text,
        BattlesFormat::Pairwise,
        &[
            "a > b / q1 / Law",
            "a < c / q1 / Law",
            "b = c / q2 / Law",
            "b < c / q5 / ",
            "b ? c / q3 / ",
            "b ? c / q4 / ",
            "b ? c / q6 / ",
        ],
        &[],
    );
    assert!(found.notes[0].starts_with("No rubric scores are in x.json: the direct judge alone"));
    assert!(found.notes[1].starts_with("3 battles are undecided"));
    assert_eq!(found.direct.len(), 4);
    assert_eq!(found.direct[3], Some((Some(Winner::Tie), Some(Winner::Second))));
    assert!(found.scores.is_empty());
}

#[test]
fn a_later_result_replaces_an_earlier() {
    let text = r#"[
        {"session_id":"q1","domain":"d","implementation_A":"a","implementation_B":"b","winner":"win","score_A":9,"score_B":4},
        {"session_id":"q1","domain":"d","implementation_A":"b","implementation_B":"a","winner":"tie"},
        {"session_id":"q1","domain":"d","implementation_A":"a","implementation_B":"b","winner":"lose"},
        {"session_id":"q1","domain":"d","implementation_A":"a","implementation_B":"b","winner":null}
    ]"#;
    let (found, problems) = read(&[("x.json", text)]);
    assert!(problems.is_empty());
    assert_eq!(shown(&found.tournament), ["a < b / q1 / d", "b = a / q1 / d"]);
    assert_eq!(found.scores, [None, None]);
    assert!(found.notes[0].contains("another result for 1 battle"), "{:?}", found.notes);
}

#[test]
fn a_plan_and_what_came_of_it() {
    let plan = "session_id,general_domain,implementation_A,implementation_B\n\
        q1,Law,a,b\nq2,Art,a,c\nq3,Art,b,c\n";
    let open = ["a ? b / q1 / Law", "a ? c / q2 / Art", "b ? c / q3 / Art"];
    check("plan.csv", plan, BattlesFormat::Plan, &open, &[]);
    let results = r#"[{"session_id":"q2","general_domain":"Art","implementation_A":"a","implementation_B":"c","judge":"B","judge_swapped":"B"}]"#;
    let decided = ["a < c / q2 / Art", "a ? b / q1 / Law", "b ? c / q3 / Art"];
    for files in
        [[("plan.csv", plan), ("r.json", results)], [("r.json", results), ("plan.csv", plan)]]
    {
        let (found, problems) = read(&files);
        assert!(problems.is_empty());
        assert_eq!(shown(&found.tournament), decided);
    }
    check(
        "plan.csv",
        "session_id;general_domain;implementation_A;implementation_B;judge\r\n\
         q1;Law;a;b;A\r\nq2;Art;a;c;\r\nq3;Art;b;c;tie\r\n",
        BattlesFormat::Pairwise,
        &["a > b / q1 / Law", "b = c / q3 / Art", "a ? c / q2 / Art"],
        &[],
    );
    check(
        "plan.csv",
        "session_id,implementation_A,implementation_B,judge,judge_swapped,winner\n\
         q1,a,b,A,B,\nq2,a,c,A,B,win\nq3,b,c,A,,\n",
        BattlesFormat::Pairwise,
        &["a = b / q1 / ", "a > c / q2 / ", "b ? c / q3 / "],
        &[],
    );
}

#[test]
fn votes_of_arenas() {
    let battles = [
        "a > b / q1 / maths",
        "b < a / q1 / maths",
        "a = c / q2 / code",
        "c = b / q2 / code",
        "c = b / q2 / code",
        "a ? b / q3 / code",
    ];
    let csv = "model_a,model_b,winner,question_id,category\na,b,model_a,q1,maths\n\
        b,a,model_b,q1,maths\na,c,tie,q2,code\nc,b,tie (bothbad),q2,code\nc,b,both_bad,q2,code\n\
        a,b,,q3,code\n";
    check("votes.csv", csv, BattlesFormat::Arena, &battles, &[]);
    check(
        "votes",
        &format!("\u{feff}{}", csv.replace('\n', "\r\n")),
        BattlesFormat::Arena,
        &battles,
        &[],
    );
    let records: Vec<String> = csv
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let winner =
                if cells[2].is_empty() { "null".to_owned() } else { format!("{:?}", cells[2]) };
            format!(
                r#"{{"model_a":{:?},"model_b":{:?},"winner":{winner},"question_id":{:?},"category":{:?}}}"#,
                cells[0], cells[1], cells[3], cells[4]
            )
        })
        .collect();
    check("votes.jsonl", &records.join("\n"), BattlesFormat::Arena, &battles, &[]);
    let list = format!("[{}]", records.join(",\n"));
    check("votes.json", &list, BattlesFormat::Arena, &battles, &[]);
    check("votes", &format!("{{\"battles\": {list}}}"), BattlesFormat::Arena, &battles, &[]);
}

#[test]
fn tables_of_evalica() {
    check(
        "x.csv",
        "left,right,winner\na,b,left\nb,c,tie\n",
        BattlesFormat::Evalica,
        &["a > b / x.csv:2 / ", "b = c / x.csv:3 / "],
        &[],
    );
    check(
        "x.csv",
        "id,prompt,model_x,model_y,worker,winner,left,right\n0,8,9,7,5,right,A 2,B\n0,8,9,7,6,tie,A 2,B\n",
        BattlesFormat::Evalica,
        &["A 2 < B / 8 / ", "A 2 = B / 8 / "],
        &[],
    );
    check(
        "x.json",
        r#"[{"left":"a","right":"b","winner":"left"},{"left":"a","right":7,"winner":"tie"}]"#,
        BattlesFormat::Evalica,
        &["a > b / x.json:1 / ", "a = 7 / x.json:2 / "],
        &[],
    );
}

#[test]
fn faults_are_told_and_the_rest_is_kept() {
    check(
        "votes.csv",
        "model_a,model_b,winner,id\na,b,model_a,1\n\na,b,somebody,2\na,a,tie,3\n,b,tie,4\na,b\nb,a,tie,5\n",
        BattlesFormat::Arena,
        &["a > b / 1 / ", "b = a / 5 / "],
        &[
            "line 4: No winner is written \"somebody\". It was left out.",
            "line 5: a stands against itself. It was left out.",
            "line 6: A system has no name here. It was left out.",
            "line 7: This line has 2 fields where the first line has 4. It was left out.",
        ],
    );
    let text = r#"[
{"session_id":"1","implementation_A":"a","implementation_B":"b","judge":"A","judge_swapped":"A"},
{"session_id":"2","implementation_A":"a","implementation_B":"a","judge":"A","judge_swapped":"A"},
{"session_id":"3","implementation_A":"a","implementation_B":"","judge":"A","judge_swapped":"A"},
{"implementation_A":"a","implementation_B":"b","judge":"A","judge_swapped":"A"},
{"session_id":"5","implementation_A":"a","implementation_B":"b","judge":"A","judge_swapped":"Response C"},
{"session_id":"6","implementation_A":"a","implementation_B":"b","winner":"nobody"},
{"session_id":"7","implementation_A":"a","implementation_B":"b","winner":3},
{"session_id":"8","implementation_A":"a"},
"nine",
{"session_id":"10","implementation_A":"a","implementation_B":"b","winner":"win","score_A":1,"score_B":2},
{"session_id":"11","implementation_A":"a","implementation_B":"b","score_A":1,"score_B":"none","judge":"B","judge_swapped":"B"},
{"session_id":"12","implementation_A":"a","implementation_B":"b","judge":"A","judge_swapped":"A"#;

    check(
        "economics.json",
        text,
        BattlesFormat::Pairwise,
        &[
            "a > b / 1 / Economics",
            "a > b / 10 / Economics",
            "a < b / 11 / Economics",
            "a ? b / 5 / Economics",
        ],
        &[
            "line 3: a stands against itself. It was left out.",
            "line 4: There is no name under implementation_b. It was left out.",
            "line 5: This record has no session_id. It was left out.",
            "line 6: No verdict is written \"Response C\". It counts as missing.",
            "line 7: No winner is written \"nobody\". It was left out.",
            "line 8: No winner is written a number. It was left out.",
            "line 9: This record does not name two systems. Its keys are: session_id, \
             implementation_A. It was left out.",
            "line 10: This record is text, not an object. It was left out.",
            "line 11: The winner of this record is not the one with the larger score. The winner \
             counts.",
            "line 12: This record does not have two scores that are numbers. They count as missing.",
            "line 13: The file ends in the middle of a record. The whole records before it were kept.",
        ],
    );
    check(
        "plan.csv",
        "session_id,implementation_A,implementation_B\nq1,a,b\nq2,a\nq3,a,\"b\nq4,a,b\n",
        BattlesFormat::Plan,
        &["a ? b / q1 / "],
        &[
            "row 2: This row has 2 cells where the first row names 3. It was left out.",
            "row 3: A quotation mark in this row is opened and never closed, so that all after it \
             reads as one cell. This row and the rest were left out.",
        ],
    );
}

#[test]
fn files_that_are_something_else() {
    #[track_caller]
    fn check(text: &str, what: &str) {
        let (found, problems) = read(&[("x.json", text)]);
        assert_eq!(found, ImportedBattles::default());
        assert_eq!(problems.list()[0].what, what);
        assert_eq!(problems.total(), 1);
        assert!(!has_battles("x.json", text.as_bytes()) || what.starts_with("The file holds no"));
    }
    check("", "The file is empty.");
    check("[]", "No battles were found in this file.");
    check("a,b\n1,2\n", "No battles were found in this file.");
    check(r#"[{"id":"1","answer":"x"}]"#, "These are answers, not battles.");
    check(r#"{"1":"x","2":"y"}"#, "These are answers, not battles.");
    check(r#"{"1":[{"rubric":"x","score":"Mostly"}]}"#, "These are judgements, not battles.");
    check(r#"[{"id":"1","query":"x","rubric":[]}]"#, "No battles were found in this file.");
    check("left,right,winner\n", "The file holds no battles.");
    check("session_id,implementation_A,implementation_B\n", "The file holds no battles.");
}

#[test]
fn files_are_joined_by_name_and_id() {
    let one = "model_a,model_b,winner,id\na,b,model_a,q1\nb,c,tie,\n";
    let two = r#"[{"model_a":"c","model_b":"a","winner":"tie","id":"q1","domain":"Law"}]"#;
    let three = "left,right,winner\nd,a,left\n";
    let (found, problems) =
        read(&[("x.csv", one), ("two.json", two), ("x.csv", three), ("copy.csv", one)]);
    assert_eq!(
        shown(&found.tournament),
        ["a > b / q1 / Law", "b = c / x.csv:3 / ", "c = a / q1 / Law", "d > a / x.csv (2):2 / ",]
    );
    assert_eq!(found.tournament.systems, ["a", "b", "c", "d"]);
    assert_eq!(found.tournament.queries, ["q1", "x.csv:3", "x.csv (2):2"]);
    let files: Vec<_> = found.files.iter().map(|file| (&*file.name, file.rows)).collect();
    assert_eq!(files, [("x.csv", 2), ("two.json", 1), ("x.csv", 1)]);
    assert_eq!(problems.list()[0].what, "The file holds the same as x.csv. It was read once.");
    assert_eq!(problems.total(), 1);
}

#[test]
fn a_query_has_one_domain() {
    let text = "model_a,model_b,winner,id,domain\na,b,tie,1,\nc,d,tie,1,Law\na,c,tie,1,Art\n";
    let (found, _) = read(&[("x.csv", text)]);
    assert_eq!(shown(&found.tournament), ["a = b / 1 / Law", "c = d / 1 / Law", "a = c / 1 / Law"]);
    assert_eq!(found.tournament.strata, ["Law"]);
    assert!(found.notes[0].starts_with("Of 1 battle the query"), "{:?}", found.notes);
}

#[test]
fn packed_files() {
    use std::io::Write as _;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(b"left,right,winner\na,b,left\n").unwrap();
    let packed = packer.finish().unwrap();
    assert!(has_battles("x.csv.gz", &packed));
    let (found, problems) = read_battles(&[("x.csv.gz".to_owned(), Blob::from(packed))]);
    assert_eq!(shown(&found.tournament), ["a > b / x.csv.gz:2 / "]);
    assert!(problems.is_empty());
}

#[test]
fn exports_by_hand() {
    struct Known;
    impl Texts for Known {
        fn query(&self, _: u32) -> Option<&str> {
            Some("Why?")
        }

        fn answer(&self, system: u32, query: u32) -> Option<&str> {
            (query == 0).then_some(["From b.", "From a."][system as usize])
        }
    }
    let battle = |winner, query| Battle { first: 0, second: 1, winner, query, stratum: 0 };
    let tournament = Tournament {
        systems: vec!["b".to_owned(), "a".to_owned()],
        queries: vec!["=q".to_owned(), "r".to_owned()],
        strata: vec!["Law, and Order".to_owned()],
        battles: vec![battle(Winner::First, 0), battle(Winner::Tie, 0)],
        undecided: vec![Undecided { first: 0, second: 1, query: 1, stratum: 0 }],
    };
    let arena = arena_csv(&tournament);
    assert_eq!(
        arena.text,
        "question_id,model_a,model_b,winner,domain\r\n'=q,b,a,model_a,\"Law, and Order\"\r\n\
         '=q,b,a,tie,\"Law, and Order\"\r\n"
    );
    assert_eq!(arena.left_out, 1);
    let evalica = evalica_csv(&tournament);
    assert_eq!(evalica.text, "left,right,winner,id\r\nb,a,left,'=q\r\nb,a,tie,'=q\r\n");
    assert_eq!(evalica.left_out, 1);
    let direct = [Some((Some(Winner::First), Some(Winner::First)))];
    let details = Details { direct: &direct, scores: &[Some((4.5, 2.0))], texts: Some(&Known) };
    let export = reference_json(&tournament, &details).unwrap();
    assert_eq!((export.without_verdicts, export.repeated), (2, 1));
    let rows: Vec<serde_json::Value> = serde_json::from_str(&export.json).unwrap();
    assert_eq!(
        rows[0],
        serde_json::json!({
            "session_id": "=q", "general_domain": "Law, and Order", "query": "Why?",
            "implementation_A": "a", "implementation_B": "b",
            "response_A": "From a.", "response_B": "From b.",
            "judge": "B", "judge_swapped": "B", "score_A": 2.0, "score_B": 4.5, "winner": "lose"
        })
    );
    let bare = reference_json(&tournament, &Details::default()).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&bare.json).unwrap();
    assert_eq!(
        rows[2],
        serde_json::json!({
            "session_id": "r", "general_domain": "Law, and Order",
            "implementation_A": "a", "implementation_B": "b",
            "judge": null, "judge_swapped": null, "winner": null
        })
    );
    let files = reference_files(&tournament, &details).unwrap();
    assert_eq!((files.len(), files[0].0.as_str()), (1, "law_and_order.json"));
    assert_eq!(files[0].1, export);
}

/// A name as nobody should choose one.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "\"", "\"\"", ",", "\n", "\r\n", "\r", "'", "=", "+", "-", "@", "\t", ";", " ", "{",
            "[", "=cmd()", "model_a", "tie", "\u{feff}", "\u{202e}", "é", "日本", "a", "b", "NaN",
            "null", "1",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_filter("no text file", |c| *c != '\0').prop_map(String::from),
    ];
    let name = prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat());
    name.prop_filter("a name", |name| !name.trim().is_empty())
}

/// Systems, queries with a domain each, battles, verdicts and scores. No battle of a pair over a query comes
/// twice.
type Made = (Tournament, Vec<Option<(Option<Winner>, Option<Winner>)>>, Vec<Option<(f64, f64)>>);

fn made() -> impl Strategy<Value = Made> {
    let names = |most| prop::collection::btree_set(hostile(), 2..most).prop_shuffle_all();
    let verdict = || {
        prop_oneof![
            Just(None),
            Just(Some(Winner::First)),
            Just(Some(Winner::Second)),
            Just(Some(Winner::Tie))
        ]
    };
    (names(6), names(6), names(4)).prop_flat_map(move |(systems, queries, domains)| {
        let (n, q, d) = (systems.len() as u32, queries.len() as u32, domains.len() as u32);
        let battle =
            (0..n, 1..n, 0..q, verdict(), verdict(), verdict(), any::<Option<(i16, i16)>>());
        (
            Just((systems, queries, domains)),
            prop::collection::vec(0..=d, q as usize),
            prop::collection::vec(battle, 1..20),
        )
            .prop_map(move |((systems, queries, mut strata), domain_of, rows)| {
                strata.push(String::new());
                let mut tournament =
                    Tournament { systems, queries, strata, ..Tournament::default() };
                let (mut direct, mut scores) = (Vec::new(), Vec::new());
                let mut met = std::collections::BTreeSet::new();
                for (first, apart, query, winner, one, other, score) in rows {
                    let second = (first + apart) % n;
                    if !met.insert((first.min(second), first.max(second), query)) {
                        continue;
                    }
                    let stratum = domain_of[query as usize];
                    let Some(winner) = winner else {
                        tournament.undecided.push(Undecided { first, second, query, stratum });
                        continue;
                    };
                    tournament.battles.push(Battle { first, second, winner, query, stratum });
                    let both = (one, other);
                    direct.push((both != (None, None)).then_some(both));
                    // Scores that contradict the winner would be told as a problem.
                    scores.push(score.map(|(one, other)| {
                        let (low, high) = (one.min(other), one.max(other).max(one.min(other) + 1));
                        match winner {
                            Winner::First => (f64::from(high), f64::from(low)),
                            Winner::Second => (f64::from(low), f64::from(high)),
                            Winner::Tie => (f64::from(low) / 3.0, f64::from(low) / 3.0),
                        }
                    }));
                }
                (tournament, direct, scores)
            })
    })
}

trait Shuffled: Strategy {
    /// As a list in any order.
    fn prop_shuffle_all(self) -> BoxedStrategy<Vec<String>>;
}

impl<S> Shuffled for S
where
    S: Strategy<Value = std::collections::BTreeSet<String>> + 'static,
{
    fn prop_shuffle_all(self) -> BoxedStrategy<Vec<String>> {
        self.prop_map(|set| set.into_iter().collect::<Vec<_>>()).prop_shuffle().boxed()
    }
}

/// A battle with names for numbers, the alphabet's first name first.
type Plain = (String, String, String, String, Option<Winner>);

fn plain(tournament: &Tournament) -> Vec<Plain> {
    let name = |names: &[String], number: u32| names[number as usize].clone();
    let decided = tournament.battles.iter().map(|battle| {
        (battle.first, battle.second, battle.query, battle.stratum, Some(battle.winner))
    });
    let open = tournament
        .undecided
        .iter()
        .map(|open| (open.first, open.second, open.query, open.stratum, None));
    decided
        .chain(open)
        .map(|(first, second, query, stratum, winner)| {
            let (one, other) =
                (name(&tournament.systems, first), name(&tournament.systems, second));
            let (query, domain) =
                (name(&tournament.queries, query), name(&tournament.strata, stratum));
            if one < other {
                (one, other, query, domain, winner)
            } else {
                (other, one, query, domain, winner.map(Winner::swapped))
            }
        })
        .collect()
}

proptest! {
    #[test]
    fn tables_there_and_back((tournament, ..) in made()) {
        let decided = Tournament { undecided: Vec::new(), ..tournament.clone() };
        let undecided = tournament.undecided.len() as u64;
        let arena = arena_csv(&tournament);
        prop_assert_eq!(arena.left_out, undecided);
        let (found, problems) = read(&[("votes.csv", &arena.text)]);
        if decided.battles.is_empty() {
            return Ok(());
        }
        prop_assert!(problems.is_empty(), "{:?}", problems);
        prop_assert_eq!(plain(&found.tournament), plain(&decided));
        let seats = |tournament: &Tournament| -> Vec<String> {
            tournament.battles.iter().map(|at| tournament.systems[at.first as usize].clone()).collect()
        };
        prop_assert_eq!(seats(&found.tournament), seats(&decided));
        let evalica = evalica_csv(&tournament);
        prop_assert_eq!(evalica.left_out, undecided);
        let (found, problems) = read(&[("table", &evalica.text)]);
        prop_assert!(problems.is_empty(), "{:?}", problems);
        let without_domain = |tournament: &Tournament| {
            let battles = plain(tournament);
            battles.into_iter().map(|(a, b, query, _, won)| (a, b, query, won)).collect::<Vec<_>>()
        };
        prop_assert_eq!(without_domain(&found.tournament), without_domain(&decided));
        prop_assert_eq!(seats(&found.tournament), seats(&decided));
        // A cell that a spreadsheet would run.
        let mut reader = csv::Reader::from_reader(arena.text.as_bytes());
        for row in reader.records() {
            let row = row.unwrap();
            prop_assert!(!row.iter().any(|cell| cell.starts_with(['=', '+', '-', '@', '\t', '\r'])));
        }
    }

    #[test]
    fn pairwise_results_there_and_back((tournament, direct, scores) in made()) {
        let details = Details { direct: &direct, scores: &scores, texts: None };
        let export = reference_json(&tournament, &details).unwrap();
        prop_assert_eq!(export.repeated, 0);
        let (found, problems) = read(&[("any.json", &export.json)]);
        prop_assert!(problems.is_empty(), "{:?}", problems);
        prop_assert_eq!(plain(&found.tournament), plain(&tournament));
        // Read again, seats and all are as they were written.
        let details = Details { direct: &found.direct, scores: &found.scores, texts: None };
        let again = reference_json(&found.tournament, &details).unwrap();
        prop_assert_eq!(&again, &export);
        let files = reference_files(&tournament, &Details { direct: &direct, scores: &scores, texts: None }).unwrap();
        let files: Vec<_> = files.iter().map(|(name, file)| (&**name, &*file.json)).collect();
        let (found, problems) = read(&files);
        prop_assert!(problems.is_empty(), "{:?}", problems);
        let sorted = |tournament: &Tournament| {
            let mut battles = plain(tournament);
            battles.sort();
            battles
        };
        prop_assert_eq!(sorted(&found.tournament), sorted(&tournament));
    }

    /// Whatever happens to a file, what is read holds together.
    #[test]
    fn damaged_files((tournament, direct, scores) in made(), which in 0..4_usize, cut in any::<prop::sample::Index>(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6)) {
        let details = Details { direct: &direct, scores: &scores, texts: None };
        let text = match which {
            0 => arena_csv(&tournament).text,
            1 => evalica_csv(&tournament).text,
            2 => reference_json(&tournament, &details).unwrap().json,
            _ => arena_csv(&tournament).text.replace("model_", "implementation_").replace("question", "session"),
        };
        let mut bytes = text.into_bytes();
        for (place, byte) in changes {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        has_battles("x", &bytes);
        let (found, _) = read_battles(&[("x".to_owned(), Blob::from(bytes)), file("y", FIVE)]);
        let ImportedBattles { tournament, direct, scores, .. } = found;
        let Tournament { systems, queries, strata, battles, undecided } = &tournament;
        prop_assert!(5 <= battles.len());
        prop_assert!(direct.len() == battles.len() && scores.len() == battles.len());
        let open = undecided.iter().map(|open| (open.first, open.second, open.query, open.stratum));
        let all = battles.iter().map(|at| (at.first, at.second, at.query, at.stratum)).chain(open);
        for (first, second, query, stratum) in all {
            prop_assert!(first != second);
            prop_assert!(first.max(second) < systems.len() as u32);
            prop_assert!(query < queries.len() as u32 && stratum < strata.len() as u32);
        }
    }
}

/// Ratings of the file `VIVA_BATTLES`, by name, written to `VIVA_RATINGS` for others to compare.
#[test]
#[ignore = "a step of `make check-external`"]
fn rate_a_file() {
    let [from, to] = ["VIVA_BATTLES", "VIVA_RATINGS"].map(|name| std::env::var(name).expect(name));
    let bytes = Blob::from(std::fs::read(&from).unwrap());
    let (found, problems) = read_battles(&[(from, bytes)]);
    assert!(problems.is_empty(), "{:?}", problems.list());
    let Tournament { systems, battles, undecided, .. } = found.tournament;
    assert!(undecided.is_empty());
    let counts = PairCounts::of(systems.len(), &battles);
    let fit = fit(examine(&counts).expect("results that connect all systems"));
    let ratings: std::collections::BTreeMap<_, _> =
        systems.into_iter().zip(fit.ratings()).collect();
    std::fs::write(to, serde_json::to_string(&ratings).unwrap()).unwrap();
}

#[test]
fn too_much_to_tell_or_to_rate() {
    let bad: Vec<String> = (0..300).map(|at| format!("a,b,nobody {at}")).collect();
    let text = format!("left,right,winner\na,b,tie\n{}\n", bad.join("\n"));
    let (found, problems) = read(&[("x.csv", &text)]);
    assert_eq!(found.tournament.battles.len(), 1);
    assert_eq!((problems.total(), problems.list().len()), (300, Problems::KEPT));

    let vote = |at: u32| format!(r#"{{"model_a":"m{at}","model_b":"m{}","winner":"tie"}}"#, at + 1);
    let votes: Vec<String> = (0..2001).map(vote).collect();
    let (found, problems) = read(&[("x.jsonl", &votes.join("\n"))]);
    assert_eq!(found.tournament.systems.len(), 2000);
    assert_eq!((found.tournament.battles.len(), problems.total()), (1999, 2));
    let more = "left,right,winner\nm0,m1,tie\nm0,new,tie\n";
    let (found, problems) = read(&[("x.jsonl", &votes.join("\n")), ("y.csv", more)]);
    assert_eq!((found.tournament.battles.len(), problems.total()), (2000, 3));
    assert_eq!(problems.list()[2].what, "There are more than 2000 systems. It was left out.");
}
