//! `prowess plugin inspect`: the manifest of a plugin's file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prowess::Digest;
use prowess::plugin_host::{self, Inspection, PluginPolicy, VerifiedPlugin, verify};
use serde::Serialize;

use super::{Verdict, trusted};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::paths::absolute;
use crate::plugins::PluginPaths;
use crate::terminal::marked;

/// The output of `plugin inspect --format json`.
#[derive(Serialize)]
struct Inspected {
    file: PathBuf,
    bytes: usize,
    digest: Digest,
    #[serde(flatten)]
    inspection: Inspection,
    #[serde(flatten)]
    verdict: Verdict,
}

pub(super) fn run(
    file: &Path,
    policy: &PluginPolicy,
    paths: &PluginPaths,
    output: &Output,
) -> Result<(), Failure> {
    let file = absolute(file)?;
    let read = plugin_host::read(&file, policy);
    let (bytes, inspection) = read.map_err(|error| Failure::from(&error))?;
    let verified = verify(&file, policy, &trusted(paths)?);
    let verdict =
        Verdict::new(&verified.as_ref().map(VerifiedPlugin::placement).map_err(Clone::clone));
    let digest = Digest::of(&bytes);
    let inspected = Inspected { file, bytes: bytes.len(), digest, inspection, verdict };
    output.result(&inspected, text)
}

fn text(inspected: &Inspected) -> String {
    let mut text = String::new();
    let Inspection { manifest, library } = &inspected.inspection;
    let name = marked(&manifest.name);
    let version = marked(&manifest.version);
    let _ = writeln!(text, "{HEADING}{name}{HEADING:#} {version}");
    let glibc = library.linkage.minimum_glibc.as_deref().unwrap_or("none");
    let rows = [
        ("", manifest.description.clone()),
        ("file", inspected.file.display().to_string()),
        ("digest", inspected.digest.to_string()),
        ("offers", manifest.kinds.join(", ")),
        ("abi", manifest.abi.clone()),
        ("license", manifest.license.clone()),
        ("homepage", manifest.homepage.clone()),
        ("built by", manifest.rustc.clone()),
        ("for", library.target.to_string()),
        ("needs", library.linkage.needed.join(", ")),
        ("glibc", glibc.to_owned()),
    ];
    for (label, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "  {DIM}{label:8}{DIM:#} {}", marked(value));
    }
    let _ = writeln!(text, "{}: {}", inspected.verdict.verdict, marked(&inspected.verdict.reason));
    if let Some(help) = &inspected.verdict.help {
        let _ = writeln!(text, "  {DIM}help:{DIM:#} {}", marked(help));
    }
    text
}
