//! `prowess trust`: lists and changes the trusted folders.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::governance::{SkillPackage, package_digest};
use prowess::state::{
    Origin, TrustError, TrustFile, TrustedFolder, TrustedOrigin, TrustedOrigins, TrustedState,
};
use prowess::{
    AGENT_LAYER, AuditLog, AuditPolicy, Cancel, Clock, PackageFiles, Policies, Record,
    RuntimeEvent, SystemClock, TrustAction, TrustEvent, has_credentials, without_credentials,
};
use prowess_text::{shell_path, shell_word};
use serde::Serialize;

use super::placement;
use crate::args::{Global, Trust};
use crate::audit_log::{audit_sink, decided};
use crate::commands::install::request;
use crate::failure::Failure;
use crate::install_place::signer;
use crate::output::{DIM, HEADING, Output};
use crate::paths;
use crate::plugins::Loaded;
use crate::policies::{Found, policies};
use crate::runtime::{builder_with, runtime};
use crate::terminal::{local_time, marked, plain};
use crate::user::user;

/// The least part of a digest that names the files of a skill: `sha256:` and 64 bits.
const LEAST_LENGTH: usize = 7 + 16;

/// The output of `trust --format json`.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    Trusted {
        trusted: Folder,
    },
    Revoked {
        revoked: Folder,
        #[serde(skip_serializing_if = "Option::is_none")]
        still_trusted_by: Option<PathBuf>,
        /// Whether it was a trusted source, too.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        and_source: bool,
    },
    TrustedOrigin {
        trusted: Named,
    },
    RevokedOrigin {
        revoked: Named,
    },
    List {
        folders: Vec<Folder>,
        sources: Vec<Named>,
        signers: Vec<Named>,
        skills: Vec<Named>,
    },
}

#[derive(Serialize)]
pub(crate) struct Folder {
    path: PathBuf,
    since: String,
    state: TrustedState,
}

/// A source, a signer or a reviewed skill.
#[derive(Serialize)]
pub(crate) struct Named {
    name: String,
    since: String,
}

