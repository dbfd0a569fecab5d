//! The `# Behavior` list of `Remote` as checks, one for each rule.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use prowess_core::{
    Cancel, Digest, Remote, RemoteArtifact, RemoteError, RemoteErrorKind, RemoteRequest,
};

use crate::{KitReport, RuleOutcome};

/// More bytes than any artifact of the kit has.
const ENOUGH: usize = 1024 * 1024;

/// The versions of the skill that the kit publishes.
const VERSIONS: [&str; 2] = [
    "---\nname: kit-skill\ndescription: One.\n---\nOne\n",
    "---\nname: kit-skill\ndescription: Two.\n---\nTwo\n",
];

/// Publishes a skill where the remote under test finds it.
pub trait RemoteFixture {
    /// Publishes a skill `kit-skill` with this `SKILL.md`.
    fn publish(&self, skill_md: &str) -> Published;
}

/// A published skill.
pub struct Published {
    /// The remote.
    pub remote: Arc<dyn Remote>,
    /// The source with the skill.
    pub source: String,
    /// A source of the same kind that does not exist.
    pub missing: String,
    /// A secret of the user that the remote has, if it has one.
    pub secret: Option<String>,
    /// Replaces the `SKILL.md` of the skill.
    pub replace: Box<dyn Fn(&str)>,
}

impl Published {
    fn resolve(&self) -> Result<Vec<RemoteArtifact>, String> {
        let request = RemoteRequest::latest(&self.source);
        let resolved = self.remote.resolve(&request, &Cancel::default());
        resolved.map_err(|error| format!("the source is not resolved: {error}"))
    }

    fn one(&self) -> Result<RemoteArtifact, String> {
        self.resolve()?.pop().ok_or_else(|| "the source has no artifact".to_owned())
    }

    fn resolve_revision(
        &self,
        revision: &str,
        cancel: &Cancel,
    ) -> Result<RemoteArtifact, RemoteError> {
        let request = RemoteRequest::latest(&self.source);
        let mut found = self.remote.resolve_revision(&request, revision, cancel)?;
        let none = || RemoteError::new(RemoteErrorKind::NotFound, "the revision has no artifact");
        found.pop().ok_or_else(none)
    }

    fn fetch(&self, artifact: &RemoteArtifact, limit: usize) -> Result<Vec<u8>, RemoteError> {
        self.remote.fetch(artifact, limit, &Cancel::default())
    }
}

type Checked = Result<(), String>;

type Check = fn(&Published) -> Checked;

/// The rules of [`Remote`] with their checks.
const RULES: &[(&str, Check)] = &[
    ("artifacts-are-reported-once", artifacts_are_reported_once),
    ("resolving-is-repeatable", resolving_is_repeatable),
    ("artifact-is-fetched-whole", artifact_is_fetched_whole),
    ("limit-is-kept", limit_is_kept),
    ("change-has-another-version", change_has_another_version),
    ("earlier-revision-is-resolved", earlier_revision_is_resolved),
    ("missing-source-is-not-found", missing_source_is_not_found),
    ("credentials-are-not-shown", credentials_are_not_shown),
    ("cancel-ends-a-call", cancel_ends_a_call),
    ("works-from-any-thread", works_from_any_thread),
];

/// Checks every rule of [`Remote`]. A check that panics has failed, like one that finds a broken
/// rule.
pub fn check_remote(fixture: &dyn RemoteFixture) -> KitReport {
    let check = |&(rule, check): &(&'static str, Check)| {
        let published = fixture.publish(VERSIONS[0]);
        let checked = catch_unwind(AssertUnwindSafe(|| check(&published)));
        RuleOutcome { rule, outcome: checked.unwrap_or_else(|_| Err("it panics".to_owned())) }
    };
    KitReport { rules: RULES.iter().map(check).collect() }
}

fn ensure(condition: bool, reason: &str) -> Checked {
    if condition { Ok(()) } else { Err(reason.to_owned()) }
}

fn artifacts_are_reported_once(published: &Published) -> Checked {
    let artifacts = published.resolve()?;
    ensure(!artifacts.is_empty(), "the source has no artifact")?;
    let locations: BTreeSet<_> = artifacts.iter().map(|artifact| &artifact.location).collect();
    ensure(locations.len() == artifacts.len(), "an artifact is reported twice")
}

fn resolving_is_repeatable(published: &Published) -> Checked {
    let same = published.resolve()? == published.resolve()?;
    ensure(same, "without a change, the second answer differs")
}

