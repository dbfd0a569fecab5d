//! The names under which a model sees the tools.

use std::sync::Arc;

use prowess_core::{Catalog, Tool, ToolContext, ToolDefinition, ToolResult};
use prowess_testkit::TestTools;
use prowess_tools::{
    BuildError, NameStyle, SkillTools, ToolNaming, ToolPolicy, Toolbox, remove_unusable,
};
use serde_json::{Value, json};

use crate::fixture::{Host, Setup, catalog_of_ids, code, text};

/// Answers with its own name.
pub(crate) struct Named(pub(crate) &'static str, pub(crate) Value);

impl Tool for Named {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: self.0.to_owned(),
            description: "Says its name.".to_owned(),
            input_schema: self.1.clone(),
        }
    }

    fn call(&self, _context: &ToolContext<'_>, _arguments: &Value) -> ToolResult {
        ToolResult::text(self.0)
    }
}

fn named(name: &'static str) -> Arc<dyn Tool> {
    Arc::new(Named(name, json!({ "type": "object" })))
}

#[test]
fn each_style_spells_one_to_one_and_answers_to_its_own_names_alone() {
    let cases = [
        (NameStyle::Dot, ["skills.load", "skills.unload", "skills.read"]),
        (NameStyle::Dash, ["skills-load", "skills-unload", "skills-read"]),
        (NameStyle::Underscore, ["skills_load", "skills_unload", "skills_read"]),
    ];
    for (names, expected) in cases {
        let host = Host::new(Setup { names, ..Setup::default() });
        let definitions = host.toolbox.definitions(&host.catalog);
        let shown: Vec<_> = definitions.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(shown, expected);
        for (_, others) in cases {
            let answer = host.call(others[0], json!({ "names": ["alpha"] }));
            let is_own = others == expected;
            assert_eq!(!answer.result.is_error, is_own, "`{}` under {names:?}", others[0]);
            let meant = format!("did you mean `{}`?", expected[0]);
            assert!(is_own || text(&answer).ends_with(&meant), "{}", text(&answer));
        }
        let answer = host.call(expected[0], json!({ "names": ["alpha"] }));
        assert_eq!(answer.tool, "skills.load", "hosts read the core's spelling");
    }
}

#[test]
fn spelled_name_leads_to_its_tool() {
    let host = Host::new(Setup::default());
    assert_eq!(host.toolbox.canonical_name("skills_load"), Some("skills.load"));
    assert_eq!(host.toolbox.canonical_name("skills.load"), None, "not as a model sees it");
    assert!(host.toolbox.info("skills_load").is_some());
    assert!(host.toolbox.info("nothing").is_none());
    assert_eq!(host.toolbox.naming().names, NameStyle::Underscore);
}

fn build(names: NameStyle, tools: &[&'static str]) -> Result<Toolbox, BuildError> {
    let skills = SkillTools::new(ToolPolicy::default(), prowess_core::DeliveryPolicy::default());
    let mut builder = Toolbox::builder(ToolNaming::new(names)).provider(&skills);
    for tool in tools {
        builder = builder.provider(&TestTools(vec![named(tool)]));
    }
    builder.build()
}

#[test]
fn two_tools_with_one_name_are_refused() {
    let collision = |second: &str, spelled: &str| {
        let [first, second, spelled] = ["skills.load", second, spelled].map(str::to_owned);
        BuildError::Collision { first, second, spelled }
    };
    let cases = [
        (NameStyle::Dot, "skills.load", Some("skills.load")),
        (NameStyle::Dot, "skills_load", None),
        (NameStyle::Dash, "skills-load", Some("skills-load")),
        (NameStyle::Dash, "skills_load", None),
        (NameStyle::Underscore, "skills_load", Some("skills_load")),
        (NameStyle::Underscore, "skills-load", None),
    ];
    for (names, second, spelled) in cases {
        let error = build(names, &[second]).err();
        let expected = spelled.map(|spelled| collision(second, spelled));
        assert_eq!(error, expected, "`{second}` beside `skills.load` under {names:?}");
    }
}

#[test]
fn a_name_that_no_vendor_takes_is_refused() {
    let long = "x".repeat(65);
    for name in ["", "a b", "caf\u{e9}", "a/b", "a\n", Box::leak(long.into_boxed_str())] {
        let error = build(NameStyle::Underscore, &[name]).expect_err("the name is not legal");
        assert_eq!(error, BuildError::IllegalName(name.to_owned()));
    }
}

#[test]
fn a_schema_that_is_none_is_refused() {
    let elsewhere = json!({ "$ref": "https://example.com/schema.json" });
    for schema in [json!({ "type": "nonsense" }), json!(3), elsewhere] {
        let tool = TestTools::one(Named("odd", schema.clone()));
        let built = Toolbox::builder(ToolNaming::default()).provider(&tool).build();
        let error = built.expect_err("the schema is not one");
        let is_bad = matches!(&error, BuildError::BadSchema { tool, .. } if tool == "odd");
        assert!(is_bad, "{schema} gives {error}");
        let odd: Arc<dyn Tool> = Arc::new(Named("odd", schema));
        let mut tools = vec![named("first"), odd, named("last")];
        let removed = remove_unusable(&mut tools);
        let names: Vec<_> = tools.iter().map(|tool| tool.name().into_owned()).collect();
        assert_eq!(names, ["first", "last"], "a host may leave it out alone");
        assert_eq!(removed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["odd"]);
    }
}

#[test]
fn a_skill_never_takes_the_place_of_a_tool() {
    let names = ["skills.load", "skills-load", "skills_load", "system", "bash", "..", "-", "con"];
    for style in [NameStyle::Dot, NameStyle::Dash, NameStyle::Underscore] {
        let mut host = Host::new(Setup { names: style, ..Setup::default() });
        let tools = |host: &Host| {
            let definitions = host.toolbox.definitions(&host.catalog);
            definitions.into_iter().map(|tool| tool.name).collect::<Vec<_>>()
        };
        let before = tools(&host);
        host.catalog = catalog_of_ids(&names);
        assert_eq!(tools(&host), before, "a skill adds no tool and hides none");
        for name in names {
            let answer = host.call(name, json!({ "names": ["system"] }));
            let is_tool = before.iter().any(|tool| tool == name);
            let expected = if is_tool { "skills.load" } else { name };
            assert_eq!(answer.tool, expected, "what `{name}` calls under {style:?}");
            let is_unknown = code(&answer) == Some("unknown-tool");
            assert_eq!(is_unknown, !is_tool, "a skill cannot be called: {}", text(&answer));
        }
    }
}
