//! Files of battles: what is read is between two systems over one query, and adds to what was there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::dataset::Blob;
use viva::dataset::battles::{has_battles, read_battles};

fuzz_target!(|bytes: &[u8]| {
    has_battles("x", bytes);
    let table = b"left,right,winner\na,b,left\n".to_vec();
    let files =
        [("x".to_owned(), Blob::from(bytes.to_vec())), ("y.csv".to_owned(), Blob::from(table))];
    let (found, _) = read_battles(&files);
    let t = &found.tournament;
    assert!(!t.battles.is_empty());
    // As long as the battles, or empty where no file says.
    assert!(
        [found.direct.len(), found.scores.len()].iter().all(|n| [0, t.battles.len()].contains(n))
    );
    let open = t.undecided.iter().map(|it| (it.first, it.second, it.query, it.stratum));
    let all = t.battles.iter().map(|it| (it.first, it.second, it.query, it.stratum));
    for (first, second, query, stratum) in all.chain(open) {
        assert!(first != second && (first.max(second) as usize) < t.systems.len());
        assert!((query as usize) < t.queries.len() && (stratum as usize) < t.strata.len());
    }
});
