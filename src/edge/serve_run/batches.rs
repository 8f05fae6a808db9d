//! The run worker and batches: files to download, batches that the page submits itself, and what came of
//! them.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use js_sys::Uint8Array;

use crate::dataset::Problems;
use crate::edge::serve_run::{Answered, State, plain};
use crate::edge::storage::Store;
use crate::edge::{clock, fetch, message};
use crate::judge::batch::{self, BatchFile, BatchKind, BatchState, BatchStatus, Form, FromPage};
use crate::judge::http::{HttpRequest, HttpResponse, Method};
use crate::judge::{Endpoint, JudgeSpec, leak};
use crate::report;
use crate::report::number::counted;
use crate::run::batches::{BatchStage, SentBatch, out};
use crate::run::record::Limits;
use crate::worker::{Notice, RunReply, WrittenFile};

/// For a file of 200 MB on a slow line.
const UPLOAD: Duration = Duration::from_secs(1800);

/// What came of one request of a batch.
enum Step {
    Heard(HttpResponse),
    /// It may have arrived all the same.
    Silence(String),
}

impl State {
    pub(super) fn batches(&self, run: &str) -> Result<Answered, Notice> {
        let book = self.book.borrow();
        let blocks = report::batches::blocks(&book.record(run)?.batches, clock::minute);
        plain(RunReply::Blocks(blocks))
    }

    pub(super) fn batch_files(&self, run: &str) -> Result<Answered, Notice> {
        let book = self.book.borrow();
        let plan = book.batch_plan(&self.ledger.borrow(), run)?;
        let most = batch::limits(BatchKind::of(plan.endpoint), Form::Lines);
        let (mut files, mut parts, mut taken) = (Vec::new(), Vec::new(), 0);
        for it in batch::write(plan.endpoint, Form::Lines, &plan.stem, most, plan.requests()) {
            let clean = self.clean(&it.text);
            taken += clean.taken;
            parts.push(message::buffer(clean.text.as_bytes()));
            files.push(WrittenFile { name: it.name, n: it.n });
        }
        let mut notes = plan.notes();
        notes.extend(leak::told(taken));
        Ok((RunReply::Files { files, notes }, parts))
    }

    pub(super) async fn batch_results(
        &self,
        store: &Rc<Store>,
        names: Vec<String>,
        bytes: &[Uint8Array],
    ) -> Result<Answered, Notice> {
        let parts = names.into_iter().zip(bytes.iter().map(Uint8Array::to_vec));
        Ok(self.admit_results(store, parts, Vec::new()).await?.0)
    }

    /// Takes in what files of results hold, one after the other: the next may hold the same again. Beside the
    /// answer: the files of which something was left for later.
    async fn admit_results(
        &self,
        store: &Rc<Store>,
        parts: impl Iterator<Item = (String, Vec<u8>)>,
        mut notes: Vec<String>,
    ) -> Result<(Answered, BTreeSet<String>), Notice> {
        let mut problems = Problems::default();
        let (mut opened, mut later) = (BTreeSet::new(), BTreeSet::new());
        for (name, bytes) in parts {
            let runs = self.book.borrow().batch_runs(&name, &bytes);
            for run in runs {
                self.need_texts(store, &run).await?;
            }
            let may = |run: &str| self.not_running(run).is_ok();
            let read = self.book.borrow().admit_batch(
                &self.ledger.borrow(),
                (&name, &bytes),
                clock::now(),
                may,
            );
            notes.push(read.note(&name));
            problems.extend(read.problems);
            if 0 < read.counts.busy {
                later.insert(name);
            }
            self.admit(store, read.replies).await?;
            opened.extend(read.runs);
        }
        for run in &opened {
            self.book.borrow_mut().settle(&self.ledger.borrow(), run)?;
            self.touch(store, run).await?;
        }
        let opened = opened.into_iter().collect();
        let reply = RunReply::Reopened { runs: self.list(), opened, problems, notes };
        Ok(((reply, Vec::new()), later))
    }

