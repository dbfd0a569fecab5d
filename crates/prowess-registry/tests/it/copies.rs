//! Copies of one skill in several layers.

use std::sync::Arc;

use prowess_core::{
    AskedFolder, Availability, Caller, CatalogProvider, Layer, Lookup, MemorySource, PackagePath,
    ReadLimit, Record, ResourcePath, SkillSource, SourceError, SourceErrorKind, Trust,
};
use prowess_registry::{Collision, Registry};
use prowess_testkit::{OverriddenSource, SourceOverrides};

use crate::fixture::{Changing, files, memory, skill_md};
use crate::layers::{TRUSTED, catalog, ids, policy, reported};

#[test]
fn copies_count_as_one_skill() {
    let one = skill_md("deploy", "the same");
    let other = one.clone() + "and more\n";
    for (collision, text, ids_expected, code) in [
        (Collision::Shadow, &one, &["deploy"][..], "skill-copy"),
        (Collision::Disambiguate, &one, &["deploy"], "skill-copy"),
        (Collision::Error, &one, &["deploy"], "skill-copy"),
        (Collision::Shadow, &other, &["deploy"], "skill-shadowed"),
        (Collision::Disambiguate, &other, &["deploy", "user:deploy"], "skill-renamed"),
        (Collision::Error, &other, &[], "skill-collision"),
    ] {
        let source = |name: &str, text: &str| files(name, [("deploy/SKILL.md", text)]);
        let builder = Registry::builder()
            .layer(Layer::new("user", TRUSTED))
            .layer(Layer::new("project", TRUSTED))
            .source("user", source("user", text))
            .source("project", source("project", &one));
        let catalog = catalog(builder.policy(policy(collision)));
        assert_eq!(ids(&catalog), ids_expected, "{collision:?} {code}");
        let codes: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
        assert!(!codes.is_empty() && codes.iter().all(|&reported| reported == code), "{codes:?}");
    }
}

#[test]
fn a_copy_is_read_once_for_each_version() {
    for (stamp, again) in [(1, 0), (0, 2)] {
        let sources = ["one/deploy", "two/deploy"].map(|package| {
            let source = Arc::new(Changing::default());
            source.set(package, skill_md("deploy", "the same"), stamp);
            source
        });
        let [user, project] = sources.clone();
        let layers: Vec<(_, _, Arc<dyn SkillSource>)> =
            vec![("user", TRUSTED, user), ("project", TRUSTED, project)];
        let registry = crate::fixture::registry(layers);
        let bodies = || sources.iter().map(|source| source.take_bodies()).sum::<usize>();
        registry.reload();
        assert_eq!(reported(&registry.catalog(), "skill-copy").len(), 1);
        assert_eq!(bodies(), 2, "both are compared");
        sources[0].set("other", skill_md("other", "of no matter"), 2);
        registry.reload();
        assert_eq!(reported(&registry.catalog(), "skill-copy").len(), 1);
        assert_eq!(bodies(), again, "only a stamp proves that a file is the one that was read");
    }
}

/// A source with the identity of its package, whose `SKILL.md` is never read twice.
struct Identified(Arc<MemorySource>, &'static str);

impl SourceOverrides for Identified {
    fn inner(&self) -> &dyn SkillSource {
        &*self.0
    }

    fn identity(&self, _: &PackagePath) -> Option<String> {
        Some(self.1.to_owned())
    }

    fn read(
        &self,
        _: &PackagePath,
        _: &ResourcePath,
        _: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        Err(SourceError::new(SourceErrorKind::Denied, "not readable"))
    }
}

#[test]
fn same_directory_is_a_copy_unread() {
    let (one, two) = (&["deploy"][..], &["deploy", "user:deploy"][..]);
    let same = "the same";
    let rows = [("8:1", same, one), ("8:1", "older", one), ("8:2", same, two)];
    for (other, text, expected) in rows {
        let source = |name: &str, identity| {
            let text = if name == "user" { text } else { same };
            Arc::new(OverriddenSource(Identified(memory(name, &[("deploy", text)]), identity)))
        };
        let builder = Registry::builder()
            .layer(Layer::new("user", TRUSTED))
            .layer(Layer::new("project", TRUSTED))
            .source("user", source("user", other))
            .source("project", source("project", "8:1"));
        let catalog = catalog(builder.policy(policy(Collision::Disambiguate)));
        assert_eq!(ids(&catalog), expected, "{other} {text}");
        let findings = catalog.diagnostics().count();
        assert_eq!(findings, expected.len() - 1, "one directory by two paths is no finding");
    }
}

/// An installer's link from one client's directory into another one's, in a stranger's project.
#[test]
fn same_directory_of_an_untrusted_folder_is_hidden_once() {
    for (other, expected) in [("8:1", 1), ("8:2", 2)] {
        let source = |name: &str, identity| {
            let memory = memory(name, &[("deploy", "the same")]);
            Arc::new(OverriddenSource(Identified(memory, identity)))
        };
        let asked = AskedFolder { folder: "/p".into(), project: "/p".into(), identity: None };
        let builder = Registry::builder()
            .layer(Layer::new("project", Trust::AskFirst))
            .source_of_folder("project", source("one", "8:1"), asked.clone())
            .source_of_folder("project", source("two", other), asked);
        let catalog = catalog(builder);
        let hidden = |record: &Record<'_>| record.availability() == Availability::Hidden;
        assert_eq!(catalog.excluded().filter(hidden).count(), expected, "{other}");
        for record in catalog.excluded() {
            let id = record.qualified_id().unwrap_or_default();
            for caller in [Caller::Model, Caller::User] {
                let found = matches!(catalog.find(&id, caller), Lookup::Found(_));
                assert!(!found, "a skill of an untrusted folder cannot be loaded by `{id}`");
            }
        }
    }
}
