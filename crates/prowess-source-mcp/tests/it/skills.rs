//! The skills of a server that follows the extension.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess_core::{Digest, PackagePath, ReadLimit, ResourcePath, SkillSource, SourceError};
use prowess_source_mcp::McpSource;
use serde_json::{Value, json};

use crate::peer::{Answer, Peer, with_extension};

/// Skills that a test may change while a server publishes them.
#[derive(Clone, Default)]
pub(crate) struct Skills(Arc<Mutex<Published>>);

#[derive(Default)]
struct Published {
    entries: Vec<Value>,
    files: BTreeMap<String, Vec<u8>>,
    /// The number of entries of a page.
    page: Option<usize>,
    /// The URIs of entries that are left out of the listing.
    unlisted: Vec<Value>,
}

/// Returns a `SKILL.md`.
pub(crate) fn skill_md(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\n---\n{body}\n")
}

/// Returns an entry whose frontmatter is that of [`skill_md`], with these files.
pub(crate) fn entry(directory: &str, files: &[(&str, &[u8])]) -> Value {
    let name = directory.rsplit('/').next().unwrap_or_default();
    let resources = files.iter().map(|(path, bytes)| {
        let digest = Digest::of(bytes).to_string();
        json!({ "uri": format!("skill://{directory}/{path}"), "digest": digest, "size": bytes.len() })
    });
    json!({
        "uri": format!("skill://{directory}/SKILL.md"),
        "frontmatter": { "name": name, "description": format!("About {name}.") },
        "resources": resources.collect::<Value>(),
    })
}

impl Skills {
    /// Publishes a skill `pdf` without further files.
    pub(crate) fn pdf() -> Self {
        let skills = Self::default();
        skills.publish("pdf", "Fill.", &[]);
        skills
    }

    /// Publishes a skill with a body and further files, in the place of an earlier one.
    pub(crate) fn publish(&self, directory: &str, body: &str, files: &[(&str, &[u8])]) {
        let name = directory.rsplit('/').next().unwrap_or_default();
        let text = skill_md(name, body);
        let files: Vec<_> =
            [("SKILL.md", text.as_bytes())].into_iter().chain(files.iter().copied()).collect();
        self.list(entry(directory, &files));
        for (path, bytes) in files {
            self.serve(&format!("skill://{directory}/{path}"), bytes);
        }
    }

    /// Lists an entry, in the place of one with the same URI.
    pub(crate) fn list(&self, entry: Value) {
        let mut published = self.0.lock().unwrap();
        published.entries.retain(|other| other["uri"] != entry["uri"]);
        published.entries.push(entry);
    }

    /// Lists these entries, and no others.
    pub(crate) fn list_only(&self, entries: Vec<Value>) {
        self.0.lock().unwrap().entries = entries;
    }

    /// Serves a file, whatever is listed.
    pub(crate) fn serve(&self, uri: &str, bytes: impl AsRef<[u8]>) {
        self.0.lock().unwrap().files.insert(uri.to_owned(), bytes.as_ref().to_vec());
    }

    /// Leaves a skill out of the listing.
    pub(crate) fn unlist(&self, uri: &str) {
        self.0.lock().unwrap().unlisted.push(uri.into());
    }

    pub(crate) fn in_pages_of(&self, entries: usize) {
        self.0.lock().unwrap().page = Some(entries);
    }

    /// Starts a server of the skills.
    pub(crate) fn peer(&self) -> Peer {
        let skills = self.clone();
        Peer::new(with_extension(move |request| skills.answer(request)))
    }

    pub(crate) fn answer(&self, request: &Value) -> Answer {
        let published = self.0.lock().unwrap();
        let params = &request["params"];
        match request["method"].as_str() {
            Some("skills/list") => {
                let start = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
                let size = published.page.unwrap_or(usize::MAX);
                let listed = published.entries.iter();
                let listed = listed.filter(|entry| !published.unlisted.contains(&entry["uri"]));
                let listed: Vec<_> = listed.collect();
                let rest = &listed[start..];
                let page = &rest[..rest.len().min(size)];
                let mut result = json!({ "resultType": "complete", "skills": page, "ttlMs": 0 });
                if page.len() < rest.len() {
                    result["nextCursor"] = (start + page.len()).to_string().into();
                }
                Answer::Result(result)
            }
            Some("skills/get") => {
                let mut entries = published.entries.iter();
                match entries.find(|entry| entry["uri"] == params["uri"]) {
                    Some(entry) => Answer::Result(
                        json!({ "resultType": "complete", "skill": entry, "ttlMs": 0 }),
                    ),
                    None => Answer::Error(-32602, "no such skill"),
                }
            }
            Some("resources/read") => {
                let uri = params["uri"].as_str().unwrap();
                match published.files.get(uri) {
                    Some(bytes) => Answer::Result(contents(uri, bytes)),
                    None => Answer::Error(-32602, "no such resource"),
                }
            }
            _ => Answer::Error(-32601, "no such method"),
        }
    }
}

/// Returns the result of a read: text where it is one.
pub(crate) fn contents(uri: &str, bytes: &[u8]) -> Value {
    let content = match std::str::from_utf8(bytes) {
        Ok(text) => json!({ "uri": uri, "text": text }),
        Err(_) => {
            let blob = STANDARD.encode(bytes);
            json!({ "uri": uri, "blob": blob })
        }
    };
    json!({ "resultType": "complete", "contents": [content] })
}

/// Reads a file of a skill.
pub(crate) fn read(source: &McpSource, package: &str, path: &str) -> Result<Vec<u8>, SourceError> {
    let package = PackagePath::new(package).unwrap();
    source.read(&package, &ResourcePath::new(path).unwrap(), ReadLimit::default())
}
