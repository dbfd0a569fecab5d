//! The files that a process may open, by Landlock.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope,
};
use rustix::fs::{FileType, fstat};

use super::paths::{DISCARD, LIBRARIES, NETWORK, SYSTEM, TEMPORARY};
use crate::{Level, Rights};

/// Restricts this process to its rights and returns a line for the report.
pub(super) fn restrict(rights: &Rights, level: Level) -> Result<String, RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let write = read | AccessFs::from_write(ABI::V4);
    let run = AccessFs::ReadFile | AccessFs::Execute;
    let discard = AccessFs::ReadFile | AccessFs::WriteFile;
    let network = if rights.network { &NETWORK[..] } else { &[] };
    let mut rules = ruleset(rights)?;
    rules = allow(rules, paths(&LIBRARIES).chain(paths(&SYSTEM)), read)?;
    rules = allow(rules, paths(network), read)?;
    rules = allow(rules, paths(&DISCARD), discard)?;
    rules = allow(rules, rights.read.iter().map(PathBuf::as_path), read)?;
    rules = allow(rules, rights.write.iter().map(PathBuf::as_path), write)?;
    rules = allow(rules, rights.execute.iter().map(PathBuf::as_path), run)?;
    if !rights.execute.is_empty() {
        // The dynamic loader is a program that the kernel runs.
        rules = allow(rules, paths(&LIBRARIES), read | AccessFs::Execute)?;
    }
    if rights.private_tmp && level == Level::Namespaces {
        rules = allow(rules, paths(&[TEMPORARY]), write)?;
    }
    let status = rules.restrict_self()?;
    let kernel = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as i32,
        _ => 0,
    };
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => format!("landlock (version {kernel})"),
        _ => format!("landlock (version {kernel}, without the rights of later ones)"),
    })
}

/// Everything that Landlock can deny, of which its first version is required.
fn ruleset(rights: &Rights) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))?
        .scope(Scope::from_all(ABI::V6))?;
    if !rights.network {
        rules = rules.handle_access(AccessNet::from_all(ABI::V4))?;
    }
    rules.create()
}

fn paths(names: &'static [&str]) -> impl Iterator<Item = &'static Path> {
    names.iter().map(Path::new)
}

/// Allows an access to each path that exists.
fn allow<'a>(
    mut rules: RulesetCreated,
    paths: impl Iterator<Item = &'a Path>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    for path in paths {
        let Ok(file) = PathFd::new(path) else { continue };
        let is_directory = fstat(file.as_fd())
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
        let fits = if is_directory { access } else { access & AccessFs::from_file(ABI::V5) };
        rules = rules.add_rule(PathBeneath::new(file, fits))?;
    }
    Ok(rules)
}
