//! The formats of a catalog, and the text around its entries.

use serde::{Deserialize, Serialize};

prowess_core::declare_kinds! {
    /// The format of the catalog. Each has the same skills in the same order under the same budget,
    /// and the same encoder for untrusted text.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum CatalogFormat {
        /// `<skill>` elements, one line for each field. The default.
        #[default]
        XmlElements = "xml_elements",
        /// One empty `<skill … />` element per line, with the skill's [`Role`](crate::Role) behind
        /// its fields.
        XmlAttrs = "xml_attrs",
        /// One line `"name": description` per skill, in `<available_skills>`. Shows no location.
        QuotedLines = "quoted_lines",
        /// One line `  - name: description` per skill, below `Available skills:`. Shows no
        /// location.
        DashLines = "dash_lines",
        /// One line ``• `id` — description`` per skill, below `[Available Skills]`, with a hint
        /// that names the tool. Descriptions are short, and no location is shown.
        Bullets = "bullets",
        /// Lines `name: …`, `location: …` and `description: …` between `<<<AVAILABLE_SKILLS>>>` and
        /// `<<<END_AVAILABLE_SKILLS>>>`, with a line `---` between skills.
        Delimited = "delimited",
        /// One JSON object per line, in `<available_skills>`.
        Json = "json",
        /// One Markdown list item `- name: description (location)` per line, in
        /// `<available_skills>`.
        Markdown = "markdown",
    }
}

impl CatalogFormat {
    /// The maximum number of characters of a description in a format for short ones.
    pub const SHORT_DESCRIPTION: usize = 160;

    /// Returns the maximum number of characters of a description; `None` for no limit.
    pub(crate) fn description_limit(self) -> Option<usize> {
        (self == Self::Bullets).then_some(Self::SHORT_DESCRIPTION)
    }

    /// Returns the format with one line for each skill and the same frame, for a catalog with
    /// little room.
    #[must_use]
    pub fn short(self) -> Self {
        match self {
            Self::XmlElements | Self::XmlAttrs | Self::Json => Self::Markdown,
            other => other,
        }
    }

    /// Returns the fixed texts.
    pub(crate) const fn frame(self) -> &'static Frame {
        match self {
            Self::XmlElements | Self::XmlAttrs | Self::Json | Self::Markdown => &XML_FRAME,
            Self::QuotedLines => &QUOTED_FRAME,
            Self::DashLines => &DASH_FRAME,
            Self::Bullets => &BULLET_FRAME,
            Self::Delimited => &DELIMITED_FRAME,
        }
    }
}

/// The fixed texts of a format.
pub(crate) struct Frame {
    /// Before the first entry.
    pub(crate) opening: &'static str,
    /// Behind the last entry.
    pub(crate) closing: &'static str,
    /// Instead of all, if there is no entry.
    pub(crate) empty: &'static str,
}

pub(super) const XML_FRAME: Frame = Frame {
    opening: "<available_skills>\n",
    closing: "</available_skills>",
    empty: "<available_skills>\n</available_skills>",
};
const QUOTED_FRAME: Frame = Frame {
    empty: "<available_skills>\n(No skills currently available)\n</available_skills>",
    ..XML_FRAME
};
const DASH_FRAME: Frame = Frame {
    opening: "Available skills:\n",
    closing: "",
    empty: "No skills are currently available.",
};
/// Without a skill there is no block at all.
const BULLET_FRAME: Frame = Frame { opening: "[Available Skills]\n", closing: "", empty: "" };
const DELIMITED_FRAME: Frame = Frame {
    opening: "<<<AVAILABLE_SKILLS>>>\n",
    closing: "<<<END_AVAILABLE_SKILLS>>>",
    empty: "<<<AVAILABLE_SKILLS>>>\n(none)\n<<<END_AVAILABLE_SKILLS>>>",
};
