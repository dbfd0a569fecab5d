//! The definitions of tools for a model.

use std::sync::Arc;

use expect_test::expect_file;
use prowess_core::{BodyDelivery, Catalog, DeliveryPolicy, MemorySource};
use prowess_tools::ToolPolicy;
use serde_json::{Value, json};

use crate::fixture::{Host, Setup, catalog_of, skill_md};

fn shown(policy: ToolPolicy, catalog: &Catalog) -> Vec<Value> {
    let host = Host::new(Setup { policy, ..Setup::default() });
    let definitions = host.toolbox.definitions(catalog);
    let value = serde_json::to_value(definitions).expect("definitions are plain data");
    value.as_array().expect("there is one after another").clone()
}

fn catalog_with(count: usize) -> Arc<Catalog> {
    let mut builder = MemorySource::builder("many");
    for at in 0..count {
        let name = format!("skill-{at:04}");
        builder = builder.file(&format!("{name}/SKILL.md"), skill_md(&name, "Body"));
    }
    catalog_of(Arc::new(builder.build().expect("the fixture's paths are paths")), 1)
}

#[test]
fn the_three_tools_as_a_model_sees_them() {
    let host = Host::new(Setup::default());
    let definitions = host.toolbox.definitions(&host.catalog);
    let shown = serde_json::to_string_pretty(&definitions).expect("definitions are plain data");
    expect_file!["definitions.json"].assert_eq(&(shown + "\n"));
}

#[test]
fn without_a_visible_skill_no_tool_is_shown() {
    assert!(shown(ToolPolicy::default(), &Catalog::empty()).is_empty());
}

#[test]
fn ids_are_listed_while_they_are_few() {
    let policy = || ToolPolicy { ids_in_schema: 3, ..ToolPolicy::default() };
    let items = |count| {
        let load = shown(policy(), &catalog_with(count)).remove(0);
        load["input_schema"]["properties"]["names"]["items"].clone()
    };
    let listed = json!({ "type": "string", "enum": ["skill-0000", "skill-0001", "skill-0002"] });
    assert_eq!(items(3), listed);
    assert_eq!(items(4), json!({ "type": "string" }), "with more, any text is taken");
}

#[test]
fn the_description_says_where_the_instructions_will_be() {
    let description = |bodies| {
        let delivery = DeliveryPolicy { bodies, ..DeliveryPolicy::default() };
        let host = Host::new(Setup { delivery, ..Setup::default() });
        host.toolbox.definitions(&catalog_with(1)).remove(0).description
    };
    assert!(description(BodyDelivery::Instructions).ends_with("from your next turn on."));
    assert!(description(BodyDelivery::ToolResult).ends_with("The result holds the instructions."));
}
