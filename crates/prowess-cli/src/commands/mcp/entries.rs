//! The entries of the server in all files that a client reads in this directory.

use serde_json::Value;

use super::client_file::ClientFile;
use super::clients::{Client, Scope, Shape};
use crate::failure::Failure;
use crate::paths::{surroundings, working_directory};
use crate::terminal::plain;

/// An entry, and where it is.
pub(super) struct Entry {
    pub(super) scope: Scope,
    /// With the keys of its table.
    pub(super) shape: Shape,
    pub(super) file: ClientFile,
    /// The folder whose part of the user's file it is in.
    pub(super) folder: Option<String>,
    pub(super) value: Value,
}

impl Entry {
    /// Returns the place, for a person.
    pub(super) fn place(&self) -> String {
        let of = self.folder.iter().map(|folder| format!(", for `{folder}`"));
        format!("`{}`{}", self.file.path.display(), of.collect::<String>())
    }
}

/// Returns the directories up to the folder of the project, for which a file may have parts.
pub(super) fn folders() -> Result<Vec<String>, Failure> {
    let (here, around) = (working_directory()?, surroundings()?);
    let top = around.project().unwrap_or(&here);
    let inside = here.ancestors().take_while(|it| it.starts_with(top));
    Ok(inside.filter_map(|it| Some(it.to_str()?.to_owned())).collect())
}

/// Returns the entries of a client, the one that counts in this directory first, and the file that
/// would have one. In the scope of the project, its file alone counts.
pub(super) fn entries(client: &Client, scope: Scope) -> Result<(Vec<Entry>, ClientFile), Failure> {
    let shape = client.shape();
    let of_file = |scope: Scope, shape: &Shape, folder: Option<&String>| {
        let file = ClientFile::read(client.file(scope)?, None)?;
        let found = shape.found(file.text()).map_err(|fault| {
            let help = "correct this place; the client cannot read the file either";
            file.unclear(&fault).with_help(help)
        })?;
        let (shape, folder) = (shape.clone(), folder.cloned());
        Ok::<_, Failure>(found.map(|value| Entry { scope, shape, file, folder, value }))
    };
    let mut all: Vec<Option<Entry>> = Vec::new();
    if scope == Scope::User {
        for folder in folders()?.iter().filter(|_| !client.local.is_empty()) {
            let key = |key: &String| key.replace("{project}", folder);
            let at = client.local.iter().map(key).collect();
            all.push(of_file(scope, &shape.below(at), Some(folder))?);
        }
        if client.has(Scope::Project) && client.file(Scope::Project)? != client.file(scope)? {
            all.push(of_file(Scope::Project, &shape, None)?);
        }
    }
    all.push(of_file(scope, &shape, None)?);
    Ok((all.into_iter().flatten().collect(), ClientFile::read(client.file(scope)?, None)?))
}

/// Returns the remark about entries that another one replaces here.
pub(super) fn replaced(others: &[Entry]) -> Option<String> {
    let places: Vec<_> = others.iter().map(Entry::place).collect();
    let places = plain(&places.join(" and ")).into_owned();
    (!others.is_empty()).then(|| format!("it counts before the entry in {places}"))
}
