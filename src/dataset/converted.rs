//! A file that is no text, as the text that it was written out to, and what was lost on the way.

use super::blob::Blob;
use super::problem::{Problem, Problems};

/// JSON lines: line n is row n.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    pub text: Blob,
    pub problems: Problems,
}

impl Converted {
    /// A file of which nothing can be read.
    pub fn refused(problem: Problem) -> Self {
        let mut problems = Problems::default();
        problems.push(problem);
        Self { text: Blob::default(), problems }
    }

    /// Whether there is nothing to be read, and a reason for it.
    pub fn is_refused(&self) -> bool {
        self.text.as_bytes().is_empty() && !self.problems.is_empty()
    }

    /// What was lost on the way, then what the reader of the text said, in rows: who brought the file
    /// has never seen its lines.
    pub fn told(&self, file: &str, mut by_reader: Problems) -> Problems {
        if self.is_refused() {
            // It would say that the file is empty.
            by_reader.forget(file);
        }
        by_reader.count_rows(file);
        let mut problems = self.problems.clone();
        problems.extend(by_reader);
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::Place;
    use super::*;

    #[test]
    fn lines_are_told_as_rows_in_that_file_only() {
        let mut by_reader = Problems::default();
        by_reader.report("a.parquet", Place::Line(3), "x", "y");
        by_reader.report("b.json", Place::Line(3), "x", "y");
        by_reader.report("a.parquet", Place::File, "x", "y");
        let told = Converted::default().told("a.parquet", by_reader);
        let places: Vec<_> = told.list().iter().map(|it| it.place).collect();
        assert_eq!(places, [Place::Row(3), Place::Line(3), Place::File]);
    }

    #[test]
    fn of_a_refused_file_only_the_reason_is_told() {
        let place = Place::File;
        let problem = |what: &str| Problem {
            file: "a".to_owned(),
            place,
            what: what.to_owned(),
            cure: String::new(),
        };
        let mut by_reader = Problems::default();
        by_reader.push(problem("The file is empty."));
        let told = Converted::refused(problem("Brotli.")).told("a", by_reader);
        assert_eq!(told.list(), [problem("Brotli.")]);
    }
}
