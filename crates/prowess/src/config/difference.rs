//! The differences between a preset and the document that it reproduces.

use serde::{Deserialize, Serialize};

/// A difference that is on purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PresetDifference {
    /// The words of the document.
    pub document: String,
    /// The behaviour of the preset.
    pub prowess: String,
    /// The reason.
    pub why: String,
    /// The key that has the document's form, with its value, as YAML; `None` if none has.
    pub key: Option<String>,
}

/// The cases of each document, by its preset. They are tested as they are printed.
const DOCUMENTS: [(&str, &str); 5] = [
    ("few-active", include_str!("../../tests/documents/flexigpt/cases.yaml")),
    ("enterprise-layers", include_str!("../../tests/documents/omniforge/cases.yaml")),
    ("spec-law", include_str!("../../tests/documents/boxxy/cases.yaml")),
    ("mounted", include_str!("../../tests/documents/sandbox/cases.yaml")),
    ("directory-ids", include_str!("../../tests/documents/yodoca/cases.yaml")),
];

#[derive(Deserialize)]
struct Document {
    cases: Vec<Case>,
    /// The differences under `prowess serve` alone.
    #[serde(default)]
    served: Vec<PresetDifference>,
}

#[derive(Deserialize)]
struct Case {
    differs: Option<PresetDifference>,
}

/// Returns the differences of the preset with this name, in the order of the document.
pub(super) fn of(preset: &str) -> Vec<PresetDifference> {
    let text = DOCUMENTS.iter().find(|(name, _)| *name == preset).map_or("cases: []", |it| it.1);
    let document: Document = serde_yaml::from_str(text).expect("the tests read it");
    document.cases.into_iter().filter_map(|case| case.differs).chain(document.served).collect()
}
