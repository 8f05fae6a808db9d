//! The About page: how each number is computed, for someone who will be asked about it.

pub mod ratings;

use leptos::prelude::*;

#[component]
pub fn AboutPage() -> impl IntoView {
    view! {
        <div class="page-head">
            <h1>"How each number is computed"</h1>
            <p>
                "Each formula is followed by what it does not say. Shares are shown in per cent, with one decimal; everything is computed with more."
            </p>
        </div>
        <Coverage />
        <SystemMean />
        <Doubt />
        <Differences />
        <Range />
        <Readings />
        <Asked />
        <Breakdowns />
        <ratings::Ratings />
        <Judges />
        <Limits />
    }
    .into_any()
}

/// A heading and its text.
#[component]
fn Part(id: &'static str, title: &'static str, children: Children) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby=id>
            <h2 id=id>{title}</h2>
            <div class="prose">{children()}</div>
        </section>
    }
}

#[component]
fn Formula(text: &'static str) -> impl IntoView {
    view! {
        <pre class="raw">
            <code>{text}</code>
        </pre>
    }
}

#[component]
fn Coverage() -> impl IntoView {
    view! {
        <Part id="ab-coverage" title="Coverage of one answer">
            <p>
                "Each question comes with a checklist: points that an expert, or a survey article, thinks a good answer must make. For each point a judge chooses one of five labels, worth quarters of the point:"
            </p>
            <Formula text="Not at all 0    Barely 1/4    Moderately 2/4    Mostly 3/4    Completely 4/4" />
            <p>"The coverage of an answer is the share of its checklist that it earned:"</p>
            <Formula text="coverage of an answer = sum of (weight × label) / sum of weights\nover the points that have a label" />
            <p>
                "In ResearchQA all weights are 1, so this is the plain mean of the labels. ResearcherBench has weights from 1 to 3. An answer with three points labelled Completely, Mostly and Barely has 4 + 3 + 1 = 8 of 12 quarters: 66.7%."
            </p>
            <p>
                <strong>"Coverage is not correctness."</strong>
                " The label says that a point was addressed. Whether what was said is true, nobody has checked."
            </p>
        </Part>
    }
}

#[component]
fn SystemMean() -> impl IntoView {
    view! {
        <Part id="ab-mean" title="Coverage of a system: all asked, and answered only">
            <p>
                "The coverage of a system is the mean over questions, each counting the same however long its checklist is. It is not a mean over all points thrown together."
            </p>
            <Formula text="coverage of a system = sum of (coverage of its answers) / n" />
            <p>
                "There are two honest choices of n, and they answer different questions. "
                <strong>"All asked"</strong>
                " divides by every question that was put: a missing or empty answer counts 0. It says what you get when you ask this system. "
                <strong>"Answered only"</strong>
                " leaves missing and empty answers out. It says how good the answers are when there is one, and it flatters a system that stays silent on what is hard. Viva shows both, with their n."
            </p>
            <p>
                "While a run goes on, a missing answer counts only from the moment the judge has come to its question. Otherwise systems with gaps would look worse at the start than at the end."
            </p>
            <h3>"Questions that everyone answered"</h3>
            <p>
                "“Only the queries everyone answered” keeps the questions to which every visible system gave an answer. There the two means agree and systems are compared on equal ground. But such questions may be the easy ones: where fewer than 80% of the questions are left, the page says that they may not stand for the rest."
            </p>
        </Part>
    }
}

#[component]
fn Doubt() -> impl IntoView {
    view! {
        <Part id="ab-doubt" title="Standard error and interval">
            <p>
                "With other questions the mean would have come out differently. The standard error says by how much, typically:"
            </p>
            <Formula text="SE = s / √n\ns = √( sum of (coverage of an answer − mean)² / (n − 1) )" />
            <p>"The interval is a 95% t-interval with n − 1 degrees of freedom:"</p>
            <Formula text="mean − t × SE   to   mean + t × SE\nt = 97.5% point of Student’s t, n − 1 degrees of freedom" />
            <p>
                "It is not cut off at 0 or 100, so with few questions an end may lie outside; that is a sign of few questions. One question has no standard error at all. Below 10 questions Viva makes no claim and colours nothing."
            </p>
            <p>
                "The interval covers the choice of questions, not the judge, the prompt or repeated runs. Another judge can move every figure by more than the interval is wide."
            </p>
        </Part>
    }
}

#[component]
fn Differences() -> impl IntoView {
    view! {
        <Part id="ab-diff" title="Differences between systems">
            <p>
                "Two overlapping intervals do not show that two systems are alike: both answered the same questions, and hard questions are hard for both. So the difference is taken question by question, and the mean, the standard error and the interval are those of the differences:"
            </p>
            <Formula text="d = coverage of A − coverage of B, on each question where both have a value\ndifference = mean of d,   SE = sd of d / √n,   95% t-interval" />
            <p>
                "A missing answer is no zero here: only questions that both answered are compared. If the interval leaves out zero, the row says “higher” or “lower”; if it holds zero, “no clear difference”, which is not the same as “equal”; with fewer than 10 questions, “too few”."
            </p>
            <p>
                "Whoever compares many pairs will find some that differ by chance alone: about one in twenty of those that do not differ."
            </p>
        </Part>
    }
}

