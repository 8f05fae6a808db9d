//! How ratings come from battles, and when there are none.

use leptos::prelude::*;

use super::{Formula, Part};

/// Ratings, their doubt, the gate, and the three arithmetics.
#[component]
pub fn Ratings() -> impl IntoView {
    view! {
        <Part id="ab-ratings" title="Ratings from battles">
            <p>
                "In a battle two answers to one question meet, and one wins or both tie. Ratings are the numbers under which the results of all battles are likeliest, a tie being half a win each (Bradley and Terry 1952):"
            </p>
            <Formula text="P(A beats B) = 1 / (1 + 10^((rating of B − rating of A) / 400))\nmean of all ratings = 1000" />
            <p>
                "Only differences mean something: 50 points are 57 wins in 100, 100 points 64, 200 points 76. An anchor writes another number on one system and moves all others with it; it changes no difference and no order. Nothing is pulled towards the middle."
            </p>
            <p>
                "A battle that nobody decided is left out, and counted. It is never quietly a tie or a loss. The choices “for” and “against” a system show how far such battles could move it."
            </p>
            <h3>"When there is no rating"</h3>
            <p>
                "A system that was never beaten could stand any distance above the others: no number is the likeliest. The same goes for one that never won, and for groups that never met. A rating exists only if a chain of wins or ties leads from every system to every other (Ford 1957). Viva checks that first, in every slice. Where it fails, the page names the systems, rates those that beat one another among themselves, and says how far apart groups are at least, with 95% confidence, by the likelihood of such results. It also names the fewest wins that would mend it. Who asks for more battles after seeing results must say so."
            </p>
            <h3>"Standard error and interval"</h3>
            <p>
                "Battles over one question are not independent: an easy question is easy for both. So the standard error adds up, question by question, how far results were from what the ratings expect (Liang and Zeger 1986), and the interval uses Student’s t:"
            </p>
            <Formula text="V = A⁻ · (sum over questions of s sᵀ) · A⁻ · Q / (Q − 1)\ns = (points won − points expected), summed over a question’s battles\nA = curvature of the likelihood,  Q = questions\nrating − t × SE   to   rating + t × SE,  t with Q − 1 degrees of freedom" />
            <p>
                "Two systems are compared by the standard error of their difference, not by whether their intervals overlap. Whoever compares all pairs will find some apart by chance; the words “above” and “below”, and the range of ranks, come from intervals that reach so far that in 19 of 20 tables all of them hold (Hothorn, Bretz and Westfall 2008)."
            </p>
            <h3>"Resamples"</h3>
            <p>
                "Questions are drawn again with replacement, each with all its battles, and rated each time. The median and the percentiles stand beside the ratings. Where some system won or lost everything in a resample it counts as infinitely high or low; no resample is dropped, and a limit that this touches reads “unbounded”. How often a system came first is a share of resamples, no probability that it is the best."
            </p>
            <h3>"Three arithmetics"</h3>
            <p>
                "Recommended is what is written above. The paper gives the median and the standard deviation of resamples of single battles, as if each were independent: a deviation, no 95% interval. The authors’ code enters each battle twice and gives the mean: its deviation is too small by about √2. A table holds one of the three and says which."
            </p>
        </Part>
    }
    .into_any()
}
