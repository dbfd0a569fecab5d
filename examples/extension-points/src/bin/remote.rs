//! A `Remote` of the host: skills are installed from a place that only it knows, here a table.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::sync::Mutex;

use prowess::{
    ArtifactKind, Cancel, Remote, RemoteArtifact, RemoteError, RemoteErrorKind, RemoteRequest,
};

/// The `SKILL.md` of each shelf.
#[derive(Default)]
struct Shelves(Mutex<BTreeMap<String, String>>);

impl Shelves {
    fn text(&self, shelf: &str) -> Result<String, RemoteError> {
        let shelves = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let missing = || RemoteError::new(RemoteErrorKind::NotFound, format!("no shelf `{shelf}`"));
        shelves.get(shelf).cloned().ok_or_else(missing)
    }
}

impl Remote for Shelves {
    fn name(&self) -> &str {
        "shelves"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        check(cancel)?;
        let text = self.text(&request.source)?;
        Ok(vec![RemoteArtifact {
            signature: None,
            location: request.source.clone(),
            name: None,
            kind: ArtifactKind::SkillMd,
            revision: None,
            // The caller compares it with the bytes that it fetches.
            digest: Some(prowess::Digest::of(text.as_bytes())),
        }])
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        check(cancel)?;
        let text = self.text(&artifact.location)?;
        if text.len() > limit {
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, "larger than the limit"));
        }
        Ok(text.into_bytes())
    }
}

fn check(cancel: &Cancel) -> Result<(), RemoteError> {
    let cancelled = || RemoteError::new(RemoteErrorKind::Cancelled, "the call was cancelled");
    if cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) }
}

fn main() -> Result<(), RemoteError> {
    let text = "---\nname: tea\ndescription: Brews tea. Use when somebody is thirsty.\n---\n";
    let shelves = Shelves(Mutex::new([("top".to_owned(), text.to_owned())].into()));
    for source in ["top", "bottom"] {
        match shelves.resolve(&RemoteRequest::latest(source), &Cancel::default()) {
            Ok(artifacts) => println!("{source}: {} artifact", artifacts.len()),
            Err(error) => println!("{source}: {}", error.message),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use prowess_testkit::{Published, RemoteFixture, check_remote};

    use super::*;

    struct Fixture;

    impl RemoteFixture for Fixture {
        fn publish(&self, skill_md: &str) -> Published {
            let shelves = Arc::new(Shelves::default());
            let put = {
                let shelves = Arc::clone(&shelves);
                move |text: &str| {
                    shelves.0.lock().unwrap().insert("top".to_owned(), text.to_owned());
                }
            };
            put(skill_md);
            Published {
                remote: shelves,
                source: "top".to_owned(),
                missing: "bottom".to_owned(),
                secret: None,
                replace: Box::new(put),
            }
        }
    }

    #[test]
    fn remote_passes_its_kit() {
        let report = check_remote(&Fixture);
        assert!(report.is_passed(), "{report}");
    }
}
