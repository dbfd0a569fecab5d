//! The text of a proposal's file: written, and read back strictly.

use std::collections::BTreeMap;

use prowess_core::{Actor, Digest, Timestamp};
use prowess_text::{markdown_block, markdown_code};
use serde::Serialize;

use crate::file_name::skill_of;

/// A proposal as its file has it. Its texts are untrusted: a model wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredProposal {
    /// The name of the file.
    pub name: String,
    /// The digest of all parts: what a reviewer has seen, and what is accepted.
    pub digest: Digest,
    /// The id of the skill.
    pub skill: String,
    /// The package that it changes; `None` if it was kept without a check, and cannot be accepted.
    pub package: Option<PackageBase>,
    /// The digests of the files that the proposal was made for: of the instructions, and of each
    /// file that it changes.
    pub base: BTreeMap<String, Digest>,
    /// When the proposal was made.
    pub time: Timestamp,
    /// The proposer, if it is known.
    pub proposer: Option<Actor>,
    /// The session in which it was made, as logs name it.
    pub session: Option<String>,
    /// The change, as a unified diff.
    pub diff: String,
    /// The reason for the change.
    pub justification: String,
    /// The observation that led to it.
    pub evidence: Option<String>,
    /// The files of `base`, as far as they are kept, to merge with what they are later.
    #[serde(skip)]
    pub(crate) originals: BTreeMap<String, Vec<u8>>,
}

/// A package as a proposal was made for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PackageBase {
    /// The path of its directory.
    pub path: String,
    /// The identity of the directory above it, which stays when a checkout is moved.
    #[serde(skip)]
    pub(crate) parent: String,
    /// The digest of all its files.
    pub digest: Digest,
}

/// The parts of a document.
pub(crate) struct Parts<'a> {
    pub(crate) skill: &'a str,
    pub(crate) package: Option<PackageBase>,
    pub(crate) base: Vec<(&'a str, Digest)>,
    pub(crate) time: Timestamp,
    pub(crate) proposer: Option<Actor>,
    pub(crate) session: Option<&'a str>,
    pub(crate) diff: &'a str,
    pub(crate) justification: &'a str,
    pub(crate) evidence: Option<&'a str>,
}

const PACKAGE: &str = "- Package: ";
const PARENT: &str = "- Directory of it: `";
const FILES: &str = "- All files that it was proposed for: `";
const BASE: &str = " that it was proposed for: `";
const PROPOSED: &str = "- Proposed: ";
const BY: &str = "- Proposed by: ";
const SESSION: &str = "- Session: ";
const DIGEST: &str = "- Digest: `";

impl Parts<'_> {
    /// Returns the document, and the digest in it.
    pub(crate) fn document(&self) -> (String, Digest) {
        let skill = markdown_code(self.skill);
        let time = jiff::Timestamp::from(self.time).strftime("%Y-%m-%dT%H:%M:%SZ");
        let mut head = format!("# Proposed update of {skill}\n\n- Skill: {skill}\n");
        if let Some(PackageBase { path, parent, digest }) = &self.package {
            head += &format!("{PACKAGE}{}\n{PARENT}{parent}`\n", markdown_code(path));
            head += &format!("{FILES}{digest}`\n");
        }
        for (path, digest) in &self.base {
            head += &format!("- {}{BASE}{digest}`\n", markdown_code(path));
        }
        head += &format!("{PROPOSED}{time}\n");
        if let Some(proposer) = &self.proposer {
            head += &format!("{BY}{} {}\n", proposer.kind(), markdown_code(proposer.name()));
        }
        if let Some(session) = self.session {
            head += &format!("{SESSION}{}\n", markdown_code(session));
        }
        let diff = markdown_block("diff", self.diff);
        let justification = markdown_block("text", self.justification);
        let mut rest = format!("\n## Diff\n\n{diff}\n## Justification\n\n{justification}");
        if let Some(evidence) = self.evidence {
            rest += &format!("\n## Evidence\n\n{}", markdown_block("text", evidence));
        }
        let digest = Digest::of(format!("{head}{rest}").as_bytes());
        (format!("{head}{DIGEST}{digest}`\n{rest}"), digest)
    }
}

