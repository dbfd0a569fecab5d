//! Catalogs that exceed their budget, through the facade: what a model sees, and how it finds the
//! rest.

use prowess::prompt::{CatalogPlace, Overflow};
use prowess::tools::{DiscoveryTools, NameStyle, Surface};
use prowess::{Policies, Runtime, ToolCall, Turn};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

/// The number of skills: few enough for a schema to list them all.
const SKILLS: usize = 60;

/// The number of skills above which a schema does not list them.
const MOST_IN_SCHEMA: usize = 100;

/// A runtime with numbered skills, each about one subject, and a budget for a few of them.
struct Shelf {
    _tree: Tree,
    runtime: Runtime,
}

impl Shelf {
    fn new(change: impl FnOnce(&mut Policies)) -> Self {
        Self::with(SKILLS, change)
    }

    fn with(skills: usize, change: impl FnOnce(&mut Policies)) -> Self {
        let tree = Tree::new("");
        for at in 0..skills {
            let text = format!(
                "---\nname: skill-{at:02}\ndescription: {}subject{at}.\n---\nBody\n",
                "Works on the ".repeat(5)
            );
            tree.write(&format!("skill-{at:02}/SKILL.md"), text);
        }
        let mut policies = Policies::default();
        policies.prompt.max_tokens = Some(400);
        change(&mut policies);
        let builder = dynamic::builder().policies(policies);
        let runtime = builder.skills_directory("user", tree.path()).build();
        Self { _tree: tree, runtime: runtime.expect("the policies fit together") }
    }

    fn turn(&self) -> Turn {
        let session = self.runtime.open_session().expect("memory takes another session");
        self.runtime.turn(&session).expect("the session is open")
    }
}

fn tools(turn: &Turn) -> Vec<String> {
    turn.tools().into_iter().map(|tool| tool.name).collect()
}

/// Checks that the note of a cut catalog names a tool that is offered and finds a skill that the
/// text does not show.
#[track_caller]
fn check_note(surfaces: &[Surface], style: NameStyle, search: &str) {
    check_note_of(SKILLS, surfaces, style, search);
}

/// As [`check_note`], with this number of skills.
#[track_caller]
fn check_note_of(skills: usize, surfaces: &[Surface], style: NameStyle, search: &str) {
    let shelf = Shelf::with(skills, |policies| {
        policies.tools.surfaces = surfaces.to_vec();
        policies.name_style = style;
    });
    let turn = shelf.turn();
    let prompt = turn.prompt();
    assert!(prompt.shown.len() < skills && !prompt.shown.contains("skill-55"));
    let note = prompt.text.lines().last().expect("there is a note");
    assert!(note.contains(&format!("`{search}`")), "{surfaces:?}: {note}");
    assert!(tools(&turn).iter().any(|tool| tool == search), "{surfaces:?}: {:?}", tools(&turn));
    let found = turn.call(&ToolCall::new(search, json!({ "query": "subject55" }))).result;
    assert!(!found.is_error && format!("{found:?}").contains("skill-55"), "{found:?}");
}

/// The schema of a tool has no list of names then, so the search is the only way to the rest.
#[test]
fn skills_that_no_schema_lists_are_found() {
    let names = |skills: usize| {
        let turn = Shelf::with(skills, |_| {}).turn();
        let tools = turn.tools().into_iter();
        let schemas = tools.map(|tool| tool.input_schema.to_string());
        schemas.filter(|schema| schema.contains("\"skill-55\"")).count()
    };
    assert!(names(MOST_IN_SCHEMA) > 0, "up to the limit, schemas list all ids");
    assert_eq!(names(MOST_IN_SCHEMA + 1), 0, "above it, none does");
    for surface in [Surface::Skills, Surface::Skill, Surface::ActivateSkill] {
        check_note_of(150, &[surface], NameStyle::Underscore, "skills_search");
    }
    check_note_of(150, &[Surface::ReadSkill], NameStyle::Underscore, "list_skills");
}

#[test]
fn note_names_a_tool_of_each_surface() {
    check_note(&[Surface::Skills], NameStyle::Underscore, "skills_search");
    check_note(&[Surface::Skills], NameStyle::Dash, "skills-search");
    check_note(&[Surface::Skill], NameStyle::Underscore, "skills_search");
    check_note(&[Surface::GetSkill, Surface::Files], NameStyle::Dot, "skills.search");
    check_note(&[Surface::ActivateSkill], NameStyle::Underscore, "skills_search");
    check_note(&[Surface::ReadSkill], NameStyle::Underscore, "list_skills");
}

#[test]
fn disabled_tools_are_neither_offered_nor_named() {
    let shelf = Shelf::new(|policies| policies.tools.discovery = DiscoveryTools::Never);
    let turn = shelf.turn();
    assert!(turn.prompt().is_cut);
    assert!(tools(&turn).iter().all(|tool| !tool.contains("search")), "{:?}", tools(&turn));
    assert!(!turn.prompt().text.contains("search"), "{}", turn.prompt().text);
}

#[test]
fn tools_alone_show_every_skill() {
    let place = |policies: &mut Policies, surfaces: &[Surface]| {
        policies.prompt.catalog_place = CatalogPlace::ToolOnly;
        policies.tools.surfaces = surfaces.to_vec();
    };
    for surface in [Surface::Skills, Surface::Skill, Surface::GetSkill, Surface::ActivateSkill] {
        let shelf = Shelf::new(|policies| place(policies, &[surface]));
        let turn = shelf.turn();
        assert!(turn.prompt().shown.is_empty() && turn.prompt().listing.is_none());
        assert!(tools(&turn).iter().any(|tool| tool == "skills_search"), "{:?}", tools(&turn));
        let described = Shelf::new(|policies| {
            place(policies, &[surface]);
            policies.prompt.catalog_place = CatalogPlace::ToolDescription;
        });
        let tools = tools(&described.turn());
        assert!(tools.iter().any(|tool| tool == "skills_search"), "its list is cut: {tools:?}");
    }
}

#[test]
fn message_decides_what_stays() {
    let shelf = Shelf::new(|policies| policies.prompt.on_overflow = Overflow::Relevance);
    let shown = |message: &str| shelf.turn().with_message(message).prompt();
    let prompt = shown("please do something about subject55");
    assert!(prompt.shown.contains("skill-55"), "{:?}", prompt.shown);
    assert!(!shown("subject44").shown.contains("skill-55"));
    assert_eq!(shown("subject44"), shown("subject44"), "equal messages give equal prompts");
}

#[test]
fn usage_decides_what_stays() {
    let shelf = Shelf::new(|policies| policies.prompt.on_overflow = Overflow::Usage);
    let counts = [("skill-40", 2), ("skill-41", 0), ("skill-55", 9), ("unknown", 99)];
    let prompt = shelf.turn().with_usage(counts).prompt();
    let last: Vec<_> = prompt.shown.iter().skip(prompt.shown.len() - 2).collect();
    assert_eq!(last, ["skill-40", "skill-55"], "used skills stay: {:?}", prompt.shown);
}
