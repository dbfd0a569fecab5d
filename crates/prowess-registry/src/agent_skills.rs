//! Skills that agents write: which of them are offered, by a review and by quotas.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fast_glob::glob_match;
use prowess_core::{
    AGENT_LAYER, Cancel, Diagnostic, Digest, FolderTrust, Found, HostCommands, PackageDigest,
    PackagePath, PreviousScan, ReadFurther, ReadLimit, RecordSet, ResourcePath, ScanSink,
    ScanSummary, Severity, SkillSource, SourceError, SourceErrorKind, Stamp,
};
use prowess_text::counted;

use crate::codes;
use crate::visibility::{Show, SkillRule};

/// The maximum number of skills that are offered, which a person can still review.
const MOST_SKILLS: usize = 100;

/// The maximum size of all files of those skills, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// The maximum number of files of one skill.
const MOST_FILES: usize = 1000;

/// A source of skills that agents write.
///
/// Its directory changes while it is scanned, so each scan reads every package, and what a record
/// says is compared with the files that were reviewed, as is each file that is read later.
pub(crate) struct AgentSource {
    source: Arc<dyn SkillSource>,
    /// The rules of the host for skills of this layer, by their ids.
    rules: Vec<SkillRule>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    written: HashMap<String, Written>,
    /// The reviewed files of each skill that was offered. Those of a skill that was withdrawn stay,
    /// because a turn may still have it.
    reviewed: HashMap<String, PackageDigest>,
}

/// A package at the last scan.
struct Written {
    /// The file of the instructions, and what a record was made of.
    instructions: (String, Digest),
    /// Its size, and its files unless it is too large to be offered.
    files: Result<(u64, PackageDigest), String>,
}

/// The skills of a source that are not offered: the reason of each, by its index.
pub(crate) type Hidden = BTreeMap<usize, Box<str>>;

impl AgentSource {
    /// Creates one by the host's rules. Those for skills of any layer do not replace a review.
    pub(crate) fn new(source: Arc<dyn SkillSource>, rules: &[SkillRule]) -> Self {
        let of_agents = |rule: &SkillRule| {
            let pattern = rule.pattern.strip_prefix(AGENT_LAYER)?.strip_prefix(':')?.to_owned();
            Some(SkillRule { pattern, show: rule.show })
        };
        let rules = rules.iter().filter_map(of_agents).collect();
        Self { source, rules, state: Mutex::default() }
    }

    /// Returns whether the host offers a skill without a review.
    fn is_offered_at_once(&self, id: &str) -> bool {
        let rule = self.rules.iter().rev().find(|rule| glob_match(&rule.pattern, id));
        rule.is_some_and(|rule| rule.show != Show::Disabled)
    }

    /// Returns the skills that are not offered. Those that were reviewed have precedence in the
    /// quotas, then those with the first paths.
    pub(crate) fn hidden(
        &self,
        records: &RecordSet,
        trust: &dyn FolderTrust,
        commands: &HostCommands,
    ) -> Hidden {
        let State { written, reviewed } = &mut *self.state();
        let mut hidden = Hidden::new();
        let mut rest = Vec::new();
        let kept = records.findings().filter(|(_, found)| found.code == codes::SKILL_KEPT);
        let kept: BTreeSet<_> = kept.filter_map(|(package, _)| package).collect();
        for at in 0..records.len() {
            let package = records.package(at);
            // The record of a version that is no longer there was made of other files.
            let written = written.get(package).filter(|_| !kept.contains(package));
            match written.map(|written| (written, &written.files)) {
                None => drop(hidden.insert(at, "its files can no longer be used".into())),
                Some((_, Err(reason))) => drop(hidden.insert(at, reason.as_str().into())),
                Some((written, Ok((bytes, files)))) => {
                    let is_reviewed =
                        written.is_of(files) && trust.has_reviewed(records.id(at), &files.finish());
                    rest.push((!is_reviewed, package, at, *bytes, files));
                }
            }
        }
        rest.sort_by_key(|(is_new, package, ..)| (*is_new, *package));
        let (mut skills, mut size) = (0, 0);
        for (is_new, package, at, bytes, files) in rest {
            let waits = !self.is_offered_at_once(records.id(at));
            if is_new && waits {
                hidden.insert(at, unreviewed(records.id(at), files, commands).into());
            } else if skills == MOST_SKILLS || size + bytes > MOST_BYTES {
                hidden.insert(at, over_quota().into());
            } else {
                (skills, size) = (skills + 1, size + bytes);
                if waits {
                    reviewed.insert(package.to_owned(), files.clone());
                }
            }
        }
        hidden
    }

