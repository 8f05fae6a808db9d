//! Ratings from battles: the table with its doubt, or what is said where no rating exists.

pub mod beside;
pub mod choose;
pub mod fields;
pub mod gate;
pub mod pairs;
pub mod table;

use leptos::prelude::*;

use crate::edge::page;
use crate::metrics::leaderboard::Amounts;
use crate::ui::command::Command;
use crate::ui::part::blocks::blocks_view;
use crate::ui::part::notice::NoticeView;
use crate::ui::part::number::Count;
use crate::ui::part::problems::ProblemList;
use crate::ui::react::memo;
use crate::ui::session::{Load, Session, Tone};
use crate::worker::BoardView;

/// What the section shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Failed,
    Rated,
    Withheld,
    Nothing,
}

impl Stage {
    fn of(session: &Session) -> Self {
        session.ratings.board.with(|it| match it {
            Load::Idle | Load::Loading => Self::Waiting,
            Load::Failed(_) => Self::Failed,
            Load::Ready(BoardView::Rated { .. }) => Self::Rated,
            Load::Ready(BoardView::Withheld { .. }) => Self::Withheld,
            Load::Ready(BoardView::Nothing { .. }) => Self::Nothing,
        })
    }
}

/// Absent without battles.
#[component]
pub fn LeaderboardSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let any = memo(move || session.ratings.battles.with(Option::is_some));
    let stage = memo(move || Stage::of(&session));
    let title = move || {
        let domain = session.ratings.shown_domain();
        domain.map_or_else(|| "Leaderboard".to_owned(), |it| format!("Leaderboard, {it} only"))
    };
    view! {
        <Show when=move || any.get()>
            <section class="section section--noted" aria-labelledby="results-leaderboard">
                <header>
                    <h2 id="results-leaderboard">{title}</h2>
                    <choose::ModeField />
                </header>
                <beside::BackToRun />
                <beside::Standing />
                <choose::Choices />
                <Progress />
                <div class="with-margin">
                    <div>
                        {move || match stage.get() {
                            Stage::Waiting => view! { <Waiting /> }.into_any(),
                            Stage::Failed => view! { <Failed /> }.into_any(),
                            Stage::Rated => view! { <Rated /> }.into_any(),
                            Stage::Withheld => view! { <gate::Gate /> }.into_any(),
                            Stage::Nothing => view! { <Nothing /> }.into_any(),
                        }}
                        <beside::Agreement />
                        <fields::Fields />
                        <choose::SystemsRated />
                        <Aside />
                        <Notes />
                        <Problems />
                    </div>
                    <Margin stage=stage />
                </div>
            </section>
        </Show>
    }
    .into_any()
}

/// The table and all that unfolds below it.
#[component]
fn Rated() -> impl IntoView {
    view! {
        <table::Board />
        <pairs::Pairs />
        <Unfold />
    }
    .into_any()
}

/// Resamples, the grid and diagnostics, each under its title.
#[component]
fn Unfold() -> impl IntoView {
    let session = expect_context::<Session>();
    let titles = memo(move || {
        session.ratings.board.with(|it| match it.ready() {
            Some(BoardView::Rated { unfold, .. }) => unfold.iter().map(|it| it.0.clone()).collect(),
            _ => Vec::new(),
        })
    });
    view! { {move || {
        let fold = |(at, title)| view! { <Fold at=at title=title /> }.into_any();
        titles.get().into_iter().enumerate().map(fold).collect::<Vec<AnyView>>()
    }} }
}

/// Drawn once it is unfolded: thousands of rows that nobody looks at would hold up the page.
#[component]
fn Fold(at: usize, title: String) -> impl IntoView {
    let session = expect_context::<Session>();
    let open = RwSignal::new(false);
    let body = move || {
        session.ratings.board.with(|it| match it.ready() {
            Some(BoardView::Rated { unfold, .. }) => unfold.get(at).map(|it| it.1.clone()),
            _ => None,
        })
    };
    view! {
        <details on:toggle=move |event| open.set(page::is_open(&event))>
            <summary>{title}</summary>
            {move || open.get().then(|| body().map(blocks_view))}
        </details>
    }
}

/// Holds the table's place while it is computed for the first time.
#[component]
fn Waiting() -> impl IntoView {
    view! {
        <p role="status">"Rating the battles."</p>
    }
}

#[component]
fn Failed() -> impl IntoView {
    let session = expect_context::<Session>();
    view! { {move || {
        session.ratings.board.with(|it| match it {
            Load::Failed(notice) => {
                Some(view! { <NoticeView tone=Tone::Bad notice=notice.clone() /> })
            }
            _ => None,
        })
    }} }
}

#[component]
fn Nothing() -> impl IntoView {
    let session = expect_context::<Session>();
    view! { {move || {
        session.ratings.board.with(|it| match it {
            Load::Ready(BoardView::Nothing { text, .. }) => {
                Some(view! { <p role="status">{text.clone()}</p> })
            }
            _ => None,
        })
    }} }
}

