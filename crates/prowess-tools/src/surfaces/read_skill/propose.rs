//! `propose_skill_update`: keeps a proposal for the reviewers of a skill, if the host has a place
//! for proposals. The skill does not change.

use prowess_core::{
    Actor, Catalog, Digest, KeptProposal, PackageFile, PackageFiles, Proposal, ProposedPackage,
    ReadLimit, Record, SourceErrorKind, ToolContext, ToolResult,
};
use prowess_text::{model_body, quoted};
use serde::Deserialize;
use serde_json::{Value, json};

use super::unknown;
use crate::codes;
use crate::gate::Refusal;
use crate::lookup::package::read_skill_md;
use crate::names;
use crate::operations::Operations;
use crate::surfaces::skill_tool::{Call, SkillTool, closed, text};

#[derive(Deserialize)]
pub(crate) struct Arguments {
    skill_id: String,
    diff: String,
    justification: String,
    #[serde(default)]
    evidence: Option<String>,
}

/// The maximum number of files of a skill for which proposals are compared with all of them.
const MOST_FILES: usize = 1_000;

/// The maximum size of these files together, in bytes.
const MOST_BYTES: usize = 16 * 1024 * 1024;

impl Arguments {
    /// Checks that there is something to review.
    fn check(&self) -> Result<(), Refusal> {
        // A header alone may be a change, such as of a path; another form is refused by its name.
        let headers = ["+", "-", "diff --git ", "rename ", "GIT binary patch", "new mode "];
        let is_change = |line: &str| headers.iter().any(|header| line.starts_with(header));
        if !self.diff.lines().any(is_change) {
            let message = "`diff` is a unified diff: lines that begin with `-` are removed, and \
                those with `+` are added";
            return Err(Refusal::new(codes::INVALID_ARGUMENTS, message));
        }
        if self.justification.trim().is_empty() {
            let message = "`justification` says why the skill should change";
            return Err(Refusal::new(codes::INVALID_ARGUMENTS, message));
        }
        Ok(())
    }
}

pub(crate) struct Propose;

impl SkillTool for Propose {
    const NAME: &'static str = names::PROPOSE;
    const DESCRIPTION: &'static str = "Propose an update of a skill. Do this when its instructions \
        were wrong or incomplete for a task. A person reviews the proposal; the skill does not \
        change now.";
    const SKILL_FIELD: &'static str = "skill_id";
    const HAS_EFFECTS: bool = true;
    type Arguments = Arguments;

    fn schema(&self, _: &Operations) -> Value {
        let properties = json!({
            "skill_id": text("The id of the skill"),
            "diff": text(
                "The change as a unified diff: of `SKILL.md`, or of the files that its headers \
                 name (`--- /dev/null` for a new one)",
            ),
            "justification": text("Why it should change"),
            "evidence": text("What was observed, such as an error message"),
        });
        closed(properties, &["skill_id", "diff", "justification"])
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.proposals.is_some() && !catalog.is_empty()
    }

    fn run(&self, call: &Call<'_>, arguments: Arguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let Some(proposals) = &operations.proposals else {
            let message = "proposals are not enabled here; tell the user what should change";
            return Err(Refusal::new(codes::PROPOSALS_UNAVAILABLE, message));
        };
        arguments.check()?;
        let Arguments { skill_id, diff, justification, evidence } = &arguments;
        let record = operations
            .find(context, skill_id)
            .map_err(|refusal| unknown(call, skill_id, refusal))?;
        let evidence = evidence.as_deref().filter(|evidence| !evidence.trim().is_empty());
        let skill_md = read_skill_md(context.catalog, record)?;
        let base = Digest::of(&skill_md);
        let files = files(context, record, skill_md)?;
        let session = context.session.id().log_name();
        let proposer = match &context.origin.agent {
            Some(agent) => Actor::Agent(agent.clone()),
            None => Actor::Session(session.clone().into_owned()),
        };
        let proposal = Proposal {
            skill: record.id(),
            base,
            diff,
            justification,
            evidence,
            time: context.clock.now(),
        };
        let package = ProposedPackage {
            location: &record.root_directory(),
            file: record.file(),
            files: &files,
            proposer: &proposer,
            session: Some(&session),
            catalog: context.catalog,
        };
        let KeptProposal { name, is_known } = proposals.submit_checked(&proposal, &package)?;
        let skill = quoted(record.id());
        let name = quoted(&name);
        let kept = match is_known {
            true => "waits already with the same change; your justification was not added",
            false => "is written",
        };
        let text = format!(
            "Proposal {name} {kept}. Skill {skill} does not change until a person accepts it."
        );
        Ok(ToolResult::text(model_body(&text, context.boundary)))
    }
}

/// Returns the files of a skill that a model may read: what a refusal says of a diff must not say
/// what is in the others.
fn files(
    context: &ToolContext<'_>,
    record: Record<'_>,
    skill_md: Vec<u8>,
) -> Result<PackageFiles, Refusal> {
    let too_large = || {
        let message = "the skill has too many files, or too large ones, to compare a proposal with; \
            tell the user what should change";
        Refusal::new(codes::PROPOSALS_UNAVAILABLE, message)
    };
    let unreadable = |error: prowess_core::SourceError| match error.kind {
        SourceErrorKind::TooLarge => too_large(),
        kind => {
            let message = "the skill's files cannot be read; tell the user what should change";
            Refusal::new(prowess_core::Code::new(kind.as_str()), message)
        }
    };
    let listing = context.catalog.list_public(record, MOST_FILES).map_err(unreadable)?;
    let sizes = listing.resources.iter().map(|resource| resource.bytes);
    let mut left = MOST_BYTES;
    if !listing.is_complete || sizes.sum::<u64>() > left as u64 {
        return Err(too_large());
    }
    let file = |content| PackageFile { content, is_executable: false };
    let mut files = PackageFiles::from([(record.file().to_owned(), file(skill_md))]);
    for resource in listing.resources {
        let path = resource.path;
        match context.catalog.read_public(record, &path, ReadLimit(left)) {
            Ok(content) => {
                left -= content.len();
                files.insert(path.to_string(), file(content));
            }
            Err(error) if error.kind == SourceErrorKind::Denied => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
    Ok(files)
}
