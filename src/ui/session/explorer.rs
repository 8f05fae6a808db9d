//! Looking around in the questions: the filter, what it finds, and the part of it that is on the screen.

use std::collections::BTreeMap;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::dataset::explore::Filter;
use crate::dataset::{Facet, Summary};
use crate::edge::{clock, page};
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::Session;
use crate::worker::{DataJob, DataReply, DatasetView, Explored, QueryRow, QuestionView};

/// Rows asked for at a time.
pub const PAGE: u64 = 64;
/// So many pages of rows are held; the rest is asked for again.
const PAGES: usize = 24;
/// A search begins when nobody has typed for so long.
const PAUSE: Duration = Duration::from_millis(120);

/// The signals of this part of the page.
#[derive(Clone, Copy)]
pub struct ExplorerSession {
    pub filter: RwSignal<Filter>,
    pub found: RwSignal<Explored>,
    /// Rows of what was found, by page.
    pub pages: RwSignal<BTreeMap<u64, Vec<QueryRow>>>,
    pub question: RwSignal<Option<QuestionView>>,
    /// Numbers of the newest wish, so that older answers are dropped.
    turn: RwSignal<u64>,
}

impl ExplorerSession {
    pub(super) fn new() -> Self {
        Self {
            filter: RwSignal::new(Filter::default()),
            found: RwSignal::new(Explored::default()),
            pages: RwSignal::new(BTreeMap::new()),
            question: RwSignal::new(None),
            turn: RwSignal::new(0),
        }
    }

    pub(super) fn clear(self) {
        self.filter.set(Filter::default());
        self.found.set(Explored::default());
        self.pages.set(BTreeMap::new());
        self.question.set(None);
    }
}

impl Session {
    /// Looks anew whenever the filter or the questions change, a moment after the last change.
    pub(super) fn watch_explorer(self) {
        let explorer = self.explorer;
        // With the number of its reading: a mended date changes nothing else, and yet what is found.
        let dataset =
            memo(move || self.workspace.with(|it| it.ready().and_then(|it| it.dataset.clone())));
        effect(move || {
            explorer.question.set(None);
            dataset.with(|it| {
                let Some(DatasetView { summary, .. }) = it else { return };
                if !explorer.filter.with_untracked(|it| names_are_in(it, summary)) {
                    let sample = explorer.filter.with_untracked(|it| it.sample);
                    explorer.filter.set(Filter { sample, ..Filter::default() });
                }
            });
        });
        effect(move || {
            explorer.filter.track();
            let loaded = dataset.with(Option::is_some);
            if self.route.get() == Route::Data && loaded {
                self.explore();
            }
        });
    }

    fn explore(self) {
        let explorer = self.explorer;
        let turn = explorer.turn.get_untracked() + 1;
        explorer.turn.set(turn);
        spawn_local(async move {
            clock::sleep(PAUSE).await;
            if explorer.turn.get_untracked() != turn {
                return;
            }
            let filter = explorer.filter.get_untracked();
            let reply = self.data(DataJob::Explore { filter }, &[]).await;
            if explorer.turn.get_untracked() != turn {
                return;
            }
            match reply {
                Ok((DataReply::Explored(found), _)) => {
                    explorer.pages.set(BTreeMap::new());
                    explorer.found.set(*found);
                }
                Ok(_) => {}
                Err(notice) => self.fail(&notice),
            }
        });
    }

    /// Brings the pages of rows that are on the screen and not here.
    pub fn need_rows(self, first: u64, last: u64) {
        let explorer = self.explorer;
        let (view, total) = explorer.found.with_untracked(|it| (it.view, it.total));
        if total == 0 {
            return;
        }
        for number in first / PAGE..=last.min(total - 1) / PAGE {
            if explorer.pages.with_untracked(|it| it.contains_key(&number)) {
                continue;
            }
            // Asked for: an empty page is not asked for twice.
            explorer.pages.update_untracked(|it| {
                it.insert(number, Vec::new());
            });
            spawn_local(async move {
                let job = DataJob::Rows { view, start: number * PAGE, len: PAGE };
                let Ok((DataReply::Rows { view, rows }, _)) = self.data(job, &[]).await else {
                    return;
                };
                if explorer.found.with_untracked(|it| it.view) != view {
                    return;
                }
                if rows.is_empty() {
                    // The files were read again meanwhile, and the worker knows this view no more.
                    self.explore();
                    return;
                }
                explorer.pages.update(|pages| {
                    pages.insert(number, rows);
                    while PAGES < pages.len() {
                        // What is farthest from here.
                        let ends = [pages.first_key_value(), pages.last_key_value()];
                        let far = ends.into_iter().flatten().map(|(it, _)| *it);
                        let Some(far) = far.max_by_key(|it| it.abs_diff(number)) else { break };
                        pages.remove(&far);
                    }
                });
            });
        }
    }

    pub(super) fn open_question(self, place: Option<u64>) {
        let explorer = self.explorer;
        let Some(place) = place else {
            explorer.question.set(None);
            return;
        };
        let text = explorer.filter.with_untracked(|it| it.text.clone());
        self.task(None, async move {
            let job = DataJob::Question { place, text };
            if let (DataReply::Question(question), _) = self.data(job, &[]).await? {
                explorer.question.set(Some(*question));
                page::focus("#q-open");
            }
            Ok(())
        });
    }

    pub(super) fn judge_sample(self) {
        if let Some((per_field, seed)) = self.explorer.filter.with_untracked(|it| it.sample) {
            self.draft.update(|it| {
                it.per_field = per_field.to_string();
                it.seed = seed.to_string();
            });
            page::go(&Route::Judge.href());
        }
    }
}

/// Whether the data have what the filter names. Names they do not have would find nothing.
fn names_are_in(filter: &Filter, summary: &Summary) -> bool {
    let has =
        |facets: &[Facet], name: &str| name.is_empty() || facets.iter().any(|it| it.name == name);
    has(&summary.by_domain, &filter.domain)
        && has(&summary.by_subdomain, &filter.subdomain)
        && has(&summary.by_field, &filter.field)
}