impl StoredProposal {
    /// Reads a document. One that differs in any byte from what is written for its parts is none.
    pub(crate) fn parse(name: &str, text: &str) -> Option<Self> {
        let mut lines = text.lines().skip(2);
        let skill = unquoted(lines.next()?.strip_prefix("- Skill: ")?)?;
        let mut base = Vec::new();
        let (mut time, mut proposer, mut session, mut digest) = (None, None, None, None);
        let (mut path, mut parent, mut files) = (None, None, None);
        for line in lines.by_ref().take_while(|line| !line.is_empty()) {
            if let Some(written) = line.strip_prefix(PROPOSED) {
                time = written.parse::<jiff::Timestamp>().ok();
            } else if let Some(written) = line.strip_prefix(BY) {
                let (kind, name) = written.split_once(' ')?;
                proposer = Some(actor(kind, unquoted(name)?.to_owned())?);
            } else if let Some(written) = line.strip_prefix(SESSION) {
                session = Some(unquoted(written)?);
            } else if let Some(written) = line.strip_prefix(DIGEST) {
                digest = written.strip_suffix('`')?.parse().ok();
            } else if let Some(written) = line.strip_prefix(PACKAGE) {
                path = Some(unquoted(written)?.to_owned());
            } else if let Some(written) = line.strip_prefix(PARENT) {
                parent = Some(written.strip_suffix('`')?.to_owned());
            } else if let Some(written) = line.strip_prefix(FILES) {
                files = Some(written.strip_suffix('`')?.parse().ok()?);
            } else {
                let (path, digest) = line.strip_prefix("- ")?.split_once(BASE)?;
                base.push((unquoted(path)?, digest.strip_suffix('`')?.parse::<Digest>().ok()?));
            }
        }
        let diff = block(&mut lines, "## Diff", "diff")?;
        let justification = block(&mut lines, "## Justification", "text")?;
        let evidence = block(&mut lines, "## Evidence", "text");
        let time = Timestamp(u64::try_from(time?.as_millisecond()).ok()?);
        let package = match (path, parent, files) {
            (Some(path), Some(parent), Some(digest)) => Some(PackageBase { path, parent, digest }),
            _ => None,
        };
        let parts = Parts {
            skill,
            package,
            base,
            time,
            proposer,
            session,
            diff: &diff,
            justification: &justification,
            evidence: evidence.as_deref(),
        };
        if parts.document() != (text.to_owned(), digest?) {
            return None;
        }
        let base = parts.base.iter().map(|(path, digest)| ((*path).to_owned(), *digest)).collect();
        let Parts { package, proposer, .. } = parts;
        Some(Self {
            name: name.to_owned(),
            digest: digest?,
            skill: skill.to_owned(),
            package,
            base,
            time,
            proposer,
            session: session.map(str::to_owned),
            diff,
            justification,
            evidence,
            originals: BTreeMap::new(),
        })
    }

    /// Returns the stand-in for a file that is not as it was written, and has these bytes.
    pub(crate) fn tampered(name: &str, bytes: &[u8]) -> Self {
        Self {
            name: name.to_owned(),
            digest: Digest::of(bytes),
            skill: skill_of(name).unwrap_or_default().to_owned(),
            package: None,
            base: BTreeMap::new(),
            time: Timestamp(0),
            proposer: None,
            session: None,
            diff: String::new(),
            justification: String::new(),
            evidence: None,
            originals: BTreeMap::new(),
        }
    }
}

fn actor(kind: &str, name: String) -> Option<Actor> {
    Some(match kind {
        "person" => Actor::Person(name),
        "reviewer" => Actor::Reviewer(name),
        "agent" => Actor::Agent(name),
        "session" => Actor::Session(name),
        _ => return None,
    })
}

/// Returns the text of a code span.
pub(crate) fn unquoted(span: &str) -> Option<&str> {
    let fence = span.len() - span.trim_start_matches('`').len();
    let text = span.get(fence..span.len().checked_sub(fence)?)?;
    let padded = text.strip_prefix(' ').and_then(|text| text.strip_suffix(' '));
    let is_padded = |text: &&str| text.is_empty() || text.starts_with('`') || text.ends_with('`');
    Some(padded.filter(is_padded).unwrap_or(text))
}

/// Reads a heading and the block of code behind it.
fn block<'t>(
    lines: &mut impl Iterator<Item = &'t str>,
    heading: &str,
    language: &str,
) -> Option<String> {
    let mut heads = lines.by_ref().skip_while(|line| line.is_empty());
    (heads.next()? == heading).then_some(())?;
    let fence = lines.by_ref().find(|line| !line.is_empty())?.strip_suffix(language)?;
    let mut text = String::new();
    for line in lines.by_ref() {
        if line == fence {
            return Some(text);
        }
        text.push_str(line);
        text.push('\n');
    }
    None
}
