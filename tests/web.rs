//! What only a browser can show: IndexedDB, fetch, time.

#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test that cannot go on must fail, and numbers pass unchanged"
)]

use std::rc::Rc;
use std::time::Duration;

use viva::edge::fetch::{self, NoResponse};
use viva::edge::storage::{Files, Kept, Store};
use viva::edge::tabs::Tabs;
use viva::edge::vault::{self, OpenError};
use viva::edge::{clock, message};
use viva::ids::Digest;
use viva::judge::http::{Auth, HttpRequest, Method};
use viva::judge::keyring::Sealed;
use viva::judge::{ApiKey, Attempt, ErrorKind, Finish, JudgeSpec, Outcome, Usage};
use viva::run::record::{Origin, Record, Settings};
use viva::run::{DatasetStamp, Frame, Phase, Texts};
use viva::worker::data::{Edit, RawFile};
use viva::worker::{Role, RunEvent, RunJob};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn attempt(at: f64, text: &str) -> Attempt {
    Attempt {
        run: "r".to_owned(),
        pass: 0,
        at,
        took: 3.0,
        model_asked: "m".to_owned(),
        model_answered: None,
        sent: vec!["temperature=0".to_owned()],
        dropped: Vec::new(),
        usage: Usage { input: Some(9), ..Usage::default() },
        outcome: Outcome::Reply {
            text: text.to_owned(),
            finish: Finish::Stop,
            evidence: Vec::new(),
        },
    }
}

fn record(seed: u64) -> Record {
    let settings = Settings {
        per_field: Some(2),
        concurrency: 8,
        ..Settings::of_coverage(JudgeSpec::Practice, seed)
    };
    let digest = Digest::of_texts(["set"]);
    Record {
        id: Record::id_of(&settings, digest),
        name: "a run".to_owned(),
        created: 1.0,
        updated: 2.0,
        origin: Origin::Here,
        settings,
        frame: Frame {
            dataset: DatasetStamp {
                name: "set".to_owned(),
                source: "file".to_owned(),
                digest,
                n_cases: 0,
                n_items: 0,
            },
            cases: Vec::new(),
            systems: Vec::new(),
        },
        battles: Vec::new(),
        pass: 1,
        phase: Phase::Stopped,
        conflicts: Vec::new(),
        extensions: Vec::new(),
        bridge: None,
        batches: Vec::new(),
    }
}

/// One test, since all share one database: the order matters.
#[wasm_bindgen_test]
async fn what_is_stored_is_found_again_and_forgotten_at_once() {
    let store = Store::open(Rc::new(Tabs::open(|_| {}))).await;
    assert_eq!(store.refused, None);
    store.clear().await.unwrap();

    // Attempts that come together share a transaction, and none is lost.
    let key = Digest::of_texts(["key"]);
    let failure = Attempt {
        outcome: Outcome::Failure {
            kind: ErrorKind::Overloaded,
            status: Some(529),
            detail: "busy".to_owned(),
            body: "{}".to_owned(),
        },
        ..attempt(5.0, "")
    };
    let many: Vec<Attempt> =
        (0..300).map(|n| attempt(f64::from(n), &format!("Mostly {n}"))).collect();
    let writes = many.iter().chain([&failure]).map(|it| store.append(key, it));
    for result in futures_util::future::join_all(writes).await {
        result.unwrap();
    }
    let other = Store::open(Rc::new(Tabs::open(|_| {}))).await;
    let replies = other.replies().await.unwrap();
    assert_eq!(replies.len(), 301);
    assert!(replies.iter().all(|(it, _)| *it == key));
    assert!(replies.iter().any(|(_, it)| *it == failure));

    let run = record(7);
    store.save_run(&run).await.unwrap();
    store.save_run(&record(8)).await.unwrap();
    let texts = Texts { cases: Vec::new(), answers: vec![vec![Some("An answer.".to_owned())]] };
    store.save_run_with_texts(&run, Some(&texts)).await.unwrap();
    assert_eq!(other.runs().await.unwrap().len(), 2);
    assert_eq!(other.runs_with_texts().await.unwrap(), std::slice::from_ref(&run.id));
    assert_eq!(other.texts(&run.id).await.unwrap(), Some(texts));

    store.delete_run(&run.id).await.unwrap();
    assert_eq!(other.runs().await.unwrap(), [record(8)]);
    assert_eq!(other.texts(&run.id).await.unwrap(), None);
    assert_eq!(other.replies().await.unwrap().len(), 301, "replies are shared by all runs");

    store.clear().await.unwrap();
    assert!(other.runs().await.unwrap().is_empty());
    assert!(other.replies().await.unwrap().is_empty());

    let files = Files::open().await.unwrap();
    let file = |name: &str| RawFile::new(name, vec![0, 255, 10]);
    let kept = Kept {
        dataset: vec![file("q.json")],
        answers: vec![file("b.json"), file("a.json")],
        edits: vec![Edit::Remove { name: "x".to_owned() }],
        is_sample: true,
        source: None,
    };
    files.save(&kept).await.unwrap();
    let again = Files::open().await.unwrap().load().await.unwrap();
    assert_eq!(again.dataset, kept.dataset);
    assert_eq!(again.answers, kept.answers, "in the order they were brought");
    assert_eq!((again.edits, again.is_sample), (kept.edits, true));
    files.clear().await.unwrap();
    assert!(Files::open().await.unwrap().load().await.unwrap().dataset.is_empty());
}