    /// Submits what is left of a run. Each step is written down before it is taken.
    pub(super) async fn batch_submit(
        self: &Rc<Self>,
        store: &Rc<Store>,
        run: &str,
        mut limits: Limits,
    ) -> Result<Answered, Notice> {
        self.free()?;
        let from_page = FromPage::of(&self.batch_endpoint(run)?);
        if from_page != FromPage::Unproven {
            return Err(Notice::new(
                "This page cannot submit the batch",
                from_page.words(),
                "Press “Download batch files”, and bring the results here afterwards.",
            ));
        }
        let _lock = self.seize(run).await?;
        self.refresh(store, run).await?;
        self.need_texts(store, run).await?;
        // Those of the fields: they hold for what leaves now.
        let mut wanted = self.book.borrow().record(run)?.settings.clone();
        wanted.set_limits(limits.clone());
        wanted.check_money().map_err(super::unkept)?;
        super::date(limits.prices.as_mut());
        super::date(limits.batch_prices.as_mut());
        self.book.borrow_mut().record_mut(run)?.settings.set_limits(limits);
        let endpoint = self.batch_endpoint(run)?;
        self.unlocked(store, &JudgeSpec::Endpoint(endpoint.clone())).await?;
        let files: Vec<(BatchFile, Option<f64>)> = {
            let book = self.book.borrow();
            let plan = book.batch_plan(&self.ledger.borrow(), run)?;
            let waiting = out(&book.record(run)?.batches);
            if 0 < waiting {
                return Err(Notice::new(
                    "Requests of this run are out already",
                    format!(
                        "{} in a batch that has not come back.",
                        counted(waiting, "request is", "requests are")
                    ),
                    "Look for its results first; what is left then can be submitted.",
                ));
            }
            let elsewhere = book.out_elsewhere(&self.ledger.borrow(), run)?;
            if 0 < elsewhere {
                return Err(Notice::new(
                    "The same requests are out already",
                    format!(
                        "{} in a batch of another run with this judge that has not come back.",
                        counted(elsewhere, "of them is", "of them are")
                    ),
                    "Choose that run’s settings and look for its results first: they count here as well.",
                ));
            }
            let money = book.record(run)?.progress(&self.ledger.borrow()).money;
            plan.affordable(money.map(|it| it.spent + it.doubt)).map_err(|why| {
                Notice::new("Nothing was submitted", why, "Raise the budget, or judge less.")
            })?;
            let most = batch::limits(BatchKind::of(plan.endpoint), Form::Body);
            batch::write(plan.endpoint, Form::Body, &plan.stem, most, plan.requests())
                .map(|file| {
                    let most = plan.at_most_of(&file);
                    (file, most)
                })
                .collect()
        };
        for (file, at_most) in &files {
            self.submit_one(store, run, &endpoint, (file, *at_most)).await?;
        }
        self.batches(run)
    }

    async fn submit_one(
        &self,
        store: &Rc<Store>,
        run: &str,
        endpoint: &Endpoint,
        (file, at_most): (&BatchFile, Option<f64>),
    ) -> Result<(), Notice> {
        let kind = BatchKind::of(endpoint);
        let two_steps = kind == BatchKind::OpenAi;
        let first = if two_steps { BatchStage::Uploading } else { BatchStage::Beginning };
        let at = {
            let mut book = self.book.borrow_mut();
            let record = book.record_mut(run)?;
            let sent = SentBatch::new(&file.name, file.n, clock::now(), first);
            record.batches.push(SentBatch { at_most, ..sent });
            record.batches.len() - 1
        };
        self.save(store, run).await?;
        let mut id =
            self.created(store, (run, at), kind, endpoint, &batch::submit(endpoint, file)).await?;
        if let Some(request) = batch::start(endpoint, &id) {
            self.mark(store, (run, at), |it| it.stage = BatchStage::Beginning).await?;
            id = self.created(store, (run, at), kind, endpoint, &request).await?;
        }
        self.mark(store, (run, at), |it| it.stage = BatchStage::Waiting(id)).await
    }

