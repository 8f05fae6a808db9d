//! Battles of several files as one tournament: names become numbers, and later results replace earlier.

use std::collections::HashMap;

use crate::rating::ingest::MAX_SYSTEMS;
use crate::rating::{Battle, Tournament, Undecided};

use super::super::handout::unguarded;
use super::super::items::Flaw;
use super::super::problem::{Place, Problems};
use super::super::text::excerpt;
use super::record::{Domain, Named, Sign, itself};
use super::{BattlesFile, BothSeats, ImportedBattles, record};

#[derive(Default)]
pub(super) struct Gathered {
    systems: Index,
    queries: Index,
    strata: Index,
    battles: Vec<Battle>,
    undecided: Vec<Undecided>,
    /// As long as the battles, or shorter: none are known from there on.
    direct: Vec<Option<BothSeats>>,
    scores: Vec<Option<(f64, f64)>>,
    /// Where the battle of a query, a first and a second side stands, where these stand for one alone.
    spots: HashMap<(u32, u32, u32), Spot>,
    /// Places in `undecided` that were decided later.
    settled: Vec<usize>,
    counted: Counted,
    notes: Vec<String>,
}

#[derive(Clone, Copy)]
enum Spot {
    Battle(usize),
    Undecided(usize),
}

/// What is told about a file once it was read.
#[derive(Default)]
struct Counted {
    both_seats: u64,
    one_seat: u64,
    replaced: u64,
    domain: Option<String>,
}

impl Gathered {
    pub(super) fn add(&mut self, battle: Named) -> Result<(), Flaw> {
        let Named { first, second, query, domain, is_key, winner, sign, direct, scores } = battle;
        let new = [&first, &second].into_iter().filter(|name| !self.systems.has(name)).count();
        if MAX_SYSTEMS < self.systems.names.len() + new {
            return Err(too_many());
        }
        match sign {
            Sign::BothSeats => self.counted.both_seats += 1,
            Sign::OneSeat => self.counted.one_seat += 1,
            Sign::Result | Sign::Nothing => {}
        }
        let domain = match domain {
            Domain::Written(domain) => domain,
            Domain::OfFile(domain) => {
                self.counted.domain.get_or_insert_with(|| domain.clone());
                domain
            }
        };
        let (first, second) = (self.systems.number(first), self.systems.number(second));
        let (query, stratum) = (self.queries.number(query), self.strata.number(domain));
        let key = (query, first, second);
        let before = if is_key { self.spots.get(&key).copied() } else { None };
        let open = Undecided { first, second, query, stratum };
        let spot = match (winner, before) {
            (Some(winner), Some(Spot::Battle(at))) => {
                self.counted.replaced += 1;
                self.battles[at] = Battle { first, second, winner, query, stratum };
                put(&mut self.direct, at, direct);
                put(&mut self.scores, at, scores);
                Spot::Battle(at)
            }
            (Some(winner), before) => {
                if let Some(Spot::Undecided(at)) = before {
                    self.settled.push(at);
                }
                let at = self.battles.len();
                self.battles.push(Battle { first, second, winner, query, stratum });
                put(&mut self.direct, at, direct);
                put(&mut self.scores, at, scores);
                Spot::Battle(at)
            }
            // A plan says nothing about a result that is known.
            (None, Some(before)) => before,
            (None, None) => {
                self.undecided.push(open);
                Spot::Undecided(self.undecided.len() - 1)
            }
        };
        if is_key {
            self.spots.insert(key, spot);
        }
        Ok(())
    }

