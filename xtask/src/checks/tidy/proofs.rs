//! The tables of promises and proofs name code, tests and lemmas that exist.

use super::repository::Repository;

const PROMISES: &str = "SECURITY.md";
const PROOFS: &str = "crates/PROOFS.md";

/// Each promise has the code of its guard and a test, and each lemma a proof.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for row in repository.text(PROMISES).unwrap_or_default().lines() {
        let [_, _, guard, test, _, _] = row.split('|').collect::<Vec<_>>()[..] else { continue };
        let crates = words(guard).filter(|word| !word.starts_with('`')).collect::<Vec<_>>();
        problems.extend(missing(repository, guard, &[], "src"));
        problems.extend(missing(repository, test, &crates, "tests/it"));
    }
    let models = repository.files.iter().filter(|file| file.path.ends_with(".dfy"));
    let models = models.map(|file| file.text.replace("{:induction false} ", ""));
    let models = models.collect::<String>();
    let proofs = repository.text(PROOFS).unwrap_or_default();
    let lemmas = proofs.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| {
        word.strip_prefix(|c: char| c.is_ascii_uppercase())
            .is_some_and(|number| number.parse::<u8>().is_ok())
    });
    let unproven = lemmas.filter(|lemma| !models.contains(&format!("\nlemma {lemma}_")));
    problems.extend(unproven.map(|lemma| format!("{PROOFS}: no model has the lemma {lemma}")));
    problems
}

fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split([' ', ',']).filter(|word| !word.is_empty())
}

/// Returns a problem for each module of a cell that none of the crates in front of it has.
fn missing(repository: &Repository, cell: &str, crates: &[&str], folder: &str) -> Vec<String> {
    let mut crates = crates.to_vec();
    let mut problems = Vec::new();
    for word in words(cell).filter(|word| !word.starts_with("---")) {
        let Some(module) = word.strip_prefix('`') else {
            crates = vec![word];
            continue;
        };
        let module = module.trim_end_matches('`');
        let is_there = crates.iter().any(|name| {
            let path = format!("crates/prowess-{name}/{folder}/{module}");
            let files = [format!("{path}.rs"), format!("{path}/mod.rs")];
            files.iter().any(|file| repository.text(file).is_some())
        });
        if !is_there {
            problems.push(format!("{PROMISES}: {crates:?} have no {folder} `{module}`"));
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
        ] {
            let write = |repository: &mut Repository| {
                repository.write("low.dfy", "\nlemma D1_Holds()\n");
                repository.write(file, &text);
            };
            broken(check, write, parts);
        }
    }
}
