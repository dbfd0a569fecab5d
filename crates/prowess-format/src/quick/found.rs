//! The fields that were read, and whether they have no findings.

use std::borrow::Cow;
use std::ops::Range;

use super::line::Value;
use crate::check::plain_kind;
use crate::conditions::{self, SummaryConditions};
use crate::summary::Summary;
use crate::version::version;
use crate::{Limits, allowed_tools, name};

/// A longer `allowed-tools` is left to the others.
const MOST_TOOLS_BYTES: usize = 512;

/// The fields of a frontmatter, as places in its file.
#[derive(Default)]
pub(super) struct Found {
    pub(super) name: Option<Value>,
    pub(super) description: Option<Value>,
    pub(super) license: Option<Value>,
    pub(super) compatibility: Option<Value>,
    pub(super) allowed_tools: Option<Value>,
    pub(super) metadata: Option<Range<usize>>,
    /// `metadata.version`.
    pub(super) version: Option<Value>,
}

impl Found {
    /// The summary, unless there is a finding.
    pub(super) fn summary<'t>(
        &self,
        text: &'t str,
        directory: Option<&str>,
        limits: &Limits,
    ) -> Option<Summary<'t>> {
        let name = of(self.name.as_ref()?, text)?;
        let description = of(self.description.as_ref()?, text)?;
        let is_named = name::is_portable(&name)
            && name.len() <= limits.name_characters.max
            && !name::is_reserved(&name)
            && directory.is_none_or(|directory| directory == name);
        let is_described = (1..=limits.description_characters.max).contains(&description.len())
            && !description.starts_with(char::is_whitespace)
            && !description.ends_with(char::is_whitespace);
        if !is_named || !is_described {
            return None;
        }
        if let Some(license) = &self.license {
            of(license, text)?;
        }
        if let Some(compatibility) = &self.compatibility
            && of(compatibility, text)?.len() > limits.compatibility_characters.max
        {
            return None;
        }
        let is_in = |place: &Range<usize>| conditions::may_be_in_metadata(&text[place.clone()]);
        if self.metadata.as_ref().is_some_and(is_in) {
            return None;
        }
        let conditions = match &self.allowed_tools {
            Some(tools) => {
                let tools = tools.written(text);
                let is_certain =
                    tools.len() <= MOST_TOOLS_BYTES && allowed_tools::is_certain(tools);
                is_certain.then(|| SummaryConditions::tools(tools))?
            }
            None => SummaryConditions::None,
        };
        let version = self.version.as_ref().and_then(|value| version(value.text(text)));
        Some(Summary { name, description, tags: Vec::new(), priority: 0, version, conditions })
    }
}

/// The text of a value that every reader takes for one.
fn of<'t>(value: &Value, text: &'t str) -> Option<Cow<'t, str>> {
    let text = value.text(text);
    (!value.is_plain || plain_kind(&text).is_none()).then_some(text)
}