/// Resamples done so far, where they take long enough to be seen.
#[component]
fn Progress() -> impl IntoView {
    let session = expect_context::<Session>();
    let shown = move || session.ratings.is_computing();
    let text = move || match session.ratings.progress.get() {
        Some((done, of)) if done < of => format!("Resampling: {done} of {of}"),
        _ => "Rating".to_owned(),
    };
    let stop = move |_| {
        session.send(Command::StopRating);
        // The button goes with the work.
        page::focus("#rating-mode");
    };
    // Its place is held, so that nothing jumps while a choice is computed.
    view! {
        <p class="small quiet rating-progress" data-testid="rating-progress">
            <Show when=shown>
                <span>
                    {text} " "
                    <button class="btn btn--small" type="button" on:click=stop>
                        "Stop rating"
                    </button>
                </span>
            </Show>
        </p>
    }
}

/// What a choice elsewhere on the page does not do here.
#[component]
fn Aside() -> impl IntoView {
    let session = expect_context::<Session>();
    let text = move || {
        session.view.with(|view| match (view.field.is_some(), view.item_type.is_some()) {
            (true, true) => {
                Some("The field and the rubric type chosen above do not restrict these battles.")
            }
            (true, false) => Some("The field chosen above does not restrict these battles."),
            (false, true) => Some("The rubric type chosen above does not restrict these battles."),
            (false, false) => None,
        })
    };
    view! { {move || text().map(|text| view! { <p class="table-foot">{text}</p> })} }
}

/// How results were made of what files say.
#[component]
fn Notes() -> impl IntoView {
    let session = expect_context::<Session>();
    let notes = move || {
        session
            .ratings
            .battles
            .with(|it| it.as_ref().map(|it| it.about.notes.clone()))
            .unwrap_or_default()
    };
    view! { {move || {
        notes().into_iter().map(|note| view! { <p class="table-foot">{note}</p> }).collect_view()
    }} }
}

/// Lines of battle files that do not count.
#[component]
fn Problems() -> impl IntoView {
    let session = expect_context::<Session>();
    let problems = Signal::derive(move || {
        session
            .ratings
            .battles
            .with(|it| it.as_ref().map(|it| it.about.problems.clone()))
            .unwrap_or_default()
    });
    view! { <ProblemList problems=problems testid="battle-problems" label="Problems in battle files" /> }
}

/// What the numbers mean, and what they are made from.
#[component]
fn Margin(stage: Memo<Stage>) -> impl IntoView {
    let session = expect_context::<Session>();
    let source = move || {
        session
            .ratings
            .battles
            .with(|it| it.as_ref().map(|it| it.source.clone()))
            .unwrap_or_default()
    };
    let counts = move || session.ratings.board.with(|it| it.ready().map(|it| it.amounts().clone()));
    let rule = move || {
        match stage.get() {
        Stage::Withheld => view! {
            <p>
                <b>"The gate."</b>
                " A rating exists only if every system can be reached from every other through a chain of wins or ties. Viva checks this before it shows any number."
            </p>
        }
        .into_any(),
        _ => view! {
            <p>
                <b>
                    <button class="term" type="button" popovertarget="gloss-rating">"Rating"</button>
                    "."
                </b>
                " A gap of 50 points: 57 wins in 100. 100 points: 64. 200 points: 76."
            </p>
            <p>
                <b>"SE, Low, High"</b>
                ": how far the rating would move with other questions. Battles over one question go together."
            </p>
            <p>
                <b>"Median, First in %"</b>
                ": over resamples. How often a system came first is no probability that it is the best."
            </p>
        }
        .into_any(),
    }
    };
    view! {
        <div class="note" role="note">
            {rule}
            <p>
                <b>"Battles"</b>
                " from " {source} ". An undecided one is never quietly a tie or a loss."
            </p>
            {move || counts().map(|it| view! { <Counts amounts=it /> })}
        </div>
        <div class="gloss" id="gloss-rating" popover="auto">
            "Elo rating: a gap of 100 points means the higher system wins about 64 of 100 battles. The mean of all systems is 1000."
            <code>"P(A beats B) = 1 / (1 + 10^((B−A)/400))"</code>
        </div>
    }
    .into_any()
}

/// What was asked, as a sum.
#[component]
fn Counts(amounts: Amounts) -> impl IntoView {
    view! {
        <table class="ledger" aria-label="Battles in view">
            <tbody>
                <tr>
                    <th scope="row">"decided"</th>
                    " "
                    <td class="r"><Count n=amounts.decided /></td>
                </tr>
                <tr class:is-zero=amounts.undecided == 0>
                    <th scope="row">"undecided"</th>
                    " "
                    <td class="r"><Count n=amounts.undecided /></td>
                </tr>
                <tr class="total">
                    <th scope="row">"asked"</th>
                    " "
                    <td class="r"><Count n=amounts.asked /></td>
                </tr>
            </tbody>
        </table>
    }
}
