//! The schema says what reading says, or the case is among those that it cannot.

use prowess_format::{
    Diagnostic, Extension, Extensions, FieldKind, Profile, Rules, parse, parse_with, schema,
};
use prowess_testkit::rows;
use serde_json::Value;

/// Frontmatters, each a field with values that are between `; `: first those of which the schema
/// says what reading says, then those of which it does not under one profile or more, for which
/// the documentation of the module says why. `$` stands for a good name and description.
const FIXTURES: &str = include_str!("../data/schema.txt");

/// The frontmatter that a fixture stands for.
fn yaml(fixture: &str) -> String {
    let long = "l".repeat(1024);
    let good = "name: pdf\ndescription: Fills forms.";
    let fixture = fixture.replace("LONG", &long).replace("HALF", &long[..500]);
    fixture.replace("NAME", &long[..64]).replace('$', good)
}

/// Whether reading finds no error.
fn reads(yaml: &str, profile: Profile) -> bool {
    let file = format!("---\n{yaml}\n---\nBody\n");
    !parse(file.as_bytes(), profile).diagnostics.iter().any(Diagnostic::is_error)
}

/// The frontmatter as an editor has it.
fn instance(yaml: &str) -> Value {
    match serde_yaml::from_str(yaml).expect("a fixture is YAML") {
        Value::Null => serde_json::json!({}),
        value => value,
    }
}

/// The fixtures of which the schema of a profile has another opinion than reading.
fn disagreements(profile: Profile, fixtures: &[String]) -> Vec<String> {
    let document = schema::frontmatter(profile);
    let validator = jsonschema::draft202012::new(&document).expect("the schema is one");
    let differs = |fixture: &&String| {
        let yaml = yaml(fixture);
        validator.is_valid(&instance(&yaml)) != reads(&yaml, profile)
    };
    fixtures.iter().filter(differs).cloned().collect()
}

#[test]
fn the_schema_and_reading_agree_where_it_can_be_said() {
    let fill = |field: &str, values: &str| -> Vec<String> {
        let values = values.split("; ").filter(|_| !values.is_empty());
        values.map(|value| field.replace('@', value)).collect()
    };
    let fixtures = || rows(FIXTURES, "");
    let same: Vec<_> = fixtures().flat_map(|[field, same, _]| fill(&field, &same)).collect();
    let others: Vec<_> = fixtures().flat_map(|[field, _, not]| fill(&field, &not)).collect();
    for profile in Profile::ALL {
        let unexpected = disagreements(profile, &same);
        assert_eq!(unexpected, [] as [&str; 0], "`{profile}` has one opinion of these");
    }
    let found: Vec<_> =
        Profile::ALL.into_iter().flat_map(|profile| disagreements(profile, &others)).collect();
    for fixture in others {
        assert!(found.contains(&fixture), "{fixture:?} can be said after all");
    }
}

/// Each field of these extensions with values of every shape is accepted by both or by neither.
fn check_extensions(rules: &Rules) {
    let document = schema::frontmatter_with(rules);
    let validator = jsonschema::draft202012::new(&document).expect("the schema is one");
    let [values] = rows(FIXTURES, "values of every shape").next().expect("there is one row");
    let fields = rules.extensions.iter().flat_map(|extension| &extension.fields);
    for field in fields {
        let mut verdicts = [0, 0];
        for value in values.split("; ") {
            let line = match field.path.split_once('.') {
                Some((outer, inner)) => format!("{outer}:\n  {inner}: {value}"),
                None => format!("{}: {value}", field.path),
            };
            let yaml = yaml(&format!("$\n{line}"));
            let file = format!("---\n{yaml}\n---\nBody\n");
            let parsed = parse_with(file.as_bytes(), rules);
            let reads = !parsed.diagnostics.iter().any(Diagnostic::is_error);
            let is_valid = validator.is_valid(&instance(&yaml));
            assert_eq!(is_valid, reads, "{line}: {:?}", parsed.diagnostics);
            verdicts[usize::from(reads)] += 1;
        }
        assert!(verdicts.iter().all(|count| *count > 0), "`{}` has both: {verdicts:?}", field.path);
    }
}

#[test]
fn the_schema_and_reading_agree_on_every_field_of_every_extension() {
    let rules = Rules::of(Profile::Extended);
    check_extensions(&rules);
    for extension in rules.extensions.iter() {
        let extensions = rules.extensions.only(&[extension.name.as_ref()]);
        check_extensions(&Rules { extensions, ..rules.clone() });
    }
    check_extensions(&Rules { extensions: Extensions::boxxy(), ..rules });
}

#[test]
fn the_fields_of_a_host_are_in_the_schema() {
    let own = Extension::new("acme", "1")
        .field("team", FieldKind::word(&["red", "true", "3"]))
        .field("metadata.level", FieldKind::Integer(1..=3))
        .field_only_with("owner", FieldKind::PackagePath, ("team", "red"))
        .field("mixed", FieldKind::Either(vec![FieldKind::Bool, FieldKind::listing()]));
    let rules = Rules { extensions: Extensions::none().with(own), ..Rules::of(Profile::Extended) };
    check_extensions(&rules);
    let properties = &schema::frontmatter_with(&rules)["properties"];
    let owner = "Not a field of the specification. In `acme`, a path in the package, with an effect only next to `team: red`.";
    assert_eq!(properties["owner"]["description"], owner);
    let strict = schema::frontmatter_with(&Rules { profile: Profile::Strict, ..rules.clone() });
    assert!(strict["properties"]["team"].is_null(), "`strict` knows the standard's fields only");
    let mild = schema::frontmatter_with(&Rules { profile: Profile::Lenient, ..rules });
    assert!(mild["properties"]["team"]["enum"].is_null(), "`lenient` refuses no value");
}

#[test]
fn each_schema_is_a_schema_that_helps_an_editor() {
    for profile in Profile::ALL {
        let document = schema::frontmatter(profile);
        assert!(jsonschema::meta::is_valid(&document), "`{profile}` keeps to the meta-schema");
        let properties = document["properties"].as_object().expect("there are properties");
        for (field, schema) in properties {
            let has_text = schema["description"].as_str().is_some_and(|text| text.len() > 20);
            assert!(has_text, "`{field}` of `{profile}` is described");
        }
        for field in
            ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]
        {
            let schema = &document["properties"][field];
            let validator = jsonschema::draft202012::new(schema).expect("a field has a schema");
            for example in schema["examples"].as_array().expect("a field has examples") {
                assert!(validator.is_valid(example), "an example of `{field}` is valid");
            }
        }
        let values: Vec<String> = Profile::ALL.iter().map(ToString::to_string).collect();
        assert!(
            document["$id"]
                .as_str()
                .is_some_and(|id| values.iter().any(|name| id.ends_with(name.as_str())))
        );
    }
}