    /// Takes in a table as a whole, and counts its rows.
    pub(super) fn adopt(
        &mut self,
        tournament: Tournament,
        file: &str,
        problems: &mut Problems,
    ) -> u64 {
        let Tournament { systems, queries, strata, battles, undecided } = tournament;
        let systems = self.systems.adopt(systems);
        let queries = self.queries.adopt(queries);
        let strata = self.strata.adopt(strata);
        let mut rows = 0;
        // Two names can be one without the mark that guards it, and files together can name too many.
        let mut fits = |first: u32, second: u32| {
            if first == second {
                let what = itself(self.systems.name(first));
                problems.report(file, Place::File, what, record::ITSELF_CURE);
            } else if MAX_SYSTEMS <= first.max(second) as usize {
                let (what, cure) = too_many();
                problems.report(file, Place::File, format!("{what} It was left out."), cure);
            } else {
                rows += 1;
            }
            first != second && (first.max(second) as usize) < MAX_SYSTEMS
        };
        self.battles.reserve(battles.len());
        for battle in battles {
            let (first, second) = (systems.of(battle.first), systems.of(battle.second));
            if fits(first, second) {
                let (query, stratum) = (queries.of(battle.query), strata.of(battle.stratum));
                self.battles.push(Battle { first, second, query, stratum, ..battle });
            }
        }
        for open in undecided {
            let (first, second) = (systems.of(open.first), systems.of(open.second));
            if fits(first, second) {
                let (query, stratum) = (queries.of(open.query), strata.of(open.stratum));
                self.undecided.push(Undecided { first, second, query, stratum });
            }
        }
        rows
    }

    /// Says what is to say about the file that was read.
    pub(super) fn file_ends(&mut self, name: &str) {
        let Counted { both_seats, one_seat, replaced, domain } = std::mem::take(&mut self.counted);
        let file = excerpt(name);
        if 0 < both_seats {
            self.notes.push(format!(
                "No rubric scores are in {file}: the direct judge alone decided {}. A side that both \
                 its verdicts name has won; where they differ it is a tie.",
                battles(both_seats)
            ));
        }
        if 0 < one_seat {
            self.notes.push(format!(
                "{file} has verdicts for one order of seats only, which decided {}. A lean to one \
                 seat cannot be told there.",
                battles(one_seat)
            ));
        }
        if 0 < replaced {
            self.notes.push(format!(
                "{file} gives another result for {} that had one. The later one counts.",
                battles(replaced)
            ));
        }
        if let Some(domain) = domain {
            self.notes.push(format!(
                "{file} names no domain for some battles. They are taken to be of {}, as the file is \
                 called.",
                excerpt(&domain)
            ));
        }
    }

    pub(super) fn finish(mut self, files: Vec<BattlesFile>) -> ImportedBattles {
        self.settled.sort_unstable();
        let mut settled = self.settled.iter().peekable();
        let mut at = 0..;
        self.undecided.retain(|_| settled.next_if_eq(&&at.next().unwrap_or_default()).is_none());
        self.one_domain_a_query();
        if !self.undecided.is_empty() {
            let count = self.undecided.len() as u64;
            let (are, count_as) = if count == 1 { ("is", "counts") } else { ("are", "count") };
            self.notes.push(format!(
                "{} {are} undecided and {count_as} neither as a tie nor as a loss.",
                battles(count)
            ));
        }
        if !self.direct.is_empty() {
            self.direct.resize(self.battles.len(), None);
        }
        if !self.scores.is_empty() {
            self.scores.resize(self.battles.len(), None);
        }
        let Self { systems, queries, strata, mut battles, mut undecided, direct, scores, .. } =
            self;
        let (battles_, undecided_) = (&mut battles[..], &mut undecided[..]);
        let systems = {
            let of_battles = battles_.iter_mut().flat_map(|it| [&mut it.first, &mut it.second]);
            let of_open = undecided_.iter_mut().flat_map(|it| [&mut it.first, &mut it.second]);
            only_used(systems.names, of_battles.chain(of_open).collect())
        };
        let queries = {
            let of_battles = battles_.iter_mut().map(|it| &mut it.query);
            let of_open = undecided_.iter_mut().map(|it| &mut it.query);
            only_used(queries.names, of_battles.chain(of_open).collect())
        };
        let strata = {
            let of_battles = battles_.iter_mut().map(|it| &mut it.stratum);
            let of_open = undecided_.iter_mut().map(|it| &mut it.stratum);
            only_used(strata.names, of_battles.chain(of_open).collect())
        };
        let tournament = Tournament { systems, queries, strata, battles, undecided };
        ImportedBattles { tournament, direct, scores, files, notes: self.notes }
    }

