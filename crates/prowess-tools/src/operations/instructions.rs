//! The instructions of a skill, for surfaces that return them without loading the skill.

use std::borrow::Cow;

use prowess_core::{
    ActiveSkill, BodyTags, Catalog, Digest, Record, ShellError, ToolContext, virtual_uri,
};
use prowess_text::clipped;

use super::Operations;
use crate::codes;
use crate::content::page::{Page, Reader};
use crate::gate::Refusal;
use crate::lookup::package::{announced, read_skill_md, split_note, suggestion};
use crate::policy::{ReadGate, SkillContent};

/// The maximum length of a skill's name in a message.
const MAX_NAME_CHARS: usize = 120;

impl Operations {
    /// Returns a skill with its instructions, which no gate of reads closes: a tool that returns
    /// them is the load. It does not make the skill active.
    pub(crate) fn instructions<'c>(
        &self,
        context: &ToolContext<'c>,
        reference: &str,
    ) -> Result<(Record<'c>, ActiveSkill), Refusal> {
        let record = self.record_for(context, Some(reference), ReadGate::Known, "read")?;
        let skill = self.known_skills.activate(context, record)?;
        Ok((record, skill))
    }

    /// Returns the text of a skill, encoded for a model: its body, or its whole file. `tags` are
    /// those around it; a field of a result has what [`BodyTags::Boundary`] has.
    pub(crate) fn content(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
        skill: &ActiveSkill,
        tags: BodyTags,
    ) -> String {
        tags.encode(&self.text(context, record, skill), context.boundary).into_owned()
    }

    fn text<'s>(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
        skill: &'s ActiveSkill,
    ) -> Cow<'s, str> {
        match self.policy.skill_content.unwrap_or_default() {
            SkillContent::Body => Cow::Borrowed(&*skill.body),
            SkillContent::File => whole_file(context.catalog, record, skill),
        }
    }

    /// Returns the text of a skill, as [`Self::content`] does for the tags of the policy, if it has
    /// at most `most` bytes, or else its first lines behind a note that names the call for the
    /// others.
    pub(crate) fn first_page(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
        skill: &ActiveSkill,
        most: usize,
    ) -> String {
        let tags = self.delivery.tags;
        let whole = self.text(context, record, skill);
        let (announced, text) = split_note(&whole);
        let page = Page::of(text, None, most).ok();
        let page = page.filter(|page| page.text.len() < text.len());
        let paged = || {
            let page = page?;
            let file = read_skill_md(context.catalog, record).ok()?;
            let file = String::from_utf8(file).ok()?;
            let before = file[..file.rfind(text)?].matches('\n').count();
            let (tool, path) = (&*self.read_tool, record.file());
            let note =
                page.note_of_instructions(before, &Reader { tool, skill: &skill.id, path })?;
            let [announced, text] =
                [announced, page.text].map(|text| tags.encode(text, context.boundary));
            Some(format!("{announced}{note}\n\n{text}"))
        };
        paged().unwrap_or_else(|| tags.encode(&whole, context.boundary).into_owned())
    }

    /// Returns the directory at which a skill is mounted, or without a shell, its directory.
    ///
    /// # Errors
    ///
    /// Returns an error if the skill cannot be mounted.
    pub(crate) fn mounted(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
        skill: &ActiveSkill,
    ) -> Result<String, ShellError> {
        match &self.shell {
            Some(shell) => shell.mount_path(context.catalog, record),
            None => Ok(self.mount_path(skill)),
        }
    }

    /// Returns the directory of a skill for a model. If the policy shows no location, it is a URI
    /// without any path of the host.
    fn mount_path(&self, skill: &ActiveSkill) -> String {
        let shown = self.delivery.show_location.directory(&skill.id, &skill.root_dir);
        let path = shown.filter(|path| path.contains('/'));
        path.map_or_else(|| virtual_uri(&skill.id, ""), Cow::into_owned)
    }

    /// Returns the sentence about an unknown skill and the suggestion for it.
    pub(crate) fn unknown_skill(&self, context: &ToolContext<'_>, reference: &str) -> Unknown {
        let least = self.policy.suggestion_similarity;
        let suggested = suggestion(context.catalog, reference, least);
        Unknown {
            sentence: format!("Skill '{}' not found", clipped(reference, MAX_NAME_CHARS)),
            suggestion: suggested.map(|meant| format!("Did you mean '{meant}'?")),
        }
    }
}

/// The parts of a message about an unknown skill.
pub(crate) struct Unknown {
    /// Without a full stop.
    pub(crate) sentence: String,
    pub(crate) suggestion: Option<String>,
}

/// Returns the file that the skill was read from, or its body if the file has changed since.
fn whole_file<'s>(catalog: &Catalog, record: Record<'_>, skill: &'s ActiveSkill) -> Cow<'s, str> {
    let bytes = read_skill_md(catalog, record).ok();
    let same = bytes.filter(|bytes| Digest::of(bytes) == skill.digest);
    let text = same.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.map(|text| announced(record, &text).into_owned());
    text.map_or(Cow::Borrowed(&*skill.body), Cow::Owned)
}

/// Returns whether a refusal is that no skill has the name.
pub(crate) fn is_unknown(refusal: &Refusal) -> bool {
    refusal.code == codes::SKILL_NOT_FOUND
}
