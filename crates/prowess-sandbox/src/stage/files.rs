//! The files that a process may open, by Landlock.

use std::fs::{self, DirEntry};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, NetPort,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope,
};
use rustix::fs::{FileType, fstat};

use super::network::Reach;
use super::paths::{DISCARD, LIBRARIES, SYSTEM, TEMPORARY};
use super::root::is_fresh;
use crate::Level;
use crate::wire::Order;

/// Returns the rules for the files of the system, which do not depend on what a plan grants.
pub(super) fn rules_of_system(
    reach: Reach,
    executes: bool,
) -> Result<RulesetCreated, RulesetError> {
    let read = read();
    // The dynamic loader is a program that the kernel runs.
    let libraries = if executes { read | AccessFs::Execute } else { read };
    let mut rules = ruleset(reach)?;
    rules = allow(rules, paths(&LIBRARIES), libraries)?;
    rules = allow(rules, paths(&SYSTEM), read)?;
    rules = allow(rules, reach.files(), read)?;
    allow(rules, paths(&DISCARD), AccessFs::ReadFile | AccessFs::WriteFile)
}

/// Restricts this process to the files of the system and its rights, and returns a line for the
/// report.
pub(super) fn restrict(mut rules: RulesetCreated, order: &Order) -> Result<String, RulesetError> {
    let rights = &order.confinement.rights;
    let read = read();
    let write = read | AccessFs::from_write(ABI::V4);
    let run = AccessFs::ReadFile | AccessFs::Execute;
    rules = allow(rules, rights.read.iter().map(PathBuf::as_path), read)?;
    if order.level == Level::Namespaces && is_fresh(rights) {
        // Mounts are read only where something is kept.
        rules = allow(rules, rights.write.iter().map(PathBuf::as_path), write)?;
    } else {
        rules = allow(rules, rights.write.iter().map(PathBuf::as_path), read)?;
        let real = rights.write.iter().filter_map(|path| path.canonicalize().ok());
        let around: Vec<_> = real.flat_map(|path| around(path, &rights.keep)).collect();
        rules = allow(rules, around.iter().map(PathBuf::as_path), write)?;
    }
    rules = allow(rules, rights.execute.iter().map(PathBuf::as_path), run)?;
    if rights.private_tmp && order.level == Level::Namespaces {
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

/// Returns the path, or what is in it around what is kept: a rule covers all that is below.
fn around(path: PathBuf, kept: &[PathBuf]) -> Vec<PathBuf> {
    if !kept.iter().any(|kept| kept.starts_with(&path)) {
        return vec![path];
    }
    // A rule is about the target of a link.
    let is_own = |entry: &DirEntry| {
        entry.file_type().is_ok_and(|it| !it.is_symlink()) && !kept.contains(&entry.path())
    };
    let inside = fs::read_dir(&path).into_iter().flatten().flatten().filter(is_own);
    inside.flat_map(|entry| around(entry.path(), kept)).collect()
}

fn read() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::ReadDir
}

/// Everything that Landlock can deny, of which its first version is required.
fn ruleset(reach: Reach) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))?
        .scope(Scope::from_all(ABI::V6))?;
    if reach != Reach::Everything {
        rules = rules.handle_access(AccessNet::from_all(ABI::V4))?;
    }
    let rules = rules.create()?;
    match reach {
        Reach::Proxy(port) => rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp)),
        Reach::Nothing | Reach::Everything => Ok(rules),
    }
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