#[component]
fn Range() -> impl IntoView {
    view! {
        <Part id="ab-range" title="The range: what missing verdicts could do">
            <p>
                "Some points end without a label, because a reply could not be read or did not come. They are left out of the mean, and never counted as “Not at all”. How much that could matter is computed, not guessed:"
            </p>
            <Formula text="lower end: every point without a label earns nothing\nupper end: every point without a label is covered completely" />
            <p>
                "The true figure, had all labels come, lies between the two. This is no interval of chance; it is a bound."
            </p>
        </Part>
    }
}

#[component]
fn Readings() -> impl IntoView {
    view! {
        <Part id="ab-readings" title="Three readings of the same replies">
            <p>
                "The paper on ResearchQA, the code its authors released, and careful practice differ in how replies are read. Viva keeps every reply as it came and can read it three ways, without asking again. Figures of different readings never stand in one table."
            </p>
            <dl>
                <dt>"Recommended"</dt>
                <dd>
                    "Forgives list marks, upper and lower case, and a full stop. A word that is no label loses its point only. Missing answers count 0 in “all asked”. Points without a label widen the range."
                </dd>
                <dt>"As in the paper"</dt>
                <dd>
                    "Labels exactly as spelled. One point without a label leaves its whole answer without a value. Missing answers are skipped."
                </dd>
                <dt>"As in the authors’ code"</dt>
                <dd>
                    "An answer with a failed batch is dropped whole. Missing answers are skipped. A word that is no label ends the run without a result, and so it does here."
                </dd>
            </dl>
            <p>
                "The last two need replies written as lines of labels. A judge asked for JSON has the recommended reading only."
            </p>
        </Part>
    }
}

#[component]
fn Asked() -> impl IntoView {
    view! {
        <Part id="ab-asked" title="What was asked">
            <p>
                "Every point put to a judge is a verdict asked for, and each ends in exactly one of these. The sum always holds:"
            </p>
            <Formula text="asked = scored + unparsed + truncated + refused + failed + in flight" />
            <p>
                "Scored: a label was read. Unparsed: a reply came, with no label for this point. Truncated: the reply was cut off at the length limit. Refused: the model declined. Failed: no reply came, after several attempts. In flight: waiting."
            </p>
            <p>
                "Up to eight points of one answer make one call; by hand it is one point at a time. A call can take several attempts, so attempts are counted beside calls. Missing and empty answers are never sent. A judgement made once is kept and used again wherever the same judge meets the same answer and the same points."
            </p>
        </Part>
    }
}

#[component]
fn Breakdowns() -> impl IntoView {
    view! {
        <Part id="ab-parts" title="By domain, by field, by type of point">
            <p>
                "Domains and fields are means over their own questions, computed as above. The mean of all questions is not the mean of the domains, since domains differ in size. A cell with fewer than 10 questions is outlined and has no colour."
            </p>
            <p>
                "Types are about points, not answers: of all points of a type that got a label, the share that was not covered completely. A point with several types counts in each."
            </p>
            <Formula text="shortfall of a type = points not labelled Completely / points with a label" />
        </Part>
    }
}

#[component]
fn Judges() -> impl IntoView {
    view! {
        <Part id="ab-judges" title="Who judges">
            <p>
                <strong>"The practice judge"</strong>
                " judges nothing. It counts which words of a point stand close together in the answer, numbers and names a little more than other words, and turns the share into a label:"
            </p>
            <Formula text="from 15% Barely,   from 35% Moderately,   from 55% Mostly,   from 80% Completely" />
            <p>
                "It is there so that every page works without a key, in a course or on a train. An answer in other words scores low, and one that denies the point in the same words scores high. So its figures say nothing about systems, and the page says so wherever they stand."
            </p>
            <p>
                <strong>"A model"</strong>
                " behind an address gets the answer and the points, not the question, and returns labels. Model, address, parameters and prompt together make the judge: change one, and it is another judge with a run of its own. With Viva’s own prompt, or one you edited, scores cannot be set beside published ones."
            </p>
            <p>
                <strong>"You"</strong>
                " can judge by hand, one point at a time, in shuffled order and without seeing the name of the system. Several people’s run files can be merged; where they disagree, both labels are shown and neither is taken."
            </p>
        </Part>
    }
}

#[component]
fn Limits() -> impl IntoView {
    view! {
        <Part id="ab-limits" title="Limits">
            <ul>
                <li>
                    "A checklist is one view of what matters. A good point that is not on it earns nothing."
                </li>
                <li>
                    "Coverage does not see errors, invented sources or bad advice. An answer can be complete and wrong."
                </li>
                <li>
                    "Longer answers tend to cover more. The questions ask for about 250 words; the table shows the median length, and names systems that write much more than others."
                </li>
                <li>
                    "Judges err, and a model may favour texts like its own. Label some points by hand before you trust a ranking."
                </li>
                <li>
                    "The fields of a benchmark are those its authors chose. A mean over them is not “research in general”."
                </li>
                <li>
                    "“Queries per field” takes the same questions for the same seed. A small choice has wide intervals, and that is right."
                </li>
            </ul>
        </Part>
    }
}