fn artifact_is_fetched_whole(published: &Published) -> Checked {
    let artifact = published.one()?;
    let bytes = published.fetch(&artifact, ENOUGH).map_err(|error| error.to_string())?;
    let is_whole = artifact.digest.is_none_or(|digest| digest == Digest::of(&bytes));
    ensure(is_whole, "the bytes are not those of the digest")?;
    let again = published.fetch(&artifact, bytes.len()).map_err(|error| error.to_string())?;
    ensure(again == bytes, "the second fetch returns other bytes")
}

fn limit_is_kept(published: &Published) -> Checked {
    let artifact = published.one()?;
    let bytes = published.fetch(&artifact, ENOUGH).map_err(|error| error.to_string())?;
    for limit in [0, bytes.len() / 2, bytes.len() - 1] {
        let kind = published.fetch(&artifact, limit).map_err(|error| error.kind);
        ensure(kind == Err(RemoteErrorKind::TooLarge), "more bytes than the limit, or a part")?;
    }
    Ok(())
}

fn change_has_another_version(published: &Published) -> Checked {
    let version = |artifact: &RemoteArtifact| -> Result<_, String> {
        let bytes = published.fetch(artifact, ENOUGH).map_err(|error| error.to_string())?;
        Ok((artifact.revision.clone(), artifact.digest.unwrap_or_else(|| Digest::of(&bytes))))
    };
    let before = version(&published.one()?)?;
    (published.replace)(VERSIONS[1]);
    ensure(before != version(&published.one()?)?, "a changed skill has the same version")
}

fn earlier_revision_is_resolved(published: &Published) -> Checked {
    let before = published.one()?;
    let Some(revision) = &before.revision else { return Ok(()) };
    let bytes = published.fetch(&before, ENOUGH).map_err(|error| error.to_string())?;
    (published.replace)(VERSIONS[1]);
    let found = published.resolve_revision(revision, &Cancel::default());
    let found = found.map_err(|error| format!("the earlier revision is not resolved: {error}"))?;
    ensure(found.revision == before.revision, "another revision is resolved")?;
    let again = published.fetch(&found, ENOUGH).map_err(|error| error.to_string())?;
    ensure(again == bytes, "the earlier revision has other bytes than before")
}

fn missing_source_is_not_found(published: &Published) -> Checked {
    let request = RemoteRequest::latest(&published.missing);
    let kind = published.remote.resolve(&request, &Cancel::default()).map_err(|error| error.kind);
    ensure(kind == Err(RemoteErrorKind::NotFound), "a missing source is not `NotFound`")
}

fn credentials_are_not_shown(published: &Published) -> Checked {
    let Some(secret) = &published.secret else { return Ok(()) };
    let artifact = published.one()?;
    let request = RemoteRequest::latest(&published.missing);
    let missing = published.remote.resolve(&request, &Cancel::default());
    let limited = published.fetch(&artifact, 0);
    let shown = format!("{artifact:?} {missing:?} {limited:?}");
    ensure(!shown.contains(secret.as_str()), "an artifact or an error has the secret")
}

fn cancel_ends_a_call(published: &Published) -> Checked {
    let artifact = published.one()?;
    let cancel = Cancel::default();
    cancel.cancel();
    let request = RemoteRequest::latest(&published.source);
    let resolved = published.remote.resolve(&request, &cancel).map_err(|error| error.kind);
    ensure(resolved == Err(RemoteErrorKind::Cancelled), "a cancelled `resolve` goes on")?;
    let revision = artifact.revision.as_deref().unwrap_or_default();
    let revised = published.resolve_revision(revision, &cancel).map_err(|error| error.kind);
    ensure(revised == Err(RemoteErrorKind::Cancelled), "a cancelled `resolve_revision` goes on")?;
    let fetched = published.remote.fetch(&artifact, ENOUGH, &cancel).map_err(|error| error.kind);
    ensure(fetched == Err(RemoteErrorKind::Cancelled), "a cancelled `fetch` goes on")
}

fn works_from_any_thread(published: &Published) -> Checked {
    let remote = &published.remote;
    let request = &RemoteRequest::latest(&published.source);
    let artifact = &published.one()?;
    thread::scope(|scope| {
        let work = move || {
            let fetched = remote.fetch(artifact, ENOUGH, &Cancel::default());
            (remote.resolve(request, &Cancel::default()).is_ok(), fetched.is_ok())
        };
        let threads = [(); 4].map(|()| scope.spawn(work));
        for thread in threads {
            let together = thread.join().map_err(|_| "it panics in a thread".to_owned())?;
            ensure(together == (true, true), "it fails in another thread")?;
        }
        Ok(())
    })
}
