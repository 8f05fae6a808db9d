//! Files of battles in every format, with every fault, and there and back.

use viva::dataset::battles::{BattlesFormat, ImportedBattles, has_battles, read_battles};
use viva::dataset::{Blob, Problems};
use viva::rating::{Tournament, Winner};

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
