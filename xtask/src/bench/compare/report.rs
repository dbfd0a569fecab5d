//! The table, and the page around it.

use std::fmt::Write as _;

use super::Sample;
use super::peers::Peer;

/// The result of a comparison.
pub(super) struct Report {
    pub(super) rounds: usize,
    pub(super) rows: Vec<Row>,
}

/// The costs of one peer, as medians over the rounds.
pub(super) struct Row {
    name: &'static str,
    kind: &'static str,
    does: &'static str,
    version: String,
    skills: u64,
    cpu_ms: f64,
    of_floor: f64,
    of_ours: f64,
    peak_mib: f64,
}

impl Row {
    /// A peer's samples beside those of the floor and of prowess, round by round.
    pub(super) fn new(
        peer: &Peer,
        version: String,
        own: &[Sample],
        floor: &[Sample],
        ours: &[Sample],
    ) -> Self {
        let ratio = |base: &[Sample]| {
            median(own.iter().zip(base).map(|(own, base)| own.cpu_us / base.cpu_us))
        };
        Self {
            name: peer.name,
            kind: peer.kind.as_str(),
            does: peer.does,
            version,
            skills: own.first().map_or(0, |sample| sample.skills),
            cpu_ms: median(own.iter().map(|sample| sample.cpu_us)) / 1e3,
            of_floor: ratio(floor),
            of_ours: ratio(ours),
            peak_mib: median(own.iter().map(|sample| sample.peak_kib)) / 1024.0,
        }
    }
}

/// The middle one; the upper of the two middle ones.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Report {
    pub(super) fn table(&self) -> String {
        let mut table = String::from(
            "| | from | version | skills found | CPU time, ms | of the floor | of prowess | peak memory, MiB |\n\
             |---|---|---|--:|--:|--:|--:|--:|\n",
        );
        for row in &self.rows {
            let _ = writeln!(
                table,
                "| `{}` | {} | {} | {} | {:.2} | {} | {} | {:.1} |",
                row.name,
                row.kind,
                row.version,
                row.skills,
                row.cpu_ms,
                times(row.of_floor),
                times(row.of_ours),
                row.peak_mib
            );
        }
        table
    }

    /// The whole document.
    pub(super) fn page(&self, skills: usize, date: &str) -> String {
        let Self { rounds, rows } = self;
        let table = self.table();
        let mut page = format!(
            "# Finding skills, beside others\n\n\
             Written by `cargo xtask compare --skills {skills} --rounds {rounds}` on {date}; not edited by hand.\n\n\
             Each finds the {skills} skills of a generated directory, warm, in a process of its own that measures its \
             CPU time around\nthe work alone: what an interpreter takes to start and to import is not in it. They take \
             turns, {rounds} rounds, and a number is a\nmedian; a ratio is taken inside its round, since an absolute \
             time says more of the machine.\n\n\
             {table}\n\
             They do not do the same work:\n\n"
        );
        for row in rows {
            let _ = writeln!(page, "- `{}`: {}.", row.name, row.does);
        }
        page
    }
}

/// A ratio with as many digits as it deserves.
fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") }
}

#[cfg(test)]
mod tests {
    use super::super::peers::PEERS;
    use super::*;

    fn samples(times: &[f64]) -> Vec<Sample> {
        let sample = |&cpu_us: &f64| Sample { skills: 3, cpu_us, peak_kib: 2048.0 };
        times.iter().map(sample).collect()
    }

    #[test]
    fn a_ratio_is_of_its_own_round() {
        // A busy moment doubles everything of the second round and changes no ratio.
        let (floor, ours) = (samples(&[100.0, 200.0, 100.0]), samples(&[150.0, 300.0, 150.0]));
        let own = samples(&[3_000.0, 6_000.0, 3_000.0]);
        let row = Row::new(&PEERS[2], "1.0.0".to_owned(), &own, &floor, &ours);
        let report = Report { rounds: 3, rows: vec![row] };
        let table = report.table();
        let line = table.lines().last().expect("there is a row");
        assert_eq!(line, "| `brainwires-skills` | crate | 1.0.0 | 3 | 3.00 | 30 | 20 | 2.0 |");
        let page = report.page(3, "2026-01-02");
        assert!(page.contains(line) && page.contains("on 2026-01-02"), "{page}");
    }
}
