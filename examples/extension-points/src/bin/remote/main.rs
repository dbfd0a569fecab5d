//! A `Remote` of the host: skills are installed from a place that only it knows, here a table.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use prowess::{
    ArtifactKind, Cancel, Digest, Remote, RemoteArtifact, RemoteError, RemoteErrorKind,
    RemoteRequest,
};

type Result<T> = std::result::Result<T, RemoteError>;

/// The `SKILL.md` of each shelf.
struct Shelves(Mutex<BTreeMap<String, String>>);

impl Shelves {
    fn text(&self, shelf: &str, cancel: &Cancel) -> Result<String> {
        if cancel.is_cancelled() {
            return Err(RemoteError::new(RemoteErrorKind::Cancelled, "the call was cancelled"));
        }
        let text = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(shelf).cloned();
        text.ok_or_else(|| RemoteError::new(RemoteErrorKind::NotFound, format!("no {shelf} shelf")))
    }
}

impl Remote for Shelves {
    fn name(&self) -> &str {
        "shelves"
    }

    fn resolve(&self, request: &RemoteRequest, cancel: &Cancel) -> Result<Vec<RemoteArtifact>> {
        let text = self.text(&request.source, cancel)?;
        let artifact = RemoteArtifact::new(&*request.source, ArtifactKind::SkillMd);
        // The caller compares the digest with the bytes that it fetches.
        Ok(vec![RemoteArtifact { digest: Some(Digest::of(text.as_bytes())), ..artifact }])
    }

    fn fetch(&self, artifact: &RemoteArtifact, limit: usize, cancel: &Cancel) -> Result<Vec<u8>> {
        let text = self.text(&artifact.location, cancel)?;
        let too_large = || RemoteError::new(RemoteErrorKind::TooLarge, "larger than the limit");
        if text.len() > limit { Err(too_large()) } else { Ok(text.into_bytes()) }
    }
}

fn main() {
    let text = "---\nname: tea\ndescription: Brews tea. Use when somebody is thirsty.\n---\n";
    let shelves = Shelves(Mutex::new([("top".to_owned(), text.to_owned())].into()));
    for source in ["top", "bottom"] {
        match shelves.resolve(&RemoteRequest::latest(source), &Cancel::default()) {
            Ok(artifacts) => println!("{source}: {}", artifacts[0].location),
            Err(error) => println!("{source}: {}", error.message),
        }
    }
}

#[cfg(test)]
mod tests;