pub(crate) fn run(global: &Global, args: &Trust, output: &Output) -> Result<ExitCode, Failure> {
    output.result(&answer(global, args, output)?, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns what the command prints, after the change.
pub(crate) fn answer(global: &Global, args: &Trust, output: &Output) -> Result<Answer, Failure> {
    let surroundings = paths::surroundings()?;
    let file = paths::trust_file(&surroundings);
    let file = file.ok_or_else(|| paths::without_home("the file of trusted directories"))?;
    let trust_origin = |origin: Origin<'_>, name: &str| {
        recorded(global, output, (TrustAction::Granted, name), || trust_origin(&file, origin))
    };
    Ok(if let Some(written) = &args.revoke {
        let path = Path::new(written).canonicalize();
        let name = path.map_or(written.into(), |path| path.to_string_lossy().into_owned());
        let revoked = (TrustAction::Revoked, &*name);
        recorded(global, output, revoked, || revoke(&file, written, output))?
    } else if args.list {
        list(&file)?
    } else if let Some(written) = &args.source {
        let source = request(written, None)?.source;
        trust_origin(Origin::Source(&source), &source)?
    } else if let Some(written) = &args.signer {
        let signer = signer(written)?.to_string();
        trust_origin(Origin::Signer(&signer), &signer)?
    } else if let Some(written) = &args.skill {
        let skill = reviewed(global, written)?;
        trust_origin(Origin::Skill(&skill), &skill)?
    } else {
        let project = args.path.as_deref().or_else(|| surroundings.project());
        let project = project.unwrap_or(Path::new("."));
        if surroundings.is_too_wide(project) && !args.wide {
            return Err(too_wide(project));
        }
        let name = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        let granted = (TrustAction::Granted, &*name.to_string_lossy());
        let trust = || file.trust(project, SystemClock::default().now()).map_err(refused);
        Answer::Trusted { trusted: folder(&recorded(global, output, granted, trust)?) }
    })
}

/// Makes a decision about what is trusted, which is recorded before it has an effect. A
/// configuration that cannot be read may ask for that, so the decision is in the log of this user
/// then, and nothing is trusted without an entry.
pub(super) fn recorded<T>(
    global: &Global,
    output: &Output,
    (action, name): (TrustAction, &str),
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let policies = policies(global).or_else(|_| {
        let mut policies = policies(&global.with(Found::usable(global).0))?;
        policies.audit.log = AuditLog::Keep;
        if action == TrustAction::Granted {
            policies.audit.policy = AuditPolicy::Required;
        }
        Ok::<_, Failure>(policies)
    })?;
    let audit = audit_sink(&policies, output)?;
    let name = without_credentials(name).into_owned();
    let event = TrustEvent { at: SystemClock::default().now(), action, name, by: user() };
    let not_made = TrustEvent { action: TrustAction::NotMade, ..event.clone() };
    let events = [event, not_made].map(RuntimeEvent::Trust);
    decided(&*audit, policies.audit.policy, events, make)
}

/// Extends the review of a skill that an agent has written to the files that a person has just
/// decided on, if `is_reviewed` says so of the id and the file of the reviews. Otherwise the person
/// has not seen the rest.
pub(super) fn follow_review(
    ids: [&str; 2],
    after: &PackageFiles,
    is_reviewed: impl Fn(&TrustFile, &str) -> bool,
    global: &Global,
    output: &Output,
) -> Result<(), Failure> {
    let after = package_digest(after);
    let file = paths::trust_file(&paths::surroundings()?);
    match file.filter(|file| is_reviewed(file, ids[0])) {
        Some(file) => {
            let reviewed = format!("{}@{after}", ids[1]);
            recorded(global, output, (TrustAction::Granted, &reviewed), || {
                trust_origin(&file, Origin::Skill(&reviewed))
            })?;
        }
        None => output.remark(&format!(
            "the skill stays hidden, because an agent has written it; once you have read its \
             files, `prowess trust --skill {}@{}` offers it\n",
            plain(&shell_word(ids[1])),
            &after.to_string()[..LEAST_LENGTH]
        )),
    }
    Ok(())
}

/// Extends the review of a skill that an agent has written to the files that a person has made of
/// it, as [`follow_review`] does, if it is one.
pub(super) fn keep_reviewed(
    package: &SkillPackage,
    files: &PackageFiles,
    is_reviewed: impl Fn(&TrustFile, &str) -> bool,
    global: &Global,
    output: &Output,
) -> Result<(), Failure> {
    // No plugin has skills of that layer.
    let policies = Policies { plugins: Default::default(), ..policies(global)? };
    if global.skills.root.is_empty() && !policies.discovery.roots.contains_key(AGENT_LAYER) {
        return Ok(());
    }
    let catalog = builder_with(global, policies, &Loaded::none())?.build()?.catalog();
    let is_meant = |it: &Record<'_>| {
        let directory = Path::new(&it.root_directory()).canonicalize();
        *it.layer().name == *AGENT_LAYER && directory.is_ok_and(|it| it == package.path())
    };
    let Some(record) = catalog.skills().chain(catalog.excluded()).find(is_meant) else {
        return Ok(());
    };
    follow_review([record.base_id(); 2], files, is_reviewed, global, output)
}

/// Returns the refusal of a directory that contains the home.
fn too_wide(folder: &Path) -> Failure {
    let message = format!(
        "`{}` contains your home directory, so everything in your home would be trusted",
        folder.display()
    );
    let help = "name the directory of one project, or add `--wide` to trust all of it";
    Failure::usage("folder-too-wide", message, help)
}