    /// Takes a step that makes something, and gives the id of what it made.
    async fn created(
        &self,
        store: &Rc<Store>,
        (run, at): (&str, usize),
        kind: BatchKind,
        endpoint: &Endpoint,
        request: &HttpRequest,
    ) -> Result<String, Notice> {
        let begins = {
            let book = self.book.borrow();
            let batch = book.record(run)?.batches.get(at);
            batch.is_some_and(|it| it.stage == BatchStage::Beginning)
        };
        let failed = |why: String, refused: bool| {
            if begins && !refused {
                Notice::new("Nobody here knows whether the batch began", why, LOOK)
            } else {
                Notice::new("The batch was not submitted", why, BY_HAND)
            }
        };
        match self.step(endpoint, request).await {
            Step::Heard(response) => match batch::created(kind, &response) {
                Ok(id) => Ok(id),
                Err(error) => {
                    let refused = error.is_refusal();
                    let word = error.to_string();
                    self.mark(store, (run, at), |it| {
                        it.word.clone_from(&word);
                        if refused {
                            it.stage = BatchStage::Failed;
                        }
                    })
                    .await?;
                    Err(failed(format!("In short: {word}."), refused))
                }
            },
            Step::Silence(words) => Err(failed(
                format!(
                    "The host was not heard: {words}. Hosts that let no page submit batches are silent in the same way."
                ),
                false,
            )),
        }
    }

    /// Asks how far the batches of a run are, and reads the results of those that have ended.
    pub(super) async fn batch_poll(
        self: &Rc<Self>,
        store: &Rc<Store>,
        run: &str,
    ) -> Result<Answered, Notice> {
        // Results of a run that goes on are left for later, and these are fetched once.
        self.free()?;
        // And of one that another tab would begin meanwhile.
        let _lock = self.seize(run).await?;
        self.refresh(store, run).await?;
        let endpoint = self.batch_endpoint(run)?;
        self.unlocked(store, &JudgeSpec::Endpoint(endpoint.clone())).await?;
        let waiting: Vec<(usize, String, String)> = {
            let book = self.book.borrow();
            let batches = book.record(run)?.batches.iter().enumerate();
            batches
                .filter_map(|(at, it)| match &it.stage {
                    BatchStage::Waiting(id) => Some((at, id.clone(), it.name.clone())),
                    _ => None,
                })
                .collect()
        };
        let (mut notes, mut parts, mut ended) = (Vec::new(), Vec::new(), Vec::new());
        if waiting.is_empty() {
            notes.push("No batch of this run is known to be under way.".to_owned());
        }
        for (at, id, name) in waiting {
            match self.poll_one(&endpoint, &id).await {
                Ok((status, found)) => {
                    let BatchStatus { state, word, done, .. } = status;
                    notes.push(told(&name, state, &word, done));
                    self.mark(store, (run, at), |it| {
                        (it.word, it.done) = (word, done.or(it.done));
                        if state == BatchState::Failed {
                            it.stage = BatchStage::Failed;
                        }
                    })
                    .await?;
                    if state == BatchState::Ended {
                        ended.push((at, id, name.clone()));
                        parts.extend(found.into_iter().map(|it| (name.clone(), it.into_bytes())));
                    }
                }
                // The others may still be heard of.
                Err(why) => notes.push(format!("{name}: {why}.")),
            }
        }
        // Results are stored before their batch counts as read; where some belong to a run that goes on, it is
        // looked for again.
        let (answered, later) = self.admit_results(store, parts.into_iter(), notes).await?;
        for (at, id, _) in ended.into_iter().filter(|(.., name)| !later.contains(name)) {
            self.mark(store, (run, at), |it| it.stage = BatchStage::Read(id)).await?;
        }
        match answered {
            (RunReply::Reopened { opened, problems, notes, .. }, bytes) => {
                Ok((RunReply::Reopened { runs: self.list(), opened, problems, notes }, bytes))
            }
            other => Ok(other),
        }
    }

