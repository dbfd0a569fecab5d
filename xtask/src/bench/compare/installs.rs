//! Installing skills, compared with the program that most people install them with.
//!
//! Every command is a process of its own with an empty environment, and they take turns, so that
//! whatever else the machine is doing affects them alike.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::site::Site;
use super::{generate_with, median, today};
use crate::install::node::Packages;
use crate::process::{Failure, build_optimized, succeed};
use crate::root;

/// The program of others, which installs from a folder without the network.
const PEER: &str = "skills@1.7.4";

/// The number of installed skills.
const SKILLS: usize = 200;

/// How often a command that changes nothing runs in each round.
const REPEATS: usize = 10;

/// Runs the commands that it is given as often as its first argument says, and prints what they
/// took: seconds of the program, of the kernel, and on the clock.
const TIMED: &str = r#"TIMEFORMAT="%U %S %R"; count=$1; shift
time for ((number = 0; number < count; number++)); do
    "$@" >/dev/null 2>"$HOME/messages" || { cat "$HOME/messages"; exit 1; }
done"#;

/// The times of one run, in milliseconds.
#[derive(Clone, Copy)]
struct Taken {
    cpu: f64,
    wall: f64,
}

/// One row of the table: what ran, what it took in each round, and the most that it should take.
struct Row {
    name: &'static str,
    taken: Vec<Taken>,
    limit: Limit,
}

/// The most CPU time that a row should take.
enum Limit {
    None,
    Milliseconds(f64),
    /// A multiple of the row before it.
    Times(f64),
}

/// The programs, and the skills that they install.
struct Place {
    directory: PathBuf,
    prowess: PathBuf,
    peer: Packages,
    site: Site,
}

/// Installs the other program, runs all commands in turn, and writes the table. A row that is over
/// its limit is a failure.
pub(crate) fn run(rounds: usize) -> Result<(), Failure> {
    let directory = tempfile::tempdir()?;
    let place = Place::new(directory.path())?;
    let mut rows = [
        Row::new("`skills add`, from a local folder", Limit::None),
        Row::new("`prowess add`, from an index on loopback", Limit::Milliseconds(150.0)),
        Row::new("`prowess sync --check`, with that index", Limit::Milliseconds(15.0)),
        Row::new("`prowess list`, of a plain directory", Limit::None),
        Row::new("`prowess list`, of installed skills", Limit::Times(1.1)),
    ];
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        for (row, taken) in rows.iter_mut().zip(place.round(round)?) {
            row.taken.push(taken);
        }
    }
    let table = table(&rows);
    println!("{table}");
    let page = page(&table, rounds, &today()?);
    std::fs::write(root().join("benches/INSTALL.md"), page)?;
    let over: Vec<_> = (0..rows.len()).filter(|at| is_over(&rows, *at)).collect();
    let names: Vec<_> = over.into_iter().map(|at| rows[at].name).collect();
    match names.as_slice() {
        [] => Ok(()),
        _ => Err(Failure(format!("more than the limit: {}", names.join(", ")))),
    }
}

/// Returns whether a row took more CPU time than its limit.
fn is_over(rows: &[Row], at: usize) -> bool {
    match rows[at].limit {
        Limit::None => false,
        Limit::Milliseconds(most) => rows[at].cpu() > most,
        Limit::Times(most) => ratio(&rows[at - 1], &rows[at]) > most,
    }
}

/// Returns how much more CPU time a row took than another, as the median of the rounds.
fn ratio(before: &Row, own: &Row) -> f64 {
    let pairs = own.taken.iter().zip(&before.taken);
    median(pairs.map(|(own, before)| own.cpu / before.cpu))
}

impl Place {
    fn new(directory: &Path) -> Result<Self, Failure> {
        let built =
            build_optimized(&["--package", "benches", "--bin", "once", "--bin", "prowess"])?;
        let prowess = built.join("prowess");
        let peer = Packages::install(&root().join("target/compare/install"), &[PEER])?;
        let corpus = generate_with(&built.join("once"), directory, SKILLS)?;
        let site = directory.join("site");
        succeed(Command::new(&prowess).arg("publish").args([&corpus, &site]))?;
        let site = Site::new(site)?;
        Ok(Self { directory: directory.to_owned(), prowess, peer, site })
    }

    /// Runs each command once, in homes of their own.
    fn round(&self, round: usize) -> Result<[Taken; 5], Failure> {
        let [peer, own, plain] =
            ["peer", "own", "plain"].map(|name| self.directory.join(format!("{name}-{round}")));
        [&peer, &own, &plain].into_iter().try_for_each(std::fs::create_dir)?;
        let mut install = self.peer.run("skills/bin/cli.mjs");
        let corpus = self.directory.join("skills");
        install.arg("add").arg(&corpus).args(["--global", "--agent", "claude-code"]);
        install.args(["--skill", "*", "--yes"]);
        let by_peer = timed(&install, &peer, 1)?;
        check_count(&peer)?;
        let host = self.site.host();
        let add = self.own(&["add", &format!("http://{host}"), "--host", host]);
        let added = timed(&add, &own, 1)?;
        check_count(&own)?;
        let checked = timed(&self.own(&["sync", "--check", "--host", host]), &own, REPEATS)?;
        let skills = plain.join(".agents/skills");
        std::fs::create_dir_all(plain.join(".agents"))?;
        succeed(Command::new("cp").arg("-r").arg(&corpus).arg(skills))?;
        let list = self.own(&["list", "--format", "json"]);
        // The first start writes the cache that each later one reads.
        timed(&list, &plain, 1)?;
        timed(&list, &own, 1)?;
        let of_plain = timed(&list, &plain, REPEATS)?;
        let of_store = timed(&list, &own, REPEATS)?;
        Ok([by_peer, added, checked, of_plain, of_store])
    }

