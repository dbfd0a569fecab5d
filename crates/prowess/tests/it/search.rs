//! Asking a runtime which skills suit.

use std::sync::Arc;

use prowess::search::Substring;
use prowess::{Ranked, RuntimeBuilder};
use prowess_testkit::Tree;

use crate::dynamic;

const TREE: &str = include_str!("../data/search.txt");

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