/// Returns the skill that a person has reviewed, with the digest of its files, which has to begin
/// as the person writes it: an agent may have changed them since they were read.
fn reviewed(global: &Global, written: &str) -> Result<String, Failure> {
    let runtime = runtime(global)?;
    let catalog = runtime.catalog();
    let (id, digest) = written.rsplit_once('@').unwrap_or((written, ""));
    let is_meant = |it: &Record<'_>| *it.layer().name == *AGENT_LAYER && it.id() == id;
    let mut all = catalog.skills().chain(catalog.excluded()).filter(is_meant);
    let Some(record) = all.next() else {
        let message = format!("no agent has written a skill `{}`", plain(id));
        let help = "see `prowess list` for the ids of the skills";
        return Err(Failure::usage("skill-not-found", message, help));
    };
    let files = catalog.package_contents(record, &Cancel::default()).map_err(|error| {
        Failure::new(error.kind.as_str(), error.to_string(), "correct the files of the skill")
    })?;
    let files = files.finish().to_string();
    if files.starts_with(digest) && digest.len() >= LEAST_LENGTH {
        return Ok(format!("{id}@{files}"));
    }
    let message = match digest {
        "" => "a review is of certain files, which their digest names".to_owned(),
        _ => format!("the files of `{}` have another digest now", plain(id)),
    };
    let (file, shown) = (record.location(), &files[..LEAST_LENGTH]);
    let help = format!(
        "read `{file}` and what is next to it, then run `prowess trust --skill {}@{shown}`",
        shell_word(id)
    );
    Err(Failure::usage("review-outdated", message, help))
}

fn trust_origin(file: &TrustFile, origin: Origin<'_>) -> Result<Answer, Failure> {
    let trusted = file.trust_origin(origin, SystemClock::default().now()).map_err(refused)?;
    Ok(Answer::TrustedOrigin { trusted: named(&trusted) })
}

/// Revokes the trust in all of this name: a directory may be a source, too.
fn revoke(file: &TrustFile, written: &str, output: &Output) -> Result<Answer, Failure> {
    let signer = signer(written).ok().map(|signer| signer.to_string());
    let source = request(written, None).map_or_else(|_| written.to_owned(), |it| it.source);
    let signer = signer.as_deref().map(Origin::Signer);
    let origins = [Origin::Source(&source), Origin::Signer(written), Origin::Skill(written)];
    let mut origin = None;
    for meant in origins.into_iter().chain(signer) {
        origin = file.revoke_origin(meant).map_err(refused)?.or(origin);
    }
    if origin.is_some() {
        let left = placement::remove_untrusted()?;
        if let Some(removal) = placement::removal(Path::new("/"), &left) {
            let paths: Vec<_> = left.iter().map(|place| &*place.path).collect();
            output.remark(&format!(
                "{} was changed after it was installed, and stays; {}\n",
                plain(&paths.join(", ")),
                plain(&removal)
            ));
        }
    } else if has_credentials(written) {
        // The failure would repeat them.
        request(written, None)?;
    }
    let revoked = match (file.revoke(Path::new(written)), &origin) {
        (Err(TrustError::NotTrusted(_) | TrustError::PartOf(..)), Some(origin)) => {
            return Ok(Answer::RevokedOrigin { revoked: named(origin) });
        }
        (revoked, _) => revoked.map_err(refused)?,
    };
    let (and_source, above) = (origin.is_some(), file.load());
    let still_trusted_by = above.covering(revoked.path()).map(|above| above.path().to_owned());
    Ok(Answer::Revoked { revoked: folder(&revoked), still_trusted_by, and_source })
}

fn list(file: &TrustFile) -> Result<Answer, Failure> {
    let trusted = file.load();
    if let Some(finding) = trusted.finding() {
        return Err(refused(TrustError::Invalid(Box::new(finding.clone()))));
    }
    let TrustedOrigins { sources, signers, skills, .. } = file.origins();
    Ok(Answer::List {
        folders: trusted.folders().iter().map(folder).collect(),
        sources: sources.iter().map(named).collect(),
        signers: signers.iter().map(named).collect(),
        skills: skills.iter().map(named).collect(),
    })
}

