//! Installing skills, compared with the program that most people install them with.
//!
//! Every command is a process of its own with an empty environment. They take turns, so that other
//! load of the machine affects them alike.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ROUNDS, median, today};
use crate::bench::generate;
use crate::install::node::Packages;
use crate::process::{Failure, Server, build_optimized, fail_for, output, succeed};
use crate::root;

/// The program of others, which installs from a folder without the network.
pub(super) const PEER: &str = "skills@1.7.4";

const SKILLS: usize = 200;

/// How often a command that changes nothing runs in each round.
const REPEATS: usize = 10;

/// Runs its arguments as often as the first one says, and prints what they took: seconds of the
/// program, of the kernel, and on the clock.
const TIMED: &str = include_str!("timed.sh");

/// The rows, each with the most CPU time in milliseconds, if it has a limit. The last one is
/// limited by the row before it.
const ROWS: [(&str, Option<f64>); 6] = [
    ("`skills add`, from a local folder", None),
    ("`prowess add`, from an index on loopback", Some(150.0)),
    ("`prowess sync --check`, with that index", Some(15.0)),
    ("`skills list`, of installed skills", None),
    ("`prowess list`, of a plain directory", None),
    ("`prowess list`, of installed skills", None),
];

/// The most CPU time of the last row, as a multiple of that of the row before.
const MOST_TIMES: f64 = 1.1;

/// The CPU time and the duration of one run, in milliseconds.
type Taken = [f64; 2];

/// The programs, and the skills that they install.
struct Place {
    directory: PathBuf,
    prowess: PathBuf,
    peer: Packages,
    host: String,
    _server: Server,
}

/// Installs the other program, runs all commands in turn, and writes the table. A row that is over
/// its limit is a failure.
pub(crate) fn run() -> Result<(), Failure> {
    let directory = tempfile::tempdir()?;
    let place = Place::new(directory.path())?;
    let mut rounds = Vec::new();
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        rounds.push(place.round(round)?);
    }
    let (table, over) = table(&rounds);
    println!("{table}");
    std::fs::write(root().join(super::page::INSTALLS), page(&table, &today()?))?;
    super::draw()?;
    fail_for("more than the limit", &over)
}

impl Place {
    fn new(directory: &Path) -> Result<Self, Failure> {
        let built =
            build_optimized(&["--package", "benches", "--bin", "once", "--bin", "prowess"])?;
        let prowess = built.join("prowess");
        let peer = Packages::install(&root().join("target/compare/install"), &[PEER])?;
        let corpus = generate(&built.join("once"), "generate", directory, SKILLS)?;
        let site = directory.join("site");
        succeed(Command::new(&prowess).arg("publish").args([&corpus, &site]))?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        // It keeps its connections, as servers do.
        let mut server = Command::new("python3");
        server.args(["-m", "http.server", "--bind", "127.0.0.1", "--protocol", "HTTP/1.1"]);
        server.arg("--directory").arg(site).arg(port.to_string());
        let host = format!("127.0.0.1:{port}");
        let server = Server::listening(&mut server, &host)?;
        Ok(Self { directory: directory.to_owned(), prowess, peer, host, _server: server })
    }

