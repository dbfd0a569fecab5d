//! How the tool splits a file, and its YAML without ceremony.

use super::construct;
use super::mark::Failure;
use super::{Crash, Data, Error};
use prowess_format::{MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES};

/// The tool has no bound; this one keeps hostile files cheap and is far above honest ones.
const MAX_YAML_BYTES: usize = 4 * MAX_FRONTMATTER_BYTES;

/// The fields of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<(String, Data)>, Error> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(Crash::TooLarge.into());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Crash::NotUtf8)?;
    let yaml = split(text)?;
    if yaml.len() > MAX_YAML_BYTES {
        return Err(Crash::TooLarge.into());
    }
    // Python reads a text file with every line end as LF.
    let yaml = yaml.replace("\r\n", "\n").replace('\r', "\n");
    match load(&yaml)? {
        Data::Map(fields) => Ok(fields.into_iter().map(flatten_metadata).collect()),
        _ => Err(message("SKILL.md frontmatter must be a YAML mapping")),
    }
}

/// Between the first three dashes and the next three, wherever they stand.
fn split(text: &str) -> Result<&str, Error> {
    let rest = text
        .strip_prefix("---")
        .ok_or_else(|| message("SKILL.md must start with YAML frontmatter (---)"))?;
    let (yaml, _body) = rest
        .split_once("---")
        .ok_or_else(|| message("SKILL.md frontmatter not properly closed with ---"))?;
    Ok(yaml)
}

fn load(yaml: &str) -> Result<Data, Error> {
    if let Some(character) = yaml.chars().find(|character| !is_acceptable(*character)) {
        return Err(Crash::SpecialCharacter(u32::from(character)).into());
    }
    let mut text: Vec<char> = yaml.chars().collect();
    text.push('\0');
    construct::load(&text).map_err(|failure| match failure {
        Failure::Crash(crash) => crash.into(),
        Failure::Marked(marked) => {
            Error::Message(format!("Invalid YAML in frontmatter: {}", marked.render(&text)))
        }
    })
}

fn is_acceptable(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..
    )
}

/// The values of `metadata` become texts, however Python writes them.
fn flatten_metadata((key, value): (String, Data)) -> (String, Data) {
    match value {
        Data::Map(pairs) if key == "metadata" => {
            let to_text = |(key, value): (String, Data)| (key, Data::Text(value.to_str()));
            (key, Data::Map(pairs.into_iter().map(to_text).collect()))
        }
        value => (key, value),
    }
}

fn message(text: &str) -> Error {
    Error::Message(text.to_owned())
}
