//! Counts of whole programs on packages with files.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{
    SIZES, UNTIL_OLD, counted_instructions, each, generate, own_program, traced, traced_calls,
    valgrind,
};
use crate::process::{Failure, errors_until, output};

/// The counted commands, and the maximum system calls and user instructions of a skill. The floor
/// takes 11 system calls: four for each of two directories, which it opens, lists to the end and
/// closes, and three for a file. A server, which gets no request, also waits for its scan. In a
/// project no package's directory is listed, and each is asked whether it is a repository. `doctor`
/// also opens two directories and a script of each skill to check them, gets the sizes of its
/// files, and watches its directories. In a home, as `npx skills` fills it, each skill also has a
/// link of a client.
const COMMANDS: [(&str, &str, &[f64]); 5] = [
    ("list", "--root", &[10.9, 23_700.0]),
    ("serve", "--root", &[11.9, 22_900.0]),
    ("list", "-C", &[7.0, 43_000.0]),
    ("list", "HOME", &[12.0]),
    ("doctor", "--root", &[31.0, 760_000.0]),
];

/// Prints the counts of each further skill, and returns the names of those that are too many.
pub(super) fn count(once: &Path) -> Result<Vec<&'static str>, Failure> {
    let program = own_program()?;
    let places = [tempfile::tempdir()?, tempfile::tempdir()?];
    let mut trees = Vec::new();
    for (place, size) in places.iter().zip(SIZES) {
        // The directory of one client, and a link for another one.
        let [of_all, of_one] = [".agents", ".claude"].map(|client| place.path().join(client));
        [&place.path().join(".git"), &of_all, &of_one].iter().try_for_each(std::fs::create_dir)?;
        symlink("../.agents/skills", of_one.join("skills"))?;
        trees.push(generate(once, "packages", &of_all, size)?);
    }
    let homes = [home(once, SIZES[0])?, home(once, SIZES[1])?];
    std::thread::sleep(UNTIL_OLD);
    let mut problems = Vec::new();
    for (argument, option, most) in COMMANDS {
        let command = |at: usize| {
            let mut command = Command::new(&program);
            let (option, place) = match option {
                "-C" => (option, places[at].path().display().to_string()),
                "HOME" => ("-C", homes[at].path().display().to_string()),
                _ => (option, format!("user={}", trees[at].display())),
            };
            command.args(["--no-config", "--no-cache", option, &place, argument]);
            command
        };
        let log = |at: usize| places[at].path().join(argument);
        let run = |mut counter: Command, at: usize| {
            if option == "HOME" {
                counter.env(option, homes[at].path());
            }
            whole(counter, argument, SIZES[at])
        };
        let calls = |at| {
            run(traced(&command(at), &log(at)), at)?;
            traced_calls(&log(at))
        };
        let instructions = |at| counted_instructions(&run(valgrind(&command(at)), at)?);
        for (cost, most) in ["system calls", "user instructions"].into_iter().zip(most) {
            let measured = if cost == "system calls" { each(calls)? } else { each(instructions)? };
            let name = format!("{cost} a skill, `prowess {option} … {argument}`");
            println!("{name}: {measured:.1}, at most {most}");
            problems.extend((measured > *most).then_some(cost));
        }
    }
    Ok(problems)
}

/// Writes a home with so many skills, each with a link of a client.
fn home(once: &Path, skills: usize) -> Result<TempDir, Failure> {
    let home = tempfile::tempdir()?;
    let [of_all, of_one] = [".agents", ".claude/skills"].map(|it| home.path().join(it));
    [&of_all, &of_one].iter().try_for_each(std::fs::create_dir_all)?;
    for skill in generate(once, "packages", &of_all, skills)?.read_dir()? {
        let name = skill?.file_name();
        symlink(Path::new("../../.agents/skills").join(&name), of_one.join(name))?;
    }
    Ok(home)
}

/// Runs a command to its end and returns its errors. A server offers what it has after a second;
/// under valgrind that is no whole scan, so its input ends when its log has named all skills.
fn whole(mut command: Command, argument: &str, skills: usize) -> Result<String, Failure> {
    if argument == "serve" {
        let all = format!("skills={skills} ");
        return errors_until(command.env("PROWESS_LOG", "info"), &all);
    }
    Ok(String::from_utf8_lossy(&output(&mut command)?.stderr).into_owned())
}
