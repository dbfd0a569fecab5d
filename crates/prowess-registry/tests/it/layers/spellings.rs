//! Names as people and models write them.

use std::sync::Arc;

use prowess_core::{Caller, Catalog, Layer, Lookup, Trust};
use prowess_registry::Registry;

use super::{TRUSTED, catalog};
use crate::fixture::{files, skill_md};

/// A layer with the directories and declared names of its skills.
type Skills<'t> = (&'t str, Trust, &'t [(&'t str, &'t str)]);

fn built(layers: &[Skills<'_>]) -> Arc<Catalog> {
    let mut builder = Registry::builder();
    for (layer, trust, skills) in layers {
        let skills = skills.iter().map(|(directory, name)| {
            (format!("{directory}/SKILL.md"), skill_md(name, &format!("It is {name}.")))
        });
        builder = builder.layer(Layer::new(*layer, *trust)).source(layer, files(layer, skills));
    }
    catalog(builder)
}

/// Checks the declared name of the skill that a spelling finds; `a or b`, or nothing.
#[track_caller]
fn check(catalog: &Catalog, reference: &str, expected: &str) {
    let found = match catalog.find(reference, Caller::Model) {
        Lookup::Found(record) => record.name().to_owned(),
        Lookup::Unavailable(record, _) => format!("not {}", record.name()),
        Lookup::Ambiguous(one, other) => format!("{} or {}", one.name(), other.name()),
        Lookup::Unknown => String::new(),
    };
    assert_eq!(found, expected, "{reference}");
    let is_named = !catalog.all_named(reference).is_empty();
    assert_eq!(is_named, !expected.is_empty(), "the operator finds it too: {reference}");
}

#[test]
fn a_skill_is_found_by_every_spelling() {
    let skills = [
        ("c-suite/chief", "CFO / Chief Officer"),
        ("packs/superpowers/local_search", "local_search"),
        ("re\u{301}sume\u{301}", "résumé"),
        ("小说", "小说拆条"),
        ("shell", "Bash"),
        ("cpp", "C++ Helper"),
        ("cs", "C# Helper"),
        ("wise", "ΣΟΦΟΣ"),
    ];
    let catalog = built(&[("user", TRUSTED, &skills)]);
    for (spellings, name) in [
        ("CFO / Chief Officer|cfo/chief officer|cfo_chief_officer|Chief", skills[0].1),
        ("local_search|Local Search|LOCAL-SEARCH", skills[1].1),
        ("superpowers:local_search|User:Local-Search", skills[1].1),
        ("localSearch|LocalSearch|localsearch|skill://local_search/SKILL.md", skills[1].1),
        ("re\u{301}sume\u{301}|R\u{c9}SUM\u{c9}", skills[2].1),
        ("小说|小说拆条", skills[3].1),
        ("bash|Bash|bash-skill", skills[4].1),
        ("c++ helper|C++ HELPER", skills[5].1),
        ("c# helper", skills[6].1),
        ("σοφοσ|σοφος", skills[7].1),
        // A path, other packs, a part of a name, letters that look alike, nothing.
        ("local/search|others:local_search|:local_search|user:|local|l\u{43e}cal-search|--|", ""),
    ] {
        for spelling in spellings.split('|') {
            check(&catalog, spelling, name);
        }
    }
    check(&catalog, &"-local".repeat(100), "");
}

#[test]
fn nothing_is_chosen_in_silence() {
    let catalog = built(&[("user", TRUSTED, &[("Pdf Forms", "a"), ("pdf_forms", "b")])]);
    check(&catalog, "pdf-forms", "a or b");
    check(&catalog, "a", "a");
    let catalog = built(&[("user", TRUSTED, &[("Pdf Forms", "a"), ("x", "PDF: Forms")])]);
    check(&catalog, "pdf_forms", "PDF: Forms");
}

#[test]
fn an_untrusted_layer_takes_no_name_by_a_spelling() {
    let user = ("user", TRUSTED, &[("Deploy", "ship-it"), ("b", "Local Search")][..]);
    let guest = [("a/Deploy", "evil"), ("local_search", "other"), ("c", "good")];
    let catalog = built(&[("guest", Trust::Untrusted, &guest), user]);
    for (reference, name) in [
        ("deploy", "ship-it"),
        ("Ship It", "ship-it"),
        ("LOCAL_SEARCH", "Local Search"),
        ("EVIL", "evil"),
        ("Good", "good"),
    ] {
        check(&catalog, reference, name);
    }
}
