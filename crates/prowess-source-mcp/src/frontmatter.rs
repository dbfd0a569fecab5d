//! The frontmatter of a listing, and that of a file.

use prowess_format::write::{WriteError, skill_md};
use prowess_format::{Field, Mapping, Profile, Value as Written, parse};
use serde_json::{Map, Number, Value};

/// Returns the start of a `SKILL.md` with the fields of a listing.
pub(crate) fn head(listed: &Map<String, Value>) -> Result<String, WriteError> {
    skill_md(&mapping(listed), "")
}

/// Returns whether a file has the fields of a listing. A value that YAML may read in several ways,
/// such as `1.10`, is the same in each.
pub(crate) fn is_same(listed: &Map<String, Value>, file: &[u8]) -> bool {
    let document = parse(file, Profile::Lenient).document;
    document.is_some_and(|document| is_same_map(listed, &document.frontmatter.fields))
}

fn mapping(listed: &Map<String, Value>) -> Mapping {
    let field = |(key, value): (&String, &Value)| Field {
        key: key.clone(),
        key_span: 0..0,
        value: written(value),
        value_span: 0..0,
    };
    Mapping(listed.iter().map(field).collect())
}

fn written(value: &Value) -> Written {
    match value {
        Value::Null => Written::Text(String::new()),
        Value::Bool(truth) => Written::Text(truth.to_string()),
        Value::Number(number) => Written::Text(number.to_string()),
        Value::String(text) => Written::Text(text.clone()),
        Value::Array(items) => Written::List(items.iter().map(written).collect()),
        Value::Object(fields) => Written::Map(mapping(fields)),
    }
}

fn is_same_map(listed: &Map<String, Value>, written: &Mapping) -> bool {
    listed.len() == written.0.len()
        && written.iter().all(|field| {
            listed.get(&field.key).is_some_and(|listed| is_same_value(listed, &field.value))
        })
}

fn is_same_value(listed: &Value, written: &Written) -> bool {
    match (listed, written) {
        (Value::Object(listed), Written::Map(written)) => is_same_map(listed, written),
        (Value::Array(listed), Written::List(written)) => {
            listed.len() == written.len()
                && listed
                    .iter()
                    .zip(written)
                    .all(|(listed, written)| is_same_value(listed, written))
        }
        (Value::String(listed), Written::Text(written)) => listed == written,
        (Value::Number(listed), Written::Text(written)) => is_same_number(listed, written),
        (Value::Bool(listed), Written::Text(written)) => {
            let words: [&str; 4] =
                if *listed { ["true", "yes", "on", "y"] } else { ["false", "no", "off", "n"] };
            words.contains(&&*written.to_ascii_lowercase())
        }
        (Value::Null, Written::Text(written)) => {
            ["", "~", "null"].contains(&&*written.to_ascii_lowercase())
        }
        _ => false,
    }
}

fn is_same_number(listed: &Number, written: &str) -> bool {
    listed.to_string() == written
        || written.parse::<f64>().is_ok_and(|written| listed.as_f64() == Some(written))
}

#[cfg(test)]
mod tests {
    use prowess_format::{Profile, parse};
    use serde_json::{Value, json};

    use super::{head, is_same};

    fn check(listed: &Value, yaml: &str, expected: bool) {
        let fields = listed.as_object().expect("it is an object");
        let file = format!("---\n{yaml}---\nBody\n");
        assert_eq!(is_same(fields, file.as_bytes()), expected, "{listed} and {yaml:?}");
    }

    #[test]
    fn values_are_compared_as_yaml_means_them() {
        let with = |value: Value| json!({ "name": "a", "description": "b", "x": value });
        let yaml = |value: &str| format!("name: a\ndescription: b\nx: {value}\n");
        for line in include_str!("../tests/data/yaml-values.jsonl").lines() {
            let (value, written, expected): (Value, String, bool) =
                serde_json::from_str(line).expect("JSON");
            check(&with(value), &yaml(&written), expected);
        }
        check(&json!({"name": "a", "description": "b"}), &yaml("1"), false);
        check(&with(json!(1)), "name: a\ndescription: b\n", false);
        check(&with(json!(1)), "", false);
    }

    #[test]
    fn head_is_read_as_the_listing() {
        let hostile = "x\n---\nname: other\n--- # {} [] : | > ' \" \u{202e}";
        let listed = json!({
            "name": "pdf", "description": hostile, "allowed-tools": "Bash(git:*)",
            "metadata": {"version": 1.5, "tags": ["a", null, true]},
        });
        let listed = listed.as_object().expect("it is an object");
        let written = head(listed).expect("it can be written");
        assert!(is_same(listed, written.as_bytes()), "{written}");
        let document = parse(written.as_bytes(), Profile::Lenient).document.expect("it is valid");
        assert_eq!(document.frontmatter.name, "pdf", "no text breaks out of its field");
    }
}
