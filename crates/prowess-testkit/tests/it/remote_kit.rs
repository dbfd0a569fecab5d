//! A good remote passes, and each rule has a remote that breaks it.
#![allow(clippy::unwrap_used, reason = "only a test that has failed poisons a lock")]

use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use prowess_core::{
    ArtifactKind, Cancel, Digest, Remote, RemoteArtifact, RemoteError, RemoteErrorKind,
    RemoteRequest,
};
use prowess_testkit::{Published, RemoteFixture, RuleOutcome, check_remote};

const SECRET: &str = "s3cr3t";

/// A remote with one skill in memory, which breaks the rule with this name.
struct Faulty {
    rule: &'static str,
    thread: ThreadId,
    skill_md: Mutex<String>,
    resolved: Mutex<u32>,
}

impl Faulty {
    fn is(&self, rule: &str) -> bool {
        self.rule == rule
    }

    fn text(&self) -> String {
        self.skill_md.lock().unwrap().clone()
    }

    fn check(&self, cancel: &Cancel) -> Result<(), RemoteError> {
        if self.is("works-from-any-thread") && thread::current().id() != self.thread {
            return Err(RemoteError::new(RemoteErrorKind::Unavailable, "another thread"));
        }
        if cancel.is_cancelled() && !self.is("cancel-ends-a-call") {
            return Err(RemoteError::new(RemoteErrorKind::Cancelled, "cancelled"));
        }
        Ok(())
    }
}

impl Remote for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        self.check(cancel)?;
        if request.source != "there" {
            let is_wrong = self.is("missing-source-is-not-found");
            let kind =
                if is_wrong { RemoteErrorKind::Unavailable } else { RemoteErrorKind::NotFound };
            let secret = if self.is("credentials-are-not-shown") { SECRET } else { "" };
            return Err(RemoteError::new(kind, format!("nothing is there {secret}")));
        }
        *self.resolved.lock().unwrap() += 1;
        let count = self.is("resolving-is-repeatable").then(|| *self.resolved.lock().unwrap());
        let text = self.text();
        // The remote resolves the newest version only.
        let digest = self.is("earlier-revision-is-resolved").then(|| Digest::of(text.as_bytes()));
        let is_wrong = self.is("artifact-is-fetched-whole");
        let described = if is_wrong { text + "and more" } else { text };
        let artifact = RemoteArtifact {
            signature: None,
            is_tag: None,
            first: Vec::new(),
            location: format!("there/SKILL.md{}", count.unwrap_or_default()),
            name: Some("kit-skill".to_owned()),
            kind: ArtifactKind::SkillMd,
            revision: digest.map(|digest| digest.to_string()),
            digest: (!self.is("change-has-another-version"))
                .then(|| Digest::of(described.as_bytes())),
        };
        let times = if self.is("artifacts-are-reported-once") { 2 } else { 1 };
        Ok(vec![artifact; times])
    }

    fn fetch(
        &self,
        _artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        self.check(cancel)?;
        let mut bytes = self.text().into_bytes();
        if self.is("change-has-another-version") {
            bytes = b"always the same".to_vec();
        }
        if bytes.len() > limit && self.is("limit-is-kept") {
            bytes.truncate(limit);
        }
        if bytes.len() > limit {
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, "too large"));
        }
        Ok(bytes)
    }
}

struct Fixture(&'static str);

impl RemoteFixture for Fixture {
    fn publish(&self, skill_md: &str) -> Published {
        let thread = thread::current().id();
        let skill_md = Mutex::new(skill_md.to_owned());
        let remote = Arc::new(Faulty { rule: self.0, thread, skill_md, resolved: Mutex::new(0) });
        let changed = Arc::clone(&remote);
        Published {
            remote,
            source: "there".to_owned(),
            missing: "elsewhere".to_owned(),
            secret: Some(SECRET.to_owned()),
            replace: Box::new(move |text| *changed.skill_md.lock().unwrap() = text.to_owned()),
        }
    }
}

#[test]
fn good_remote_passes() {
    let report = check_remote(&Fixture("none"));
    assert!(report.is_passed(), "{report}");
}

#[test]
fn each_rule_finds_a_remote_that_breaks_it() {
    for RuleOutcome { rule, .. } in check_remote(&Fixture("none")).rules {
        let report = check_remote(&Fixture(rule));
        assert_eq!(report.failures().collect::<Vec<_>>(), [rule], "{report}");
    }
}
