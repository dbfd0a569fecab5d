//! The documented file, as a template and as descriptions of its keys.

/// The documented file.
const EXAMPLE: &str = include_str!("../../prowess.example.yaml");

const HEAD: &str = "\
# The configuration of prowess. Every line is commented out: remove the `#` in front of a key, and of
# the keys above it that it belongs to, to set it. `prowess config check FILE` checks the file, and
# `prowess config show` prints the values in effect.
";

/// Returns the documented file with each key commented out.
pub(super) fn commented() -> String {
    let lines = EXAMPLE.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line if line.starts_with('#') => format!("{line}\n"),
        line => format!("#{line}\n"),
    });
    [HEAD.to_owned(), "\n".to_owned()].into_iter().chain(lines).collect()
}

/// Returns the comment behind each key of the documented file, with the whole key.
pub(super) fn descriptions() -> Vec<(String, &'static str)> {
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut found = Vec::new();
    for line in EXAMPLE.lines() {
        let Some((key, rest)) = line.trim_start().split_once(':') else { continue };
        let is_key = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if !is_key || key.is_empty() {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        above.retain(|(outer, _)| *outer < indent);
        above.push((indent, key));
        if let Some((_, comment)) = rest.split_once(" # ") {
            let path = above.iter().map(|(_, key)| *key).collect::<Vec<_>>().join(".");
            found.push((path, comment.trim()));
        }
    }
    found
}
