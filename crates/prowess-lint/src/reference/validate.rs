//! The output of `validate`.

use unicode_normalization::UnicodeNormalization;

use super::{Crash, Data, Error, frontmatter, python};

const ALLOWED: [&str; 6] =
    ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];

/// Checks a file whose directory has this name; no message is a valid skill.
///
/// # Errors
///
/// The tool would die on the file.
pub fn validate(text: &[u8], directory: &str) -> Result<Vec<String>, Crash> {
    match frontmatter::read(text) {
        Ok(fields) => Ok(check(&fields, directory)),
        Err(Error::Message(message)) => Ok(vec![message]),
        Err(Error::Crash(crash)) => Err(crash),
    }
}

fn check(fields: &[(String, Data)], directory: &str) -> Vec<String> {
    let get = |key: &str| fields.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    let mut errors = Vec::new();
    check_keys(fields, &mut errors);
    match get("name") {
        Some(name) => check_name(name, directory, &mut errors),
        None => errors.push("Missing required field in frontmatter: name".to_owned()),
    }
    match get("description") {
        Some(description) => check_description(description, &mut errors),
        None => errors.push("Missing required field in frontmatter: description".to_owned()),
    }
    if let Some(compatibility) = get("compatibility") {
        check_compatibility(compatibility, &mut errors);
    }
    errors
}

fn check_keys(fields: &[(String, Data)], errors: &mut Vec<String>) {
    let keys = fields.iter().map(|(key, _)| key.as_str());
    let mut extra: Vec<_> = keys.filter(|key| !ALLOWED.contains(key)).collect();
    if extra.is_empty() {
        return;
    }
    extra.sort_unstable();
    errors.push(format!(
        "Unexpected fields in frontmatter: {}. Only ['{}'] are allowed.",
        extra.join(", "),
        ALLOWED.join("', '")
    ));
}

fn check_name(name: &Data, directory: &str, errors: &mut Vec<String>) {
    let stripped = name.as_text().map_or("", python::strip);
    if stripped.is_empty() {
        errors.push("Field 'name' must be a non-empty string".to_owned());
        return;
    }
    let name: String = stripped.nfkc().collect();
    let characters = name.chars().count();
    if characters > 64 {
        errors.push(format!("Skill name '{name}' exceeds 64 character limit ({characters} chars)"));
    }
    if name != name.to_lowercase() {
        errors.push(format!("Skill name '{name}' must be lowercase"));
    }
    if name.starts_with('-') || name.ends_with('-') {
        errors.push("Skill name cannot start or end with a hyphen".to_owned());
    }
    if name.contains("--") {
        errors.push("Skill name cannot contain consecutive hyphens".to_owned());
    }
    let is_allowed = |character| python::is_alphanumeric(character) || character == '-';
    if !name.chars().all(is_allowed) {
        errors.push(format!(
            "Skill name '{name}' contains invalid characters. \
             Only letters, digits, and hyphens are allowed."
        ));
    }
    if directory.nfkc().ne(name.chars()) {
        errors.push(format!("Directory name '{directory}' must match skill name '{name}'"));
    }
}

fn check_description(description: &Data, errors: &mut Vec<String>) {
    let text = description.as_text().unwrap_or("");
    if python::strip(text).is_empty() {
        errors.push("Field 'description' must be a non-empty string".to_owned());
        return;
    }
    check_length("Description", text, 1024, errors);
}

fn check_compatibility(compatibility: &Data, errors: &mut Vec<String>) {
    match compatibility.as_text() {
        Some(text) => check_length("Compatibility", text, 500, errors),
        None => errors.push("Field 'compatibility' must be a string".to_owned()),
    }
}

fn check_length(field: &str, text: &str, most: usize, errors: &mut Vec<String>) {
    let characters = text.chars().count();
    if characters > most {
        errors.push(format!("{field} exceeds {most} character limit ({characters} chars)"));
    }
}
