//! Fields that the specification does not name.

use crate::fields::{Fields, ForeignKey, Known};
use crate::findings::Findings;
use crate::shown::shown;
use crate::{codes, extensions};

/// The fields of agentskills.io.
const SPECIFIED: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

pub(super) fn check(fields: &Fields<'_>, findings: &mut Findings<'_>) {
    for foreign in &fields.foreign {
        if Known::of(&foreign.key) == Some(Known::AllowedToolsAlias) {
            continue;
        }
        let extensions = &findings.rules().extensions;
        if extensions::check_key(&foreign.key, &foreign.span, extensions, findings) {
            continue;
        }
        // A field that is there is not also missing under another spelling.
        let meant = nearest(&foreign.key)
            .filter(|meant| Known::of(meant).is_some_and(|known| fields.get(known).is_none()));
        match meant {
            Some(meant) => report_misspelled(foreign, meant, findings),
            None => report_unknown(foreign, findings),
        }
    }
}

fn report_misspelled(foreign: &ForeignKey<'_>, meant: &str, findings: &mut Findings<'_>) {
    findings.report(codes::MISSPELLED_FIELD, foreign.span.clone(), || {
        (
            format!("unknown field `{}`; did you mean `{meant}`?", shown(&foreign.key)),
            format!("write `{meant}`"),
        )
    });
}

fn report_unknown(foreign: &ForeignKey<'_>, findings: &mut Findings<'_>) {
    findings.report(codes::UNKNOWN_FIELD, foreign.span.clone(), || {
        (
            format!("unknown field `{}`", shown(&foreign.key)),
            format!("move it below `metadata`; the fields are `{}`", SPECIFIED.join("`, `")),
        )
    });
}

/// The specified field that a key is nearly the name of.
fn nearest(key: &str) -> Option<&'static str> {
    let first = key.as_bytes().first()?.to_ascii_lowercase();
    SPECIFIED
        .into_iter()
        .filter(|field| field.as_bytes()[0] == first && field.len().abs_diff(key.len()) <= 3)
        .find(|field| {
            let key = key.to_ascii_lowercase().replace('_', "-");
            strsim::osa_distance(&key, field) <= (field.len() / 4).max(1)
        })
}