    /// Runs each command once, in homes of their own.
    fn round(&self, round: usize) -> Result<[Taken; ROWS.len()], Failure> {
        let [peer, own, plain] =
            ["peer", "own", "plain"].map(|name| self.directory.join(format!("{name}-{round}")));
        std::fs::create_dir_all(plain.join(".agents"))?;
        [&peer, &own].into_iter().try_for_each(std::fs::create_dir)?;
        let mut install = self.peer.run("skills/bin/cli.mjs");
        let corpus = self.directory.join("skills");
        install.arg("add").arg(&corpus).args(["--global", "--agent", "claude-code"]);
        let by_peer = timed(install.args(["--skill", "*", "--yes"]), &peer, 1)?;
        check_count(&peer)?;
        let mut list = self.peer.run("skills/bin/cli.mjs");
        let listed_by_peer = timed(list.args(["list", "--global"]), &peer, 1)?;
        let host = self.host.as_str();
        let added = timed(&self.own(&["add", &format!("http://{host}"), "--host", host]), &own, 1)?;
        check_count(&own)?;
        let checked = timed(&self.own(&["sync", "--check", "--host", host]), &own, REPEATS)?;
        succeed(Command::new("cp").arg("-r").arg(&corpus).arg(plain.join(".agents/skills")))?;
        let list = self.own(&["list", "--format", "json"]);
        // The first start writes the cache that each later one reads.
        [&plain, &own].into_iter().try_for_each(|home| timed(&list, home, 1).map(drop))?;
        let of_plain = timed(&list, &plain, REPEATS)?;
        let of_installed = timed(&list, &own, REPEATS)?;
        Ok([by_peer, added, checked, listed_by_peer, of_plain, of_installed])
    }

    fn own(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.prowess);
        command.args(arguments);
        command
    }
}

fn timed(command: &Command, home: &Path, count: usize) -> Result<Taken, Failure> {
    let mut shell = Command::new("bash");
    shell.args(["-c", TIMED, "bash", &count.to_string()]);
    shell.arg(command.get_program()).args(command.get_args());
    shell.env_clear().env("HOME", home).current_dir(home);
    shell.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    // The other program would report each install to its makers.
    shell.env("DO_NOT_TRACK", "1");
    let ended = output(&mut shell)?;
    let [stdout, stderr] =
        [ended.stdout, ended.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    let seconds = stderr.lines().last().unwrap_or_default().split(' ').flat_map(str::parse);
    match seconds.collect::<Vec<f64>>()[..] {
        [program, kernel, wall] if ended.status.success() => {
            let each = 1e3 / f64::from(u32::try_from(count)?);
            Ok([(program + kernel) * each, wall * each])
        }
        _ => Err(Failure(format!("{command:?} failed: {stderr}{stdout}"))),
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

/// Returns the table of the medians, and the rows that are over their limits.
fn table(rounds: &[[Taken; ROWS.len()]]) -> (String, Vec<&'static str>) {
    let mut table = "| | CPU time, ms | duration, ms | at most |\n|---|--:|--:|---|\n".to_owned();
    let mut over = Vec::new();
    for (at, (name, most)) in ROWS.into_iter().enumerate() {
        let [cpu, wall] = [0, 1].map(|part| median(rounds.iter().map(|round| round[at][part])));
        let mut limit = most.map_or("–".to_owned(), |most| format!("{most} ms of CPU"));
        let mut is_over = most.is_some_and(|most| cpu > most);
        if at == ROWS.len() - 1 {
            let ratio = median(rounds.iter().map(|round| round[at][0] / round[at - 1][0]));
            limit = format!("{MOST_TIMES} × the row before; is {ratio:.2} ×");
            is_over = ratio > MOST_TIMES;
        }
        let _ = writeln!(table, "| {name} | {cpu:.1} | {wall:.1} | {limit} |");
        over.extend(is_over.then_some(name));
    }
    (table, over)
}

fn page(table: &str, date: &str) -> String {
    format!(include_str!("installs.md"), SKILLS, date, ROUNDS, PEER, table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_of_the_medians() {
        let round = |list: f64| [1.0, 149.0, 16.0, 99.0, 10.0, list].map(|cpu| [cpu, 2.0 * cpu]);
        let (table, over) = table(&[round(11.0), round(20.0), round(11.0)]);
        assert_eq!(over, [ROWS[2].0], "{table}");
        assert!(table.contains("| 149.0 | 298.0 | 150 ms of CPU |\n"), "{table}");
        assert!(table.ends_with("| 11.0 | 22.0 | 1.1 × the row before; is 1.10 × |\n"), "{table}");
    }
}