fn request(url: &str) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url: url.to_owned(),
        headers: vec![("Content-Type", "application/json")],
        auth: Auth::Bearer,
        body: "{}".to_owned(),
    }
}

#[wasm_bindgen_test]
async fn nobody_there_is_unreachable_and_never_a_panic() {
    let result =
        fetch::send(&request("http://127.0.0.1:9/v1"), None, Duration::from_secs(20)).await;
    assert!(matches!(result, Err(NoResponse::Unreachable(_))), "{result:?}");
    let result = fetch::send(&request("http://["), None, Duration::from_secs(20)).await;
    assert!(result.is_err());
}

#[wasm_bindgen_test]
async fn a_key_is_not_sent_elsewhere() {
    let key = ApiKey::new("sk-abcdefgh12345678", "https://api.example.org/v1").unwrap();
    let result =
        fetch::send(&request("http://127.0.0.1:9/v1"), Some(&key), Duration::from_secs(20)).await;
    assert_eq!(result, Err(NoResponse::KeyElsewhere));
}

#[wasm_bindgen_test]
fn messages_pass_unchanged() {
    let job = RunJob::Start { settings: record((1 << 53) - 1).settings };
    let (packed, transfer) = message::pack_dense(4.0, &job, &[message::buffer(b"abc")]).unwrap();
    assert_eq!(transfer.length(), 2);
    let envelope = message::unpack(&packed).unwrap();
    assert_eq!(envelope.id, 4.0);
    assert_eq!(envelope.bytes[0].to_vec(), b"abc");
    match message::read_dense(&envelope.body).unwrap() {
        RunJob::Start { settings } => assert_eq!(settings, record((1 << 53) - 1).settings),
        other => panic!("{other:?}"),
    }
    assert!(message::read_dense::<RunEvent>(&"no event".into()).is_err());
    let word = message::unpack(&message::greet(7, Some("a")).unwrap()).unwrap();
    assert_eq!(
        (word.id, message::greeting(&word.body)),
        (message::UNASKED, Some((7, Some("a".to_owned()))))
    );
    assert_eq!(message::greeting(&packed), None);
    assert_eq!(Role::read("data"), Some(Role::Data));
}

#[wasm_bindgen_test]
async fn sleeping_takes_time_and_dates_read_as_utc() {
    let before = clock::now();
    clock::sleep(Duration::from_millis(30)).await;
    assert!(25.0 <= clock::now() - before);
    assert_eq!(clock::rfc3339(0.0), "1970-01-01T00:00:00Z");
}

#[wasm_bindgen_test]
async fn a_sealed_key_opens_with_its_passphrase_and_its_host_alone() {
    const KEY: &str = "sk-abcdefgh12345678";
    const ORIGIN: &str = "https://api.example.org";
    let key = ApiKey::new(KEY, ORIGIN).unwrap();
    let sealed = vault::seal(&key, "four words of nobody").await.unwrap();
    let again = vault::seal(&key, "four words of nobody").await.unwrap();
    assert!(sealed.salt() != again.salt() && sealed.iv() != again.iv());
    let stored = serde_json::to_string(&sealed).unwrap();
    assert!(!stored.contains("abcdefgh"));
    let read: Sealed = serde_json::from_str(&stored).unwrap();
    let opened = vault::open(&read, "four words of nobody").await.unwrap();
    assert_eq!(opened.reveal_for(ORIGIN), Some(KEY));
    let wrong = vault::open(&read, "four words of someone").await;
    assert!(matches!(wrong, Err(OpenError::Passphrase)));
    let moved = stored.replace("api.example.org", "api.example.com");
    let moved: Sealed = serde_json::from_str(&moved).unwrap();
    let moved = vault::open(&moved, "four words of nobody").await;
    assert!(matches!(moved, Err(OpenError::Passphrase)));
}