    /// Returns the finding about skills that are not offered.
    pub(crate) fn finding(&self, hidden: &Hidden) -> Option<Diagnostic> {
        let reason = hidden.values().next()?;
        let verb = if hidden.len() == 1 { "is" } else { "are" };
        let skills = counted(hidden.len(), "skill");
        let message = format!("{skills} of agents {verb} hidden; the first, because {reason}");
        let help = "read what they say, then offer each or remove it";
        let found = Diagnostic::new(codes::AGENT_SKILLS_HIDDEN, Severity::Warning, message, help);
        Some(found.in_file(self.root()))
    }

    /// Reads the size of a package, and the digests of its files.
    fn files(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<(u64, PackageDigest), String> {
        let listing = self.source.list(package, MOST_FILES).map_err(|error| error.message)?;
        let bytes = listing.resources.iter().map(|file| file.bytes).sum();
        if !listing.is_complete {
            let files = counted(MOST_FILES, "file");
            return Err(format!("it has more than {files}, or some cannot be listed"));
        }
        if bytes > MOST_BYTES {
            return Err(over_quota());
        }
        let files = self.source.package_contents(package, cancel);
        Ok((bytes, files.map_err(|error| error.message)?))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Written {
    /// Returns whether the record was made of one of these files. They were read after it.
    fn is_of(&self, files: &PackageDigest) -> bool {
        files.permits(&self.instructions.0, &self.instructions.1)
    }
}

fn over_quota() -> String {
    let skills = counted(MOST_SKILLS, "skill");
    format!("agents may have {skills} of {MOST_BYTES} bytes in all, and it exceeds that")
}

/// The length of `sha256:` with 64 bits of a digest, which cannot be imitated.
const SHOWN: usize = 7 + 16;

/// Returns the reason for a skill that was not reviewed, with the step that is bound to its files.
fn unreviewed(id: &str, files: &PackageDigest, commands: &HostCommands) -> String {
    let version = format!("{id}@{}", &files.finish().to_string()[..SHOWN]);
    let step = HostCommands::about(&commands.review_skill, &version);
    format!(
        "an agent has written it, and its files are not reviewed; once you have read them, {step}"
    )
}

impl SkillSource for AgentSource {
    prowess_core::forward_source! { [source] name root identity watch list package_contents }

    fn scan(
        &self,
        _previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let mut paths = Paths { sink, found: Vec::new() };
        self.source.scan(&PreviousScan::none(), &mut paths, cancel)?;
        let Paths { sink, found } = paths;
        let mut written = HashMap::new();
        for (name, file) in found {
            if cancel.is_cancelled() {
                return Err(SourceError::new(SourceErrorKind::Cancelled, "the scan was cancelled"));
            }
            let read = PackagePath::new(&name).ok().zip(ResourcePath::new(&file).ok());
            let Some((package, path)) = read else { continue };
            let text = match self.source.read(&package, &path, ReadLimit::default()) {
                Ok(text) => text,
                // It was removed since it was listed.
                Err(error) if error.kind == SourceErrorKind::NotFound => continue,
                Err(error) => {
                    sink.problem(unreadable(&format!("{}/{name}/{file}", self.root()), error));
                    continue;
                }
            };
            let files = self.files(&package, cancel);
            let digest = Digest::of(&text);
            let [a, b, c, d, e, f, g, h, ..] = *digest.as_bytes();
            let found = Found {
                package: &name,
                file: &file,
                stamp: Some(Stamp::exact(u64::from_be_bytes([a, b, c, d, e, f, g, h]))),
                size: Some(text.len() as u64),
                head: &text,
                is_whole_file: true,
            };
            sink.found(found);
            let instructions = (file, digest);
            let files = files.map(|(bytes, files)| (bytes + text.len() as u64, files));
            written.insert(name, Written { instructions, files });
        }
        self.state().written = written;
        Ok(ScanSummary::default())
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let bytes = self.source.read(package, resource, limit)?;
        let is_reviewed =
            |files: &PackageDigest| files.permits(resource.as_str(), &Digest::of(&bytes));
        if self.state().reviewed.get(package.as_str()).is_none_or(is_reviewed) {
            return Ok(bytes);
        }
        let message = "the files of the skill are not those that were reviewed; tell the user";
        Err(SourceError::new(SourceErrorKind::Changed, message))
    }
}

/// A sink that collects the packages, and forwards everything else.
struct Paths<'s> {
    sink: &'s mut dyn ScanSink,
    found: Vec<(String, String)>,
}

impl ScanSink for Paths<'_> {
    fn unchanged(&mut self, package: &str) {
        self.sink.unchanged(package);
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        self.found.push((found.package.to_owned(), found.file.to_owned()));
        ReadFurther::No
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.sink.problem(diagnostic);
    }

    fn unreadable(&mut self, directory: &str, diagnostic: Diagnostic) {
        self.sink.unreadable(directory, diagnostic);
    }
}

fn unreadable(path: &str, error: SourceError) -> Diagnostic {
    let help = "make it a regular file that you may read, or remove it";
    let code = prowess_core::Code::new(error.kind.as_str());
    Diagnostic::new(code, Severity::Error, error.message, help).in_file(path)
}
