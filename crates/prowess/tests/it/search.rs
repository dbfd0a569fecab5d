//! Asking a runtime which skills suit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess::search::{Searcher, Substring};
use prowess::{Ranked, RuntimeBuilder, Timestamp};
use prowess_testkit::{ManualClock, Tree};

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
fn a_search_after_a_reload_finds_the_index_built() {
    let tree = Tree::new(TREE);
    let searcher = Arc::new(Searcher::new());
    let runtime = builder(&tree).ranker(searcher.clone()).build().expect("the layers are good");
    let write = |text: &str| {
        tree.write("forms/SKILL.md", format!("---\nname: forms\ndescription: {text}\n---\nBody\n"));
        runtime.reload().catalog
    };
    let unasked = write("Forms.");
    assert!(searcher.prepared(&unasked).is_none(), "before the first search nothing is built");
    runtime.search(&unasked, "form", 5);
    let edited = write("Forms of every kind.");
    assert!(searcher.prepared(&edited).is_some(), "from then on the index comes with the catalog");
    assert_eq!(runtime.search(&edited, "kind", 5).len(), 1, "and is the one of that catalog");
}

/// An edit of a body builds no index.
#[test]
fn an_edit_of_what_is_not_searched_keeps_the_index() {
    let tree = Tree::new(TREE);
    // A small index is rebuilt rather than updated, since that is faster. A file that was written
    // just now would be read again, so the clock is far ahead.
    let much_later = Arc::new(ManualClock::at(Timestamp(32_503_680_000_000)));
    for number in 0..200 {
        let text = format!("---\nname: s{number}\ndescription: Of {number}.\n---\nBody\n");
        tree.write(&format!("s{number}/SKILL.md"), text);
    }
    let searcher = Arc::new(Searcher::new());
    let builder = builder(&tree).clock(much_later).ranker(searcher.clone());
    let runtime = builder.build().expect("the layers are good");
    let write = |description: &str, body: &str| {
        let text = format!("---\nname: forms\ndescription: {description}\n---\n{body}\n");
        tree.write("forms/SKILL.md", text);
        let catalog = runtime.reload().catalog;
        let index = searcher.prepared(&catalog);
        (catalog, index)
    };
    let (catalog, _) = write("Forms.", "One.");
    runtime.search(&catalog, "form", 5);
    let first = searcher.prepared(&catalog).expect("it was searched");
    let (edited, index) = write("Forms.", "Two, and more of it.");
    assert!(!Arc::ptr_eq(&catalog, &edited), "the body is of another version");
    assert!(Arc::ptr_eq(&first, &index.expect("it is ready")), "what is searched is the same");
    assert_eq!(ids(&runtime.search(&edited, "form", 1)), ["forms"], "and it is found");
    let (_, index) = write("Sheets.", "Two, and more of it.");
    assert!(!Arc::ptr_eq(&first, &index.expect("it is ready")), "another description is searched");
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
