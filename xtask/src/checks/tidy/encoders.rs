//! Text of strangers is encoded in one crate.

use super::repository::{Repository, TextFile};

/// The crate that has an encoder for each destination.
const HOME: &str = "crates/prowess-text/";

/// Code that only an encoder has.
const SIGNS: [&str; 6] =
    ["escape_debug", "escape_default", "escape_unicode", "&lt;", "&amp;", r#"r"'\''""#];

/// Files that contain a sign and encode nothing, each with its reason.
const EXCEPTIONS: [&str; 2] = [
    // Texts that attack an encoder.
    "crates/prowess-testkit/src/hostile.rs",
    // The list of signs.
    "xtask/src/checks/tidy/encoders.rs",
];

/// Only `prowess-text` encodes text for a model, a terminal, XML, a shell or Markdown. A second
/// encoder would sooner or later let something through that the first one stops.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    repository.files.iter().filter(is_shipped_code).flat_map(problems).collect()
}

fn is_shipped_code(file: &&TextFile) -> bool {
    let path = file.path.as_str();
    path.ends_with(".rs")
        && !path.starts_with(HOME)
        && !path.contains("/tests/")
        && !EXCEPTIONS.contains(&path)
}

fn problems(file: &TextFile) -> Vec<String> {
    let code = file.text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let signs = SIGNS.iter().filter(|sign| code.contains(**sign));
    let path = &file.path;
    signs.map(|sign| format!("{path}: `{sign}`: use an encoder of `prowess-text`")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn second_encoder_is_a_problem() {
        let xml = "//! Low.\nfn xml() { text.replace('<', \"&lt;\") }\n";
        let line = "fn line() { message.escape_unicode() }\n";
        let tests = format!("fn f() {{}}\n\n#[cfg(test)]\nmod tests {{\n{line}}}\n");
        for (path, text, parts) in [
            ("crates/low/src/xml.rs", xml, &["crates/low/src/xml.rs: `&lt;`"][..]),
            ("plugins/own/src/lib.rs", line, &["`escape_unicode`"]),
            ("crates/prowess-text/src/line.rs", line, &[]),
            ("crates/low/tests/it/line.rs", line, &[]),
            ("crates/low/src/f.rs", &tests, &[]),
        ] {
            broken(check, |repository| repository.write(path, text), parts);
        }
    }
}
