//! Fields that the specification does not name.

use crate::fields::{Fields, ForeignKey, Known};
use crate::findings::Findings;
use crate::for_message;
use crate::spelling::nearest_of;
use crate::{Extensions, codes, extensions};

/// The fields of agentskills.io.
const SPECIFIED: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

pub(super) fn check(fields: &Fields<'_>, findings: &mut Findings<'_>) {
    // Where fields of extensions are reported, one of a known client is no unknown field.
    let profile = findings.rules().profile;
    let is_known_reported = profile.severity(&codes::EXTENSION_FIELD).is_some();
    let known = Extensions::known();
    for foreign in &fields.foreign {
        if Known::of(&foreign.key) == Some(Known::AllowedToolsAlias) {
            continue;
        }
        let extensions = &findings.rules().extensions;
        if extensions::check_key(&foreign.key, &foreign.span, extensions, findings)
            || (is_known_reported
                && extensions::check_key(&foreign.key, &foreign.span, known, findings))
        {
            continue;
        }
        match nearest(foreign, fields, extensions) {
            Some(meant) => report_misspelled(foreign, meant, findings),
            None => report_unknown(foreign, findings),
        }
    }
}

fn report_misspelled(foreign: &ForeignKey<'_>, meant: &str, findings: &mut Findings<'_>) {
    findings.report(codes::MISSPELLED_FIELD, foreign.span.clone(), || {
        (
            format!("unknown field `{}`; did you mean `{meant}`?", for_message(&foreign.key)),
            format!("write `{meant}`"),
        )
    });
}

fn report_unknown(foreign: &ForeignKey<'_>, findings: &mut Findings<'_>) {
    findings.report(codes::UNKNOWN_FIELD, foreign.span.clone(), || {
        (
            format!("unknown field `{}`", for_message(&foreign.key)),
            format!("move it below `metadata`; the fields are `{}`", SPECIFIED.join("`, `")),
        )
    });
}

/// The field that a key is nearly the name of, the specified ones first. A field that is there is
/// not also missing under another spelling.
fn nearest<'e>(
    foreign: &ForeignKey<'_>,
    fields: &Fields<'_>,
    extensions: &'e Extensions,
) -> Option<&'e str> {
    let is_there = |field: &str| match Known::of(field) {
        Some(known) => fields.get(known).is_some_and(|entry| entry.key_span != foreign.span),
        None => fields.foreign.iter().any(|foreign| foreign.key == field),
    };
    let candidates = SPECIFIED.into_iter().chain(extensions.top_level());
    nearest_of(&foreign.key, candidates.filter(|field| !is_there(field)))
}
