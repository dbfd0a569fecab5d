//! Asking a runtime which skills suit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess::search::Substring;
use prowess::{Ranked, RuntimeBuilder};
use prowess_testkit::Tree;

use crate::dynamic;

const TREE: &str = "
//- /pdf-forms/SKILL.md
---
name: pdf-forms
description: Fills in forms.
---
Body
//- /sql/SKILL.md
---
name: sql
description: Asks tables of a form.
---
Body
";

fn builder(tree: &Tree) -> RuntimeBuilder {
    dynamic::builder().skills_directory("user", tree.path())
}

fn ids<'c>(ranked: &[Ranked<'c>]) -> Vec<&'c str> {
    ranked.iter().map(|ranked| ranked.record.id()).collect()
}

#[test]
fn a_turn_searches_the_catalog_that_it_has_pinned() {
    let tree = Tree::new(TREE);
    let runtime = builder(&tree).build().expect("the layers are good");
    let session = runtime.open_session().expect("the store is in memory");
    let turn = runtime.turn(&session).expect("the store is in memory");
    tree.write("forms/SKILL.md", "---\nname: forms\ndescription: Forms.\n---\nBody\n");
    runtime.reload();
    assert_eq!(ids(&turn.search("form", 5)), ["pdf-forms", "sql"], "a turn keeps its catalog");
    let now = runtime.catalog();
    assert_eq!(ids(&runtime.search(&now, "form", 5))[0], "forms", "a new skill is found");
    assert_eq!(ids(&turn.search("form", 1)), ["pdf-forms"], "and the turn still has its own");
}

#[test]
fn the_host_chooses_the_ranker() {
    let tree = Tree::new(TREE);
    let runtime = builder(&tree).ranker(Arc::new(Substring)).build().expect("the layers are good");
    let catalog = runtime.catalog();
    assert_eq!(ids(&runtime.search(&catalog, "f-f", 5)), ["pdf-forms"]);
}

/// Each reload replaces every skill. Who searches meanwhile gets skills of one reload only: those of the
/// catalog that was asked.
#[test]
fn a_search_during_reloads_is_of_one_catalog() {
    const SKILLS: usize = 20;
    const RELOADS: usize = 30;
    let tree = Tree::new("");
    let write = |version: usize| {
        for number in 0..SKILLS {
            let text = format!("---\nname: s{number}\ndescription: Form {version}.\n---\nBody\n");
            tree.write(&format!("s{number}/SKILL.md"), text);
        }
    };
    write(0);
    let runtime = builder(&tree).build().expect("the layers are good");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let catalog = runtime.catalog();
                    let found = runtime.search(&catalog, "form", usize::MAX);
                    assert_eq!(found.len(), SKILLS, "each skill of the catalog is found");
                    let is_of_it = |ranked: &Ranked<'_>| {
                        let own = catalog.get(ranked.record.id()).map(|skill| skill.description());
                        own == Some(ranked.record.description())
                    };
                    assert!(found.iter().all(is_of_it), "and none of another");
                }
            });
        }
        for version in 1..=RELOADS {
            write(version);
            runtime.reload();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let last = runtime.catalog();
    let found = runtime.search(&last, &format!("form {RELOADS}"), 1);
    assert_eq!(found[0].record.description(), format!("Form {RELOADS}."), "the newest is found");
}