fn named(trusted: &TrustedOrigin) -> Named {
    // One of an older version may have a password.
    Named { name: without_credentials(trusted.name()).into_owned(), since: trusted.since() }
}

fn folder(trusted: &TrustedFolder) -> Folder {
    Folder { path: trusted.path().into(), since: trusted.since(), state: trusted.state() }
}

fn refused(error: TrustError) -> Failure {
    let message = error.to_string();
    match error {
        TrustError::NoFolder(folder) => {
            let help = match folder.to_str() {
                Some("list" | "ls" | "show") => "`prowess trust --list` lists what is trusted",
                Some("revoke" | "remove" | "off" | "no") => "`prowess trust --revoke PATH` ends it",
                Some("on" | "add" | "yes") => {
                    "`prowess trust` trusts the directory that you are in"
                }
                _ => "name a directory that exists",
            };
            Failure::usage("folder-not-found", message, help)
        }
        TrustError::NotUtf8(_) => Failure::new("path-not-utf8", message, "rename the directory"),
        TrustError::TooWide => {
            Failure::usage("folder-too-wide", message, "name the directory of one project")
        }
        TrustError::PartOf(_, above) => {
            let help = format!("run `prowess trust --revoke {}`", shell_path(&above));
            Failure::new("folder-not-trusted", message, help)
        }
        TrustError::NotTrusted(_) => {
            Failure::new("folder-not-trusted", message, "see `prowess trust --list`")
        }
        TrustError::Invalid(finding) => Failure::new(
            finding.code.as_str().to_owned(),
            format!("{message} ({})", finding.path.unwrap_or_default()),
            finding.help,
        ),
        TrustError::Unwritable { cause, .. } if cause.kind() == ErrorKind::StorageFull => {
            Failure::new("trust-file-unwritable", message, "make room for it")
        }
        _ => Failure::new(
            "trust-file-unwritable",
            message,
            "make the file and its directory writable for your user",
        ),
    }
}

fn text(answer: &Answer) -> String {
    let path = |folder: &Folder| marked(&folder.path.to_string_lossy());
    let trusted = |name: &str| format!("{HEADING}trusted{HEADING:#} {name}\n");
    let revoked = |name: &str| format!("{HEADING}no longer trusted{HEADING:#} {name}\n");
    match answer {
        Answer::Trusted { trusted: folder } => trusted(&path(folder)),
        Answer::Revoked { revoked: folder, still_trusted_by, and_source } => {
            let above = still_trusted_by.as_deref().map(shell_path);
            let above = above.map(|above| {
                format!("still trusted as a part of {above}: prowess trust --revoke {above}\n")
            });
            let both = if *and_source { ", neither as a directory nor as a source" } else { "" };
            revoked(&(path(folder) + both)) + &above.unwrap_or_default()
        }
        Answer::TrustedOrigin { trusted: origin } => trusted(&marked(&origin.name)),
        Answer::RevokedOrigin { revoked: origin } => revoked(&marked(&origin.name)),
        Answer::List { folders, sources, signers, skills } => {
            let origins = sources.iter().chain(signers).chain(skills);
            if folders.is_empty() && origins.clone().next().is_none() {
                return "no directory is trusted; run `prowess trust PATH` to trust one\n"
                    .to_owned();
            }
            let since = |since: &str| format!("  {DIM}since {}{DIM:#}\n", local_time(since));
            let folders = folders.iter().map(|it| path(it) + &since(&it.since) + &stale(it));
            let origins = origins.map(|it| marked(&it.name) + &since(&it.since));
            folders.chain(origins).collect()
        }
    }
}

/// Returns what has become of a directory that is not the trusted one, and the command for it.
fn stale(folder: &Folder) -> String {
    let path = shell_path(&folder.path);
    match folder.state {
        TrustedState::Trusted => String::new(),
        TrustedState::Missing => format!("    no longer exists: prowess trust --revoke {path}\n"),
        TrustedState::Replaced => {
            format!("    replaced by another directory, not trusted: prowess trust {path}\n")
        }
    }
}