    fn own(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.prowess);
        command.args(arguments);
        command
    }
}

/// Runs a command in a home, and returns what one run took.
fn timed(command: &Command, home: &Path, count: usize) -> Result<Taken, Failure> {
    let mut shell = Command::new("bash");
    shell.args(["-c", TIMED, "bash", &count.to_string()]);
    shell.arg(command.get_program()).args(command.get_args());
    shell.env_clear().env("HOME", home).current_dir(home);
    shell.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    // The other program would report each install to its makers.
    shell.env("DO_NOT_TRACK", "1");
    let ended = crate::process::output(&mut shell)?;
    let said = String::from_utf8_lossy(&ended.stderr);
    let seconds: Vec<f64> =
        said.lines().last().unwrap_or_default().split(' ').flat_map(str::parse).collect();
    match seconds.as_slice() {
        &[program, kernel, wall] if ended.status.success() => {
            let each = 1e3 / f64::from(u32::try_from(count)?);
            Ok(Taken { cpu: (program + kernel) * each, wall: wall * each })
        }
        _ => Err(Failure(format!(
            "`{}` failed: {said}{}",
            command.get_program().display(),
            String::from_utf8_lossy(&ended.stdout)
        ))),
    }
}

/// Checks that a program has really installed the skills.
fn check_count(home: &Path) -> Result<(), Failure> {
    let found = succeed(Command::new("find").arg(home).args(["-name", "SKILL.md"]))?;
    let count = String::from_utf8_lossy(&found).lines().count();
    if count >= SKILLS {
        return Ok(());
    }
    Err(Failure(format!("{} has {count} skills and not {SKILLS}", home.display())))
}

impl Row {
    fn new(name: &'static str, limit: Limit) -> Self {
        Self { name, taken: Vec::new(), limit }
    }

    fn cpu(&self) -> f64 {
        median(self.taken.iter().map(|taken| taken.cpu))
    }
}

fn table(rows: &[Row]) -> String {
    let mut table = "| | CPU time, ms | duration, ms | at most |\n|---|--:|--:|---|\n".to_owned();
    for (at, row) in rows.iter().enumerate() {
        let wall = median(row.taken.iter().map(|taken| taken.wall));
        let limit = match row.limit {
            Limit::None => "–".to_owned(),
            Limit::Milliseconds(most) => format!("{most} ms of CPU"),
            Limit::Times(most) => {
                let ratio = ratio(&rows[at - 1], row);
                format!("{most} × the row before; is {ratio:.2} ×")
            }
        };
        let _ = writeln!(table, "| {} | {:.1} | {wall:.1} | {limit} |", row.name, row.cpu());
    }
    table
}

fn page(table: &str, rounds: usize, date: &str) -> String {
    format!(
        "# Installing {SKILLS} skills\n\n\
         Written by `cargo xtask compare --install --rounds {rounds}` on {date}.\n\n\
         Each command is a process of its own, measured from its start to its end, in a home that is \
         empty before the first install.\nThey take turns, and a number is the median of {rounds} \
         rounds. `skills` is the npm package `{PEER}`; it copies files from a\nlocal folder and \
         verifies nothing, while `prowess add` downloads, verifies, unpacks and syncs to the disk.\n\n\
         {table}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_of_the_median() {
        let row =
            |cpu: f64, limit| Row { name: "row", taken: vec![Taken { cpu, wall: cpu }], limit };
        let rows = [row(16.0, Limit::Milliseconds(15.0)), row(20.0, Limit::Times(1.2))];
        assert!(is_over(&rows, 0) && is_over(&rows, 1));
    }

    #[test]
    fn ratio_is_of_the_row_before() {
        let row = |name, cpu: [f64; 3], limit| {
            let taken = cpu.map(|cpu| Taken { cpu, wall: 2.0 * cpu }).into();
            Row { name, taken, limit }
        };
        let rows = [
            row("one", [10.0, 20.0, 10.0], Limit::Milliseconds(15.0)),
            row("two", [11.0, 22.0, 11.0], Limit::Times(1.2)),
        ];
        assert!(!is_over(&rows, 0) && !is_over(&rows, 1), "the limits are not exceeded");
        let table = table(&rows);
        assert!(table.contains("| one | 10.0 | 20.0 | 15 ms of CPU |"), "{table}");
        assert!(
            table.contains("| two | 11.0 | 22.0 | 1.2 × the row before; is 1.10 × |"),
            "{table}"
        );
    }
}
