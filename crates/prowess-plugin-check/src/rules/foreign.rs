//! Paths that are not the source's own.

use prowess_plugin_abi::{AbiError, codes};
use prowess_text::clipped;

use crate::probe::{Broken, Checked, Probe, Source, broken, is_panic, panicked};
use crate::recorder::Recorder;

/// A name that no package has.
const UNKNOWN: &str = "prowess-plugin-check/unknown";

pub(super) fn unknown(probe: &Probe) -> Checked {
    for source in probe.sources()? {
        probe.step(format!("a read of what `{}` does not have", source.name));
        not_found("a read of an unknown package", source.read(UNKNOWN, "SKILL.md", 1 << 20))?;
        not_found("a listing of an unknown package", source.page(UNKNOWN, 10, ""))?;
        if let Some(seen) = source.scan()?.found.first() {
            let read = source.read(&seen.package, UNKNOWN, 1 << 20);
            not_found("a read of an unknown file", read)?;
        }
        scans_nothing_else(&source)?;
    }
    Ok(Vec::new())
}

fn not_found<T>(what: &str, answer: Result<T, AbiError>) -> Result<(), Broken> {
    let help = "answer with `SourceErrorKind::NotFound`: a host tells it from a failure";
    match answer {
        Err(error) if error.code == codes::NOT_FOUND => Ok(()),
        Err(error) if is_panic(&error) => Err(panicked(what, &error)),
        Err(error) => {
            let reason = format!("{what} gives another error: {}", error.message);
            Err(broken(reason, help))
        }
        Ok(_) => Err(broken(format!("{what} succeeds"), help)),
    }
}

/// A scan of a package that is not there reports nothing of it.
fn scans_nothing_else(source: &Source) -> Result<(), Broken> {
    let mut recorder = Recorder::default();
    let scanned = source.scan_packages(&[UNKNOWN], &mut recorder);
    if let Err(error) = scanned {
        let what = "a scan of an unknown package";
        return Err(match is_panic(&error) {
            true => panicked(what, &error),
            false => {
                let help = "report nothing of it: packages go while a host is asking";
                broken(format!("{what} fails: {}", error.message), help)
            }
        });
    }
    match recorder.found.iter().any(|seen| seen.package == UNKNOWN) {
        true => Err(broken("a scan of an unknown package reports it", "report what is there")),
        false => Ok(()),
    }
}

/// Paths that lead elsewhere, or that are none.
fn hostile_paths() -> Vec<String> {
    let long = "a".repeat(1 << 20);
    let many = "../".repeat(1_000) + "etc/passwd";
    let paths = [
        "..",
        "../..",
        "../../../../../../etc/passwd",
        "/etc/passwd",
        "a/../../b",
        "a\0b",
        "C:\\Windows\\win.ini",
        "..\\..\\secret",
        "%2e%2e/%2e%2e/secret",
        "file:///etc/passwd",
        "~root/.ssh/id_rsa",
        "\u{202e}dm.LLIKS",
        "a\nb",
        "$(id)",
        "....//....//secret",
    ];
    paths.map(str::to_owned).into_iter().chain([long, many]).collect()
}

pub(super) fn hostile(probe: &Probe) -> Checked {
    for source in probe.sources()? {
        let before = source.scan()?;
        let first = before.found.first().map(|seen| seen.package.clone());
        for path in hostile_paths() {
            let shown = clipped(&path, 40);
            probe.step(format!("a call with the path `{shown}`"));
            let as_package = source.read(&path, "SKILL.md", 1 << 20).map(drop);
            let listed = source.page(&path, 10, "").map(drop);
            let file = first.as_deref().unwrap_or(UNKNOWN);
            let as_file = source.read(file, &path, 1 << 20).map(drop);
            for answer in [as_package, listed, as_file] {
                refused(&shown, answer)?;
            }
            let scanned = source.scan_packages(&[&path], &mut Recorder::default());
            no_panic(&shown, scanned.map(drop))?;
        }
        odd_numbers(probe, &source, first.as_deref().unwrap_or(UNKNOWN))?;
        probe.step("a scan after all that");
        if source.scan()?.sorted() != before.sorted() {
            let reason = "after hostile paths, a scan reports something else";
            return Err(broken(reason, "let no path of a stranger change what the source has"));
        }
    }
    Ok(Vec::new())
}

fn refused(path: &str, answer: Result<(), AbiError>) -> Result<(), Broken> {
    if answer.is_ok() {
        let help =
            "take paths as `PackagePath` and `ResourcePath`, and look them up below the root";
        return Err(broken(format!("the path `{path}` gives something"), help));
    }
    no_panic(path, answer)
}

fn no_panic(path: &str, answer: Result<(), AbiError>) -> Result<(), Broken> {
    match answer {
        Err(error) if is_panic(&error) => {
            Err(panicked(&format!("a call with the path `{path}`"), &error))
        }
        _ => Ok(()),
    }
}

/// Limits at both ends of the numbers, and a cursor that the source never returned.
fn odd_numbers(probe: &Probe, source: &Source, package: &str) -> Result<(), Broken> {
    probe.step("calls with odd limits");
    for number in [0, 1, u64::MAX] {
        no_panic("(an odd limit)", source.read(package, "SKILL.md", number).map(drop))?;
        no_panic("(an odd limit)", source.page(package, number, "").map(drop))?;
        no_panic("(an odd cursor)", source.page(package, number, "\0nobody").map(drop))?;
    }
    Ok(())
}
