//! The statistics worker.

use std::cell::RefCell;

use crate::dataset::Blob;
use crate::edge::message::{self, UNASKED};
use crate::edge::serve::{on_message, post_dense};
use crate::report;
use crate::run::Sheet;
use crate::worker::stats::ratings::Contest;
use crate::worker::stats::{export, tables};
use crate::worker::{BoardView, Notice, StatsEvent, StatsJob, StatsReply};

/// What is kept from job to job.
#[derive(Default)]
struct Kept {
    sheet: Option<Sheet>,
    contest: Option<Contest>,
}

pub(super) fn serve() {
    let kept: RefCell<Kept> = RefCell::default();
    on_message(move |data| {
        let Ok(envelope) = message::unpack(&data) else {
            return;
        };
        let bytes: Vec<Vec<u8>> = envelope.bytes.iter().map(js_sys::Uint8Array::to_vec).collect();
        let reply = match message::read_dense(&envelope.body) {
            Ok(job) => handle(job, &bytes, &mut kept.borrow_mut()),
            Err(error) => StatsReply::Failed(super::serve::notice(&error)),
        };
        post_dense(envelope.id, &reply, &[]);
    });
}

fn handle(job: StatsJob, bytes: &[Vec<u8>], kept: &mut Kept) -> StatsReply {
    match job {
        StatsJob::Load => {
            let read = bytes.first().and_then(|bytes| postcard::from_bytes(bytes).ok());
            let Some(read) = read else {
                return no_run();
            };
            kept.sheet = Some(read);
            StatsReply::Loaded
        }
        StatsJob::Tables { view } => match &kept.sheet {
            Some(sheet) => StatsReply::Tables(Box::new(tables(sheet, &view))),
            None => no_run(),
        },
        StatsJob::Export { view, format, provenance } => match &kept.sheet {
            Some(sheet) => StatsReply::Text(export(sheet, &view, format, &provenance)),
            None => no_run(),
        },
        StatsJob::ReadBattles { names } => {
            let bytes = bytes.iter().map(|it| Blob::from(it.clone()));
            let files: Vec<(String, Blob)> = names.into_iter().zip(bytes).collect();
            match Contest::of_files(&files) {
                Ok(contest) => keep(contest, kept),
                Err(notice) => StatsReply::Failed(notice),
            }
        }
        StatsJob::RunBattles { decider } => {
            let found = kept.sheet.as_ref().and_then(|sheet| Contest::of_run(sheet, decider));
            let Some(contest) = found else {
                kept.contest = None;
                return StatsReply::NoBattles;
            };
            keep(contest, kept)
        }
        StatsJob::ExportBattles { format } => {
            match kept.contest.as_ref().map(|it| it.export(format)) {
                Some(Ok((text, note))) => StatsReply::BattlesText { text, note },
                Some(Err(notice)) => StatsReply::Failed(notice),
                None => no_battles(),
            }
        }
        StatsJob::Leaderboard { view } => {
            let Some(contest) = &kept.contest else {
                return no_battles();
            };
            let tell = |done, of| post_dense(UNASKED, &StatsEvent::Resampled { done, of }, &[]);
            match contest.board(&view, tell) {
                Some(board) => StatsReply::Leaderboard(Box::new(BoardView::of(board))),
                None => no_battles(),
            }
        }
        StatsJob::FieldRatings => match &kept.contest {
            Some(contest) => StatsReply::Blocks(report::board::fields(
                &contest.by_field(),
                &contest.view.systems,
            )),
            None => no_battles(),
        },
        StatsJob::About => StatsReply::Blocks(report::about::blocks()),
        StatsJob::Forget => {
            *kept = Kept::default();
            StatsReply::Loaded
        }
    }
}

fn keep(contest: Contest, kept: &mut Kept) -> StatsReply {
    let view = contest.view.clone();
    kept.contest = Some(contest);
    StatsReply::Battles(Box::new(view))
}

fn no_run() -> StatsReply {
    StatsReply::Failed(Notice::new(
        "There is nothing to show yet",
        "No run has been chosen.",
        "Try the sample, or start a run on the Judge page.",
    ))
}

fn no_battles() -> StatsReply {
    StatsReply::Failed(Notice::new(
        "There are no battles to rate",
        "None were brought, or they were let go.",
        "Bring battle files on the Systems page.",
    ))
}