    /// How far one batch is, and its results where it has ended.
    async fn poll_one(
        &self,
        endpoint: &Endpoint,
        id: &str,
    ) -> Result<(BatchStatus, Vec<String>), String> {
        let kind = BatchKind::of(endpoint);
        let polled = self.heard(endpoint, &batch::poll(endpoint, id)).await?;
        let status = batch::status(kind, &polled).map_err(|error| error.to_string())?;
        let mut found = Vec::new();
        if status.state == BatchState::Ended {
            if kind == BatchKind::Gemini {
                found.push(polled.body);
            }
            for request in batch::results(endpoint, &status) {
                let fetched = self.heard(endpoint, &request).await?;
                if !(200..300).contains(&fetched.status) {
                    return Err(format!("its results were not handed out: {}", fetched.status));
                }
                found.push(fetched.body);
            }
        }
        Ok((status, found))
    }

    async fn heard(
        &self,
        endpoint: &Endpoint,
        request: &HttpRequest,
    ) -> Result<HttpResponse, String> {
        match self.step(endpoint, request).await {
            Step::Heard(response) => Ok(response),
            Step::Silence(words) => Err(format!("the host was not heard ({words})")),
        }
    }

    /// Nothing that is out will come back, says who has looked.
    pub(super) async fn batch_give_up(
        self: &Rc<Self>,
        store: &Rc<Store>,
        run: &str,
    ) -> Result<Answered, Notice> {
        let _lock = self.seize(run).await?;
        self.refresh(store, run).await?;
        for batch in &mut self.book.borrow_mut().record_mut(run)?.batches {
            batch.give_up();
        }
        self.save(store, run).await?;
        self.batches(run)
    }

    fn batch_endpoint(&self, run: &str) -> Result<Endpoint, Notice> {
        match &self.book.borrow().record(run)?.settings.judge {
            JudgeSpec::Endpoint(endpoint) => Ok(endpoint.clone()),
            _ => Err(Notice::new(
                "There is nobody to ask in batches",
                "This run is not judged by a provider’s model.",
                "Choose an endpoint on the Judge page.",
            )),
        }
    }

    async fn step(&self, endpoint: &Endpoint, request: &HttpRequest) -> Step {
        let key = self.key.borrow().clone();
        let usable = key.as_deref().filter(|it| it.is_for(&request.url));
        let began = clock::now();
        let deadline = match request.method {
            Method::Post => UPLOAD,
            Method::Get => fetch::DEADLINE,
        };
        let heard = fetch::send(request, usable, deadline).await;
        self.used();
        self.note(endpoint.host(), began, heard.is_ok());
        match heard {
            Ok(mut response) => {
                // A host can echo a key anywhere, and results are stored.
                if let Some(key) = usable {
                    response.body = key.blot(&response.body);
                }
                Step::Heard(response)
            }
            Err(why) => Step::Silence(super::told(&why).2),
        }
    }

    /// Writes down how far a batch is.
    async fn mark(
        &self,
        store: &Rc<Store>,
        (run, at): (&str, usize),
        change: impl FnOnce(&mut SentBatch),
    ) -> Result<(), Notice> {
        if let Some(batch) = self.book.borrow_mut().record_mut(run)?.batches.get_mut(at) {
            change(batch);
        }
        self.save(store, run).await
    }
}

const LOOK: &str = "Look at the provider’s own page. If it is there, download its results and bring them; if not, press “Wait no longer” and submit it again.";

const BY_HAND: &str = "Download the batch files and submit them with the provider’s own tools, or start the run live.";

fn told(name: &str, state: BatchState, word: &str, done: Option<(u64, u64)>) -> String {
    let state = match state {
        BatchState::Waiting => "under way",
        BatchState::Ended => "ended",
        BatchState::Failed => "failed",
    };
    match done {
        Some((done, all)) => format!("{name}: {state} ({word}), {done} of {all} done."),
        None => format!("{name}: {state} ({word})."),
    }
}
