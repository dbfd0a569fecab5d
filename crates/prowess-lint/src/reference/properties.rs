//! The properties that `read-properties` prints and `to-prompt` uses.

use super::{Data, Error, frontmatter, python};

/// The properties of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The name, without blanks around it; its grammar is not checked.
    pub name: String,
    /// The description, without blanks around it.
    pub description: String,
    /// Every property that is printed, in the tool's order: the two above, then `license`,
    /// `compatibility`, `allowed-tools` and `metadata` as far as they are there.
    pub fields: Vec<(String, Data)>,
}

impl Properties {
    /// Returns the output of `read-properties`, without the last line end.
    pub fn to_json(&self) -> String {
        let mut json = String::new();
        Data::Map(self.fields.clone()).write_json(0, &mut json);
        json
    }
}

/// Reads the properties of a file.
///
/// # Errors
///
/// The message that the tool prints behind `Error: `, or a crash.
pub fn read_properties(text: &[u8]) -> Result<Properties, Error> {
    let fields = frontmatter::read(text)?;
    let get = |key: &str| fields.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    for key in ["name", "description"] {
        if get(key).is_none() {
            let message = format!("Missing required field in frontmatter: {key}");
            return Err(Error::Message(message));
        }
    }
    let name = required(get("name"), "name")?;
    let description = required(get("description"), "description")?;
    let mut shown = vec![
        ("name".to_owned(), Data::Text(name.clone())),
        ("description".to_owned(), Data::Text(description.clone())),
    ];
    for key in ["license", "compatibility", "allowed-tools", "metadata"] {
        if let Some(value) = get(key).filter(|value| key != "metadata" || !is_empty(value)) {
            shown.push((key.to_owned(), value.clone()));
        }
    }
    Ok(Properties { name, description, fields: shown })
}

fn required(value: Option<&Data>, key: &str) -> Result<String, Error> {
    let text = value.and_then(Data::as_text).map_or("", python::strip);
    if text.is_empty() {
        return Err(Error::Message(format!("Field '{key}' must be a non-empty string")));
    }
    Ok(text.to_owned())
}

fn is_empty(value: &Data) -> bool {
    match value {
        Data::Text(text) => text.is_empty(),
        Data::List(items) => items.is_empty(),
        Data::Map(pairs) => pairs.is_empty(),
    }
}
