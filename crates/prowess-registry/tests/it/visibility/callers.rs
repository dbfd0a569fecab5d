//! Skills for a model or for a user, and for open files.

use std::collections::BTreeSet;

use prowess_core::{Audience, Caller, CatalogProvider, Trust};

use super::{builder, ids, layer, loaded, look_up, registry};

#[test]
fn model_and_user_have_separate_access() {
    let gates = [
        ("both", ""),
        ("model", "user-invocable: false\n"),
        ("neither", "user-invocable: false\ndisable-model-invocation: true\n"),
        ("user", "disable-model-invocation: true\n"),
    ];
    let catalog = loaded(registry(&gates)).catalog();
    assert_eq!(ids(&catalog), ["both", "model"], "skills for models are offered");
    let of_user = "only a user may load it: `disable-model-invocation` is set";
    let of_model = "only a model may load it: `user-invocable` is not `true`";
    for (id, model, user) in [
        ("both", "found", "found"),
        ("model", "found", of_model),
        ("neither", of_user, of_user),
        ("user", of_user, "found"),
        ("trusted:user", of_user, "found"),
    ] {
        assert_eq!(look_up(&catalog, id, Caller::Model), model, "`{id}` for a model");
        assert_eq!(look_up(&catalog, id, Caller::User), user, "`{id}` for a user");
    }
}

/// A skill for users only keeps its id, so that a model does not get another skill by it.
#[test]
fn hidden_skill_keeps_its_id() {
    let held = [("a", "disable-model-invocation: true\n"), ("b", "paths: src/**\n")];
    let layers = [layer(Trust::Untrusted, &[("a", ""), ("b", "")]), layer(Trust::Trusted, &held)];
    let elsewhere = Audience { open_paths: Some(BTreeSet::new()), ..Audience::default() };
    let catalog = loaded(builder(&layers).audience(elsewhere)).catalog();
    assert_eq!(ids(&catalog), [""; 0]);
    let qualified = look_up(&catalog, "untrusted:a", Caller::Model);
    assert_eq!(qualified, "found", "the qualified id is unambiguous");
    let found = catalog.find("a", Caller::User).found().expect("a user may load it");
    assert_eq!(found.trust(), Trust::Trusted);
}

#[test]
fn skill_with_paths_needs_an_open_file() {
    let yaml = "paths: [\"src/**/*.{ts,tsx}\", docs, \"./*.md\"]\n";
    let registry = loaded(registry(&[("web", yaml)]));
    let open = |paths: &[&str]| {
        let open_paths = Some(paths.iter().map(|&path| path.to_owned()).collect());
        registry.view(&Audience { open_paths, ..Audience::default() })
    };
    assert_eq!(ids(&registry.catalog()), ["web"], "without open files all skills are offered");
    for path in ["src/a.ts", "src/deep/er/a.tsx", "docs/x/y.png", "README.md"] {
        assert_eq!(ids(&open(&["other", path])), ["web"], "{path}");
    }
    for path in ["src/a.rs", "a.ts", "docs2/x", "x/README.md", "../src/a.ts"] {
        assert_eq!(ids(&open(&[path])), [""; 0], "{path}");
    }
    let catalog = open(&[]);
    let reason = "none of the files `src/**/*.{ts,tsx}`, `docs`, `./*.md` is worked on";
    assert_eq!(look_up(&catalog, "web", Caller::Model), reason);
    assert_eq!(look_up(&catalog, "web", Caller::User), "found", "a user may load it");
}

/// Patterns of skills are untrusted.
#[test]
fn hostile_pattern_terminates() {
    let open_paths = Some(BTreeSet::from(["a".repeat(4096), "a/".repeat(2000)]));
    let audience = Audience { open_paths, ..Audience::default() };
    let braces = "{a,a}".repeat(50) + "b";
    let stars = "*a".repeat(120) + "b";
    let deep = "**/".repeat(80) + "b";
    let nested = "{".repeat(200);
    for pattern in [braces, stars, deep, nested] {
        let registry = loaded(registry(&[("a", &format!("paths: ['{pattern}']\n"))]));
        assert_eq!(ids(&registry.view(&audience)), [""; 0], "{pattern}");
    }
}
