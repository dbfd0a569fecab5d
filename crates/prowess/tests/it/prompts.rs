//! The whole text about skills under each preset: instructions, context and descriptions of tools.

use std::fmt::Write as _;

use expect_test::expect_file;
use prowess::prompt::{CatalogFormat, DescribedSkills};
use prowess::{Layer, Policies, Runtime, Trust};
use prowess_testkit::Tree;

use crate::dynamic;

const SHELF: &str = include_str!("../data/prompts.txt");

/// A runtime over the shelf.
struct Shelf {
    tree: Tree,
    runtime: Runtime,
}

impl Shelf {
    fn new(preset: &str, change: impl FnOnce(&mut Policies)) -> Self {
        let tree = Tree::new(SHELF);
        let mut policies = Policies::preset(preset).expect("there is one");
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        change(&mut policies);
        let builder = dynamic::builder().policies(policies);
        let runtime = builder.skills_directory("personal", tree.join("skills")).build();
        Self { runtime: runtime.expect("the policies fit together"), tree }
    }

    /// Adds a skill and reloads.
    fn add(&self, name: &str) {
        let text = format!("---\nname: {name}\ndescription: Does {name}. Use for it.\n---\nBody\n");
        self.tree.write(&format!("skills/{name}/SKILL.md"), text);
        self.runtime.reload();
    }

    fn turn(&self) -> prowess::Turn {
        let session = self.runtime.open_session().expect("memory takes another session");
        self.runtime.turn(&session).expect("the session is open")
    }

    /// Returns the description of the first tool.
    fn description(&self) -> String {
        self.turn().tools().swap_remove(0).description
    }

    /// Returns everything that a model reads about skills before it calls a tool.
    fn text(&self) -> String {
        let turn = self.turn();
        let prompt = turn.prompt();
        let mut text = prompt.text.clone();
        if let Some(block) = &prompt.context {
            let _ = writeln!(text, "--- context, priority {} ---\n{}", block.priority, block.text);
        }
        if prompt.listing.is_some() {
            let described =
                turn.tools().into_iter().filter(|tool| tool.description.contains("pdf"));
            for tool in described {
                let _ = writeln!(text, "--- tool {} ---\n{}", tool.name, tool.description);
            }
        }
        text.replace(&*self.tree.path().to_string_lossy(), "$ROOT")
    }
}

#[test]
fn presets_have_their_formats() {
    for preset in ["standard", "flexigpt", "omniforge", "boxxy", "sandbox", "yodoca"] {
        let own = Policies::preset(preset).expect("there is one").prompt.catalog_format;
        let mut text = String::new();
        let all = if preset == "standard" { &CatalogFormat::ALL[..] } else { &[own] };
        for &format in all {
            let name = serde_json::to_string(&format).expect("a format is a word");
            let mark = if format == own { ", the preset's own" } else { "" };
            let shelf = Shelf::new(preset, |policies| policies.prompt.catalog_format = format);
            let _ = writeln!(text, "=== {name}{mark} ===\n{}", shelf.text());
        }
        expect_file![format!("golden/prompts/{preset}.txt")].assert_eq(&text);
    }
}

#[test]
fn a_description_may_stay_as_it_was_at_the_start() {
    let shelf = Shelf::new("sandbox", |_| {});
    shelf.add("notes");
    assert!(!shelf.description().contains("notes"), "{}", shelf.description());
    assert!(shelf.turn().catalog().get("notes").is_some(), "it can be read by its name");
    let current = |policies: &mut Policies| {
        policies.prompt.described_skills = Some(DescribedSkills::Current);
    };
    let shelf = Shelf::new("sandbox", current);
    shelf.add("notes");
    assert!(shelf.description().contains("  - notes: Does notes."), "{}", shelf.description());
}
