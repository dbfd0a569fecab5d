//! Cases about texts, which depend on no policy.

use std::collections::BTreeMap;
use std::time::Duration;

use prowess::format::parse_duration;
use prowess::format::substitute::{
    Arguments, BodyTarget, Parameter, Unplaced, is_parameter_name, substitute,
};
use prowess_audit::Redactor;
use serde::Deserialize;

use super::data::read;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    substitute: Vec<Substitution>,
    parameters: Names,
    targets: Vec<Target>,
    durations: Vec<WrittenDuration>,
    secrets: Vec<Secret>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Substitution {
    id: String,
    body: String,
    #[serde(default)]
    parameters: Vec<Declared>,
    #[serde(default)]
    values: BTreeMap<String, String>,
    #[serde(default)]
    typed: String,
    #[serde(default)]
    drop: bool,
    text: String,
    #[serde(default)]
    codes: Vec<String>,
}

#[derive(Deserialize)]
struct Declared {
    name: String,
    default: Option<String>,
}

#[derive(Deserialize)]
struct Names {
    valid: Vec<String>,
    invalid: Vec<String>,
}

#[derive(Deserialize)]
struct Target {
    written: String,
    read: Option<String>,
}

#[derive(Deserialize)]
struct WrittenDuration {
    written: String,
    milliseconds: Option<u64>,
}

#[derive(Deserialize)]
struct Secret {
    written: String,
    redacted: String,
}

fn texts() -> Texts {
    read(include_str!("texts.yaml"))
}

#[test]
fn arguments_are_put_into_bodies() {
    for case in texts().substitute {
        let parameters: Vec<_> = case
            .parameters
            .iter()
            .map(|declared| Parameter {
                name: &declared.name,
                default: declared.default.as_deref(),
            })
            .collect();
        let values: Vec<_> =
            case.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let unplaced = if case.drop { Unplaced::Drop } else { Unplaced::Append };
        let text = &case.typed;
        let arguments = Arguments { parameters: &parameters, values: &values, text, unplaced };
        let done = substitute(&case.body, &arguments);
        assert_eq!(done.text, case.text, "{}", case.id);
        let codes: Vec<_> = done.diagnostics.iter().map(|found| found.code.to_string()).collect();
        assert_eq!(codes, case.codes, "{}", case.id);
    }
}

#[test]
fn names_of_parameters() {
    let Names { valid, invalid } = texts().parameters;
    for name in valid {
        assert!(is_parameter_name(&name), "`{name}` is valid");
    }
    for name in invalid {
        assert!(!is_parameter_name(&name), "`{name}` is not valid");
    }
}

#[test]
fn targets_of_bodies() {
    for Target { written, read } in texts().targets {
        let expected = match read.as_deref() {
            Some("instructions") => Some(BodyTarget::Instructions),
            Some("user-message") => Some(BodyTarget::UserMessage),
            _ => None,
        };
        assert_eq!(BodyTarget::read(&written), expected, "`{written}`");
    }
}

#[test]
fn durations_are_read() {
    for WrittenDuration { written, milliseconds } in texts().durations {
        assert_eq!(
            parse_duration(&written),
            milliseconds.map(Duration::from_millis),
            "`{written}`"
        );
    }
}

#[test]
fn secrets_are_removed() {
    for Secret { written, redacted } in texts().secrets {
        assert_eq!(Redactor::default().redact(&written), redacted, "{written}");
    }
}
