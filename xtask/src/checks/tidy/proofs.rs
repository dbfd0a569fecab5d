//! The tables of promises and proofs name code, tests and lemmas that exist.

use super::repository::Repository;

const PROMISES: &str = "SECURITY.md";
const PROOFS: &str = "crates/PROOFS.md";
const PROVED: &str = "xtask/src/night/proved.txt";

/// The lines of all models that are neither blank nor a comment, at most.
const MODEL_LINES: usize = 600;

/// Each promise has the code of its guard and a test, each invariant its tests, each rule that
/// `cargo xtask mutants --proved` changes its files and tests, and each lemma a proof.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let read = |document| repository.text(document).unwrap_or_default();
    let mut problems = Vec::new();
    for row in [PROMISES, PROOFS].into_iter().flat_map(|document| read(document).lines()) {
        let [_, _, guard, test, _, _] = row.split('|').collect::<Vec<_>>()[..] else { continue };
        let crates = words(guard).filter(|word| !word.starts_with('`')).collect::<Vec<_>>();
        problems.extend(missing(repository, guard, &[], "src"));
        problems.extend(missing(repository, test, &crates, "tests/it"));
    }
    for row in read(PROOFS).lines() {
        problems.extend(match row.split('|').collect::<Vec<_>>()[..] {
            [_, _, tests, _] => missing(repository, tests, &[], "tests/it"),
            [_, model, _, _, _] => missing(repository, model, &[], "model"),
            _ => continue,
        });
    }
    for line in read(PROVED).lines() {
        let head = line.strip_prefix("prowess-").and_then(|head| head.split_once(": "));
        let Some((name, (files, tests))) = head.and_then(|(a, b)| Some((a, b.split_once("; ")?)))
        else {
            continue;
        };
        let cell = |list: &str, end: &str| {
            let names = list.split(", ").filter_map(|name| name.split(end).next());
            names.map(|name| format!("`{name}`")).collect::<String>()
        };
        problems.extend(missing(repository, &cell(files, ".rs"), &[name], "src"));
        problems.extend(missing(repository, &cell(tests, "::"), &[name], "tests/it"));
    }
    let models = repository.files.iter().filter(|file| file.path.ends_with(".dfy"));
    let models = models.map(|file| file.text.replace("{:induction false} ", ""));
    let models = models.collect::<String>();
    let lines = models.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    let problem = format!("the models have {lines} lines, more than {MODEL_LINES}");
    problems.extend((lines > MODEL_LINES).then_some(problem));
    let lemmas = read(PROOFS).split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| {
        word.strip_prefix(|c: char| c.is_ascii_uppercase())
            .is_some_and(|number| number.parse::<u8>().is_ok())
    });
    let unproven = lemmas.filter(|lemma| !models.contains(&format!("\nlemma {lemma}_")));
    problems.extend(unproven.map(|lemma| format!("{PROOFS}: no model has the lemma {lemma}")));
    problems
}

fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split([' ', ',', ';']).filter(|word| !word.is_empty())
}

/// Returns a problem for each module of a cell that none of the crates in front of it has. What has
/// a blank is a command.
fn missing(repository: &Repository, cell: &str, crates: &[&str], folder: &str) -> Vec<String> {
    let mut crates = crates.to_vec();
    let mut problems = Vec::new();
    for (at, part) in cell.split('`').enumerate() {
        if at % 2 == 0 {
            crates = words(part).last().map_or(crates, |name| vec![name]);
            continue;
        }
        let places = ["crates/prowess-", "xtask/"];
        let mut places = crates.iter().flat_map(|name| places.map(|at| format!("{at}{name}")));
        let is_there = places.any(|place| {
            let has = |end| repository.text(&format!("{place}/{folder}/{part}{end}")).is_some();
            [".rs", "/mod.rs", ".dfy"].into_iter().any(has)
        });
        if !is_there && !part.contains(' ') {
            problems.push(format!("{crates:?} have no {folder} `{part}`"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn name_of_nothing_is_reported() {
        let row = |guard, test| format!("| a promise | testkit {guard} | {test} | none |\n");
        for (file, text, parts) in [
            (PROMISES, row("`lib`", "`main`, testkit `main`"), &[][..]),
            (PROMISES, row("`lib`", "`main`, `gone`"), &["no tests/it `gone`"]),
            (PROMISES, row("`gone`", "`main`"), &["no src `gone`"]),
            (PROOFS, "D1 of SHA256 and D2".into(), &["the lemma D2"]),
            (PROOFS, "| 1 | D1; testkit `main`, `gone`; `a b` |".into(), &["no tests/it `gone`"]),
            (PROOFS, "| core `gone` | D1 | |".into(), &["no model `gone`"]),
            ("low.dfy", "x\n// y\n\n".repeat(601), &["have 601 lines"]),
            (PROVED, "prowess-testkit: lib.rs; main::, gone::a_".into(), &["no tests/it `gone`"]),
        ] {
            let write = |repository: &mut Repository| {
                repository.write("low.dfy", "\nlemma D1_Holds()\n");
                repository.write(file, &text);
            };
            broken(check, write, parts);
        }
    }
}