    /// A query is drawn within one domain: the first that is named for it.
    fn one_domain_a_query(&mut self) {
        let unnamed: Vec<bool> = self.strata.names.iter().map(String::is_empty).collect();
        let mut domain_of: Vec<Option<u32>> = vec![None; self.queries.names.len()];
        let of_battles = self.battles.iter().map(|battle| (battle.query, battle.stratum));
        let of_open = self.undecided.iter().map(|open| (open.query, open.stratum));
        let mut others = 0_u64;
        for (query, stratum) in of_battles.chain(of_open) {
            if unnamed[stratum as usize] {
                continue;
            }
            let known = *domain_of[query as usize].get_or_insert(stratum);
            others += u64::from(known != stratum);
        }
        for battle in &mut self.battles {
            battle.stratum = domain_of[battle.query as usize].unwrap_or(battle.stratum);
        }
        for open in &mut self.undecided {
            open.stratum = domain_of[open.query as usize].unwrap_or(open.stratum);
        }
        if 0 < others {
            self.notes.push(format!(
                "Of {} the query has another domain than in an earlier one. The first counts.",
                battles(others)
            ));
        }
    }
}

fn too_many() -> Flaw {
    (
        format!("There are more than {MAX_SYSTEMS} systems."),
        "Check which columns name the systems, or bring fewer files.",
    )
}

fn battles(count: u64) -> String {
    if count == 1 { "1 battle".to_owned() } else { format!("{count} battles") }
}

fn put<T: Copy>(list: &mut Vec<Option<T>>, at: usize, value: Option<T>) {
    if value.is_some() && list.len() <= at {
        list.resize(at + 1, None);
    }
    if let Some(place) = list.get_mut(at) {
        *place = value;
    }
}

/// Leaves out names that no battle has, and numbers the others in their order.
fn only_used(names: Vec<String>, numbers: Vec<&mut u32>) -> Vec<String> {
    let mut used = vec![false; names.len()];
    for number in &numbers {
        used[**number as usize] = true;
    }
    if used.iter().all(|used| *used) {
        return names;
    }
    let mut next = 0;
    let new: Vec<u32> = used
        .iter()
        .map(|used| {
            next += u32::from(*used);
            next.saturating_sub(1)
        })
        .collect();
    for number in numbers {
        *number = new[*number as usize];
    }
    names.into_iter().zip(used).filter_map(|(name, used)| used.then_some(name)).collect()
}

/// Numbers from 0 for names, in order of first appearance.
#[derive(Default)]
struct Index {
    names: Vec<String>,
    /// Of the first `known` names. Those of a table that is the only file are never asked for.
    numbers: HashMap<String, u32>,
    known: usize,
}

impl Index {
    fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    fn has(&mut self, name: &str) -> bool {
        self.catch_up();
        self.numbers.contains_key(name)
    }

    fn number(&mut self, name: String) -> u32 {
        self.catch_up();
        if let Some(known) = self.numbers.get(&name) {
            return *known;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        self.known = self.names.len();
        number
    }

    fn catch_up(&mut self) {
        for at in self.known..self.names.len() {
            self.numbers.entry(self.names[at].clone()).or_insert(at as u32);
        }
        self.known = self.names.len();
    }

    /// Numbers for the names of a table, which may be guarded against spreadsheets.
    fn adopt(&mut self, names: Vec<String>) -> Numbering {
        let as_written = names.iter().all(|name| unguarded(name) == name);
        if self.names.is_empty() && as_written {
            self.names = names;
            return Numbering::AsTheyAre;
        }
        let number = |name: String| match unguarded(&name) {
            bare if bare.len() < name.len() => self.number(bare.to_owned()),
            _ => self.number(name),
        };
        Numbering::Others(names.into_iter().map(number).collect())
    }
}

enum Numbering {
    AsTheyAre,
    Others(Vec<u32>),
}

impl Numbering {
    fn of(&self, number: u32) -> u32 {
        match self {
            Self::AsTheyAre => number,
            Self::Others(numbers) => numbers[number as usize],
        }
    }
}
