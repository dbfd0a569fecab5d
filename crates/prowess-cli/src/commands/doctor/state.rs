//! The files that prowess keeps for the user: whether commands can use them.

use std::path::Path;
use std::sync::Arc;

use prowess::plugin_host::TrustStore;
use prowess::{AuditLog, AuditPolicy, Diagnostic, NoAudit, Policies};
use prowess_store::{InstallError, LockFile};

use crate::args::Global;
use crate::commands::config::check::{
    missing_paths, unoffered_proposals, unusable_paths, unwritable_place,
};
use crate::commands::{approvals, audit};
use crate::failure::{Failure, Place};
use crate::lock_place::{project_lock, user_lock};
use crate::paths::surroundings;
use crate::plugins::{PluginPaths, untrusted};
use crate::policies::Found;

/// Logs above this size are left to `audit verify`, which reads every entry.
const MOST_LOG_BYTES: u64 = 64 << 20;

/// Returns what is wrong with them, and with the files that the configuration names.
pub(super) fn findings(global: &Global, policies: &Policies) -> Vec<Diagnostic> {
    let blaming = |(key, failure): (&str, Failure)| match Found::of(global) {
        Ok(found) => found.blaming(key, failure),
        Err(_) => failure,
    };
    let unusable = unusable_paths(policies).filter(|(key, _)| *key != "discovery.roots");
    let mut found: Vec<_> = unusable.map(blaming).collect();
    let missing = missing_paths(policies).into_iter().chain(unoffered_proposals(policies));
    let mut warnings: Vec<_> = missing.map(blaming).collect();
    if std::env::home_dir().is_none_or(|home| !home.is_absolute()) {
        let message = "the user has no home directory, so nothing is found there or remembered";
        found.push(Failure::new("home-unknown", message, "set `HOME` to an absolute path"));
    }
    found.extend(locks().iter().filter_map(lock));
    found.extend(approvals::check().err());
    let plugins = PluginPaths::of_this_user().ok().filter(|_| policies.plugins.load.is_empty());
    let trust = plugins.map(|paths| TrustStore::read(&paths.trust_file));
    found.extend(trust.and_then(Result::err).map(|error| untrusted(&error)));
    found.extend(audit_log());
    let proposals = prowess::file_proposals(policies, &(Arc::new(NoAudit) as _));
    let waiting = proposals.and_then(|it| it.waiting().ok()).into_iter().flatten();
    found.extend(waiting.filter_map(Result::err).map(Failure::from));
    if policies.audit.log == AuditLog::Keep {
        let is_required = policies.audit.policy == AuditPolicy::Required;
        let level = if is_required { &mut found } else { &mut warnings };
        level.extend(audit::located(&None).ok().and_then(|path| not_writable(&path)));
    }
    let warnings = warnings.iter().map(Failure::warning);
    found.iter().map(Failure::to_diagnostic).chain(warnings).collect()
}

/// Reports an audit log that programs cannot write, without a change.
fn not_writable(path: &Path) -> Option<Failure> {
    let (place, error) = unwritable_place(path)?;
    let path = path.display();
    let message = format!("nothing is recorded in `{path}`: `{}`: {error}", place.display());
    let help = "correct its permissions, or set `audit: { log: never }`";
    Some(Failure::new("audit-log-unavailable", message, help))
}

/// Returns the lock files of the user and of the project.
pub(super) fn locks() -> Vec<LockFile> {
    let project = surroundings().ok().and_then(|machine| project_lock(&machine));
    let project = project.map(|(path, folder)| LockFile::of_project(path, &folder, None));
    user_lock().into_iter().chain(project).collect()
}

fn lock(file: &LockFile) -> Option<Failure> {
    let error = file.load().err()?;
    let path = file.path().display().to_string();
    let failure = Failure::from(InstallError::from(error));
    Some(failure.at(Some(Place { path, line: None, column: None })))
}

fn audit_log() -> Option<Failure> {
    let path = audit::located(&None).ok()?;
    let is_read = path.symlink_metadata().ok()?.len() <= MOST_LOG_BYTES;
    let failure = is_read.then(|| audit::verified(None, &path).err())??;
    let help = "move the file away, and keep it: the next program that records begins a new log";
    let is_readable = failure.code != "audit-log-unreadable";
    Some(if is_readable { failure } else { failure.with_help(help) })
}
