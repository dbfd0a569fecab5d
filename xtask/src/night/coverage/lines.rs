//! The report of a run, and the variables of an instrumented build.

use std::path::PathBuf;

/// A number of lines, and how many of them ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) run: usize,
    pub(crate) all: usize,
}

impl Sum {
    /// Returns the share that ran, in percent; of nothing, nothing ran.
    pub(crate) fn percent(self) -> f64 {
        100.0 * self.run as f64 / self.all.max(1) as f64
    }
}

impl std::iter::Sum for Sum {
    fn sum<I: Iterator<Item = Self>>(sums: I) -> Self {
        sums.fold(Self::default(), |sum, next| Self {
            run: sum.run + next.run,
            all: sum.all + next.all,
        })
    }
}

/// The lines with code of a source file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileLines {
    pub(crate) path: PathBuf,
    /// The number of each line, and whether it ran.
    lines: Vec<(usize, bool)>,
}

impl FileLines {
    /// Returns how many lines there are and how many ran.
    pub(crate) fn sum(&self) -> Sum {
        let run = self.lines.iter().filter(|(_, has_run)| *has_run).count();
        Sum { run, all: self.lines.len() }
    }

    /// Returns the lines that did not run, as ranges such as `7, 12-15`.
    pub(crate) fn missed(&self) -> String {
        let runs = self.lines.chunk_by(|(_, one), (_, next)| one == next);
        let missed = runs.filter(|run| !run[0].1);
        let range = |run: &[(usize, bool)]| match run {
            [(line, _)] => line.to_string(),
            _ => format!("{}-{}", run[0].0, run[run.len() - 1].0),
        };
        missed.map(range).collect::<Vec<_>>().join(", ")
    }
}

/// Reads a report in the format of lcov: `SF:` names a file, and each `DA:` a line with the number
/// of times that it ran.
pub(crate) fn parse(report: &str) -> Vec<FileLines> {
    let mut files: Vec<FileLines> = Vec::new();
    for line in report.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            files.push(FileLines { path: path.into(), lines: Vec::new() });
        } else if let Some(counted) = line.strip_prefix("DA:").and_then(counted)
            && let Some(file) = files.last_mut()
        {
            file.lines.push(counted);
        }
    }
    files
}

/// Reads the number of a line and the number of its runs.
fn counted(text: &str) -> Option<(usize, bool)> {
    let mut numbers = text.split(',');
    let line = numbers.next()?.parse().ok()?;
    Some((line, numbers.next()? != "0"))
}

/// Reads `NAME=value` lines, as a shell quotes them.
pub(crate) fn assignments(text: &str) -> impl Iterator<Item = (String, String)> {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.trim_matches('\'').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_file() {
        let report = "SF:/a.rs\nFN:1,x\nDA:1,4\nDA:2,0\nDA:3,0\nDA:7,0\nDA:9,1\nDA:10,0\nLF:6\nend_of_record\nSF:/b.rs\nDA:1,1\n";
        let files = parse(report);
        let sums: Vec<Sum> = files.iter().map(FileLines::sum).collect();
        assert_eq!(sums, [Sum { run: 2, all: 6 }, Sum { run: 1, all: 1 }], "a line counts once");
        assert_eq!(files[0].missed(), "2-7, 10", "lines without code do not part a range");
        assert_eq!(files[1].missed(), "", "each line ran");
    }

    #[test]
    fn quotes_of_values_are_removed() {
        let read: Vec<_> = assignments("A=/x/y\nB='a=b c'\n").collect();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(read, [pair("A", "/x/y"), pair("B", "a=b c")], "values are as cargo needs them");
    }
}
