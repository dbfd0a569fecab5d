//! The `# Behavior` list of `Remote` as checks, one for each rule.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;

use prowess_core::{
    Cancel, Digest, FetchedParts, Remote, RemoteArtifact, RemoteError, RemoteErrorKind,
    RemoteRequest,
};

use crate::KitReport;

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
    fn resolve(&self) -> Vec<RemoteArtifact> {
        let request = RemoteRequest::latest(&self.source);
        self.remote.resolve(&request, &Cancel::default()).expect("the source is resolved")
    }

    fn one(&self) -> RemoteArtifact {
        self.resolve().pop().expect("the source has an artifact")
    }

    fn resolve_revision(
        &self,
        revision: &str,
        cancel: &Cancel,
    ) -> Result<RemoteArtifact, RemoteError> {
        let revision = Some(revision.to_owned());
        let request = RemoteRequest { revision, ..RemoteRequest::latest(&self.source) };
        let mut found = self.remote.resolve(&request, cancel)?;
        let none = || RemoteError::new(RemoteErrorKind::NotFound, "the revision has no artifact");
        found.pop().ok_or_else(none)
    }

    fn fetch(&self, artifact: &RemoteArtifact, limit: usize) -> Result<Vec<u8>, RemoteError> {
        self.remote.fetch(artifact, limit, &Cancel::default())
    }

    /// Fetches an artifact in parts, and returns what was passed on.
    fn parts(
        &self,
        artifact: &RemoteArtifact,
        known: Option<&str>,
        limit: usize,
    ) -> Result<(FetchedParts, Vec<u8>), RemoteError> {
        let mut bytes = Vec::new();
        let mut receive = |part: &[u8]| {
            bytes.extend(part);
            ControlFlow::Continue(())
        };
        let cancel = Cancel::default();
        let fetched = self.remote.fetch_parts(artifact, known, limit, &mut receive, &cancel)?;
        Ok((fetched, bytes))
    }

    fn bytes(&self, artifact: &RemoteArtifact) -> Vec<u8> {
        self.fetch(artifact, ENOUGH).expect("the artifact is fetched")
    }
}

type Check = fn(&Published);

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

/// Checks every rule of [`Remote`]. A remote that panics breaks the rule of that check.
pub fn check_remote(fixture: &dyn RemoteFixture) -> KitReport {
    KitReport::of(RULES, |_, check| check(&fixture.publish(VERSIONS[0])))
}

/// Returns the kind of an error, which a call must return.
fn kind<T>(result: Result<T, RemoteError>) -> Option<RemoteErrorKind> {
    result.err().map(|error| error.kind)
}

fn artifacts_are_reported_once(published: &Published) {
    let artifacts = published.resolve();
    assert!(!artifacts.is_empty(), "the source has no artifact");
    let locations: BTreeSet<_> = artifacts.iter().map(|artifact| &artifact.location).collect();
    assert_eq!(locations.len(), artifacts.len(), "an artifact is reported twice");
}

fn resolving_is_repeatable(published: &Published) {
    assert_eq!(published.resolve(), published.resolve(), "nothing has changed");
}

fn artifact_is_fetched_whole(published: &Published) {
    let artifact = published.one();
    let bytes = published.bytes(&artifact);
    let is_whole = artifact.digest.is_none_or(|digest| digest == Digest::of(&bytes));
    assert!(is_whole, "the bytes are not those of the digest");
    let again = published.fetch(&artifact, bytes.len()).expect("the limit is enough");
    assert_eq!(again, bytes, "the second fetch returns other bytes");
    let parts = |known: Option<&str>| {
        published.parts(&artifact, known, ENOUGH).expect("the parts are fetched")
    };
    let (fetched, passed_on) = parts(None);
    assert_eq!(passed_on, bytes, "the parts are other bytes");
    if let FetchedParts::Changed { version: Some(version) } = fetched {
        let unchanged = (FetchedParts::Unchanged, Vec::new());
        assert_eq!(parts(Some(&version)), unchanged, "a known version is passed on");
    }
    assert_eq!(parts(Some("\"another\"")).1, bytes, "another version is not passed on");
}

fn limit_is_kept(published: &Published) {
    let artifact = published.one();
    let bytes = published.bytes(&artifact);
    for limit in [0, bytes.len() / 2, bytes.len() - 1] {
        let kind = kind(published.fetch(&artifact, limit));
        assert_eq!(kind, Some(RemoteErrorKind::TooLarge), "more than the limit, or a part");
        let parts = published.parts(&artifact, None, limit).err().map(|error| error.kind);
        assert_eq!(parts, Some(RemoteErrorKind::TooLarge), "more than the limit is passed on");
    }
}

fn change_has_another_version(published: &Published) {
    let version = || {
        let artifact = published.one();
        let bytes = published.bytes(&artifact);
        (artifact.revision, artifact.digest.unwrap_or_else(|| Digest::of(&bytes)))
    };
    let before = version();
    (published.replace)(VERSIONS[1]);
    assert_ne!(before, version(), "a changed skill has the same version");
}

fn earlier_revision_is_resolved(published: &Published) {
    let before = published.one();
    let Some(revision) = &before.revision else { return };
    let bytes = published.bytes(&before);
    (published.replace)(VERSIONS[1]);
    let found = published.resolve_revision(revision, &Cancel::default());
    let found = found.expect("the earlier revision is resolved");
    assert_eq!(found.revision, before.revision, "another revision is resolved");
    assert_eq!(published.bytes(&found), bytes, "the earlier revision has other bytes");
}

fn missing_source_is_not_found(published: &Published) {
    let request = RemoteRequest::latest(&published.missing);
    let kind = kind(published.remote.resolve(&request, &Cancel::default()));
    assert_eq!(kind, Some(RemoteErrorKind::NotFound), "a missing source is not `NotFound`");
}

fn credentials_are_not_shown(published: &Published) {
    let Some(secret) = &published.secret else { return };
    let artifact = published.one();
    let request = RemoteRequest::latest(&published.missing);
    let missing = published.remote.resolve(&request, &Cancel::default());
    let limited = published.fetch(&artifact, 0);
    let shown = format!("{artifact:?} {missing:?} {limited:?}");
    assert!(!shown.contains(secret.as_str()), "an artifact or an error has the secret");
}

fn cancel_ends_a_call(published: &Published) {
    let artifact = published.one();
    let cancel = Cancel::default();
    cancel.cancel();
    let request = RemoteRequest::latest(&published.source);
    let revision = artifact.revision.as_deref().unwrap_or_default();
    let kinds = [
        kind(published.remote.resolve(&request, &cancel)),
        kind(published.resolve_revision(revision, &cancel)),
        kind(published.remote.fetch(&artifact, ENOUGH, &cancel)),
    ];
    assert_eq!(kinds, [Some(RemoteErrorKind::Cancelled); 3], "a cancelled call goes on");
}

fn works_from_any_thread(published: &Published) {
    let remote = &published.remote;
    let request = &RemoteRequest::latest(&published.source);
    let artifact = &published.one();
    thread::scope(|scope| {
        let work = move || {
            let fetched = remote.fetch(artifact, ENOUGH, &Cancel::default());
            (remote.resolve(request, &Cancel::default()).is_ok(), fetched.is_ok())
        };
        for thread in [(); 4].map(|()| scope.spawn(work)) {
            let together = thread.join().expect("it does not panic");
            assert_eq!(together, (true, true), "it fails in another thread");
        }
    });
}
