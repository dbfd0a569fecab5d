//! Skills with one id.

use prowess_core::{Caller, Layer, Trust};
use prowess_registry::{Collision, IdFrom, Registry, RegistryPolicy};
use prowess_testkit::rows;

use super::{TRUSTED, catalog, ids, policy, reported, stacked};
use crate::fixture::{files, memory, skill_md};

#[test]
fn disambiguated_skills_are_all_offered() {
    let same_layer = memory("second", &[("deploy", "from second"), ("x/deploy", "deeper")]);
    let builder = stacked(&[("user", TRUSTED), ("project", TRUSTED)])
        .source("project", same_layer)
        .policy(policy(Collision::Disambiguate));
    let catalog = catalog(builder);
    let expected = [
        ("deploy", "from project"),
        ("project:deploy#3", "deeper"),
        ("second:deploy", "from second"),
        ("user:deploy", "from user"),
    ];
    let shown: Vec<_> = catalog.skills().map(|skill| (skill.id(), skill.description())).collect();
    assert_eq!(shown, expected);
    assert_eq!(reported(&catalog, "skill-renamed").len(), 3, "each renamed skill has a finding");
    assert_eq!(catalog.excluded().len(), 0, "none is shadowed");
    for (id, description) in expected {
        let found = catalog.find(id, Caller::Model).found().expect("the id is found");
        assert_eq!(found.description(), description);
    }
    let winner = catalog.find("project:deploy", Caller::Model).found();
    assert_eq!(winner.map(|skill| skill.description()), Some("from project"));
}

/// A skill may have the distinct id of another one as its own id.
#[test]
fn ids_are_unique() {
    let builder = stacked(&[("user", TRUSTED), ("project", TRUSTED)])
        .single_skill_source("project", "user:deploy", memory("bold", &[("bold", "bold")]))
        .policy(policy(Collision::Disambiguate));
    let catalog = catalog(builder);
    assert_eq!(ids(&catalog), ["deploy", "user:deploy"]);
    assert_eq!(catalog.get("user:deploy").expect("the skill is offered").description(), "bold");
    let other = catalog.excluded().next().expect("the user's skill is excluded");
    let id = other.qualified_id();
    let found = id.as_deref().and_then(|id| catalog.find(id, Caller::Model).found());
    let is_other = found.is_some_and(|found| found.index() != other.index());
    assert!(!is_other, "{id:?} is this skill or unknown");
}

#[test]
fn collision_policy_error_rejects_all() {
    let catalog = catalog(
        stacked(&[("user", TRUSTED), ("project", Trust::AskFirst)])
            .policy(policy(Collision::Error)),
    );
    assert_eq!(ids(&catalog), [""; 0]);
    assert_eq!(catalog.rejected().len(), 2);
    let places = ["memory://project/deploy/SKILL.md", "memory://user/deploy/SKILL.md"];
    let mut errors = reported(&catalog, "skill-collision");
    errors.sort_unstable();
    assert_eq!(errors, places);
    assert!(catalog.excluded().next().is_none(), "each skill is rejected with an error");
    for id in ["deploy", "user:deploy", places[1]] {
        assert!(catalog.find(id, Caller::User).found().is_none(), "`{id}` cannot be loaded");
    }
}

/// Otherwise an untrusted layer could remove trusted skills.
#[test]
fn untrusted_skill_does_not_reject_a_trusted_one() {
    let layers = [("user", TRUSTED), ("downloads", Trust::Untrusted)];
    let catalog = catalog(stacked(&layers).policy(policy(Collision::Error)));
    assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), "from user");
    assert_eq!(reported(&catalog, "skill-collision"), ["memory://downloads/deploy/SKILL.md"]);
}

/// A directory may have the name of an alias or a qualified id.
#[test]
fn untrusted_skill_gets_no_reserved_id() {
    let stranger =
        [("user:deploy", "a"), ("memory:deploy", "b"), ("ship", "c"), ("own:deploy", "d")];
    let stranger =
        stranger.map(|(at, text)| (format!("{at}/SKILL.md"), skill_md("stranger", text)));
    let builder = stacked(&[("user", TRUSTED), ("project", TRUSTED)])
        .source("user", memory("memory", &[("deploy", "from memory")]))
        .layer(Layer::new("own", Trust::Untrusted))
        .source("own", files("downloads", stranger))
        .alias("ship", "deploy");
    let policy = RegistryPolicy { id_from: IdFrom::Directory, ..policy(Collision::Shadow) };
    let catalog = catalog(builder.policy(policy));
    for row in rows(include_str!("../../data/tables.txt"), "untrusted_skill_gets_no_reserved_id") {
        let [id, description] = row.each_ref().map(String::as_str);
        let found = catalog.find(id, Caller::Model).found();
        assert_eq!(found.map(|skill| skill.description()), Some(description), "{id}");
    }
    assert_eq!(ids(&catalog), ["deploy", "own:deploy"], "the other skills are not offered");
    let reported = reported(&catalog, "skill-shadowed");
    let strangers = reported.iter().filter(|place| place.starts_with("memory://downloads"));
    assert_eq!(strangers.count(), 3, "each other skill has a finding: {reported:?}");
}

#[test]
fn disambiguation_respects_qualified_ids() {
    let builder = Registry::builder()
        .layer(Layer::new("plugin", Trust::Untrusted))
        .layer(Layer::new("user", TRUSTED))
        .layer(Layer::new("project", TRUSTED))
        .source("project", memory("first", &[("deploy", "from project")]))
        .source("plugin", memory("own", &[("deploy", "a")]))
        .source("plugin", memory("user", &[("deploy", "b")]));
    let catalog = catalog(builder.policy(policy(Collision::Disambiguate)));
    assert_eq!(ids(&catalog), ["deploy", "plugin:deploy"], "`user:` refers to the layer");
}
