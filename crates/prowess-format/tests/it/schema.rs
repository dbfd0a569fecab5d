//! The schema says what reading says, or the case is among those that it cannot.

use prowess_format::{
    Diagnostic, Extension, Extensions, FieldKind, Profile, Rules, parse, parse_with, schema,
};
use serde_json::Value;

/// Whether the schema has the same opinion as reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// It has.
    TheSame,
    /// It has not, under one profile or more: the documentation of the module says why.
    NotAlways,
}

use Says::{NotAlways, TheSame};

/// Frontmatters: `$` stands for a good name and description.
const FIXTURES: &[(&str, Says)] = &[
    ("$", TheSame),
    ("", TheSame),
    ("name: pdf", TheSame),
    ("description: x", TheSame),
    ("name:\ndescription: x", TheSame),
    ("name: ''\ndescription: x", TheSame),
    ("name: [pdf]\ndescription: x", TheSame),
    ("name: {pdf: x}\ndescription: x", TheSame),
    ("name: PDF\ndescription: x", TheSame),
    ("name: pdf_forms\ndescription: x", TheSame),
    ("name: pdf forms\ndescription: x", TheSame),
    ("name: -pdf\ndescription: x", TheSame),
    ("name: pdf-\ndescription: x", TheSame),
    ("name: pdf--forms\ndescription: x", TheSame),
    ("name: a-b-3\ndescription: x", TheSame),
    ("name: 3d\ndescription: x", TheSame),
    ("name: \"pdf\\n\"\ndescription: x", TheSame),
    ("name: é\ndescription: x", TheSame),
    ("name: ｐｄｆ\ndescription: x", NotAlways),
    ("name: 42\ndescription: x", TheSame),
    ("name: -42\ndescription: x", TheSame),
    ("name: 4.2\ndescription: x", TheSame),
    ("name: 4.0\ndescription: x", NotAlways),
    ("name: true\ndescription: x", TheSame),
    ("name: 'true'\ndescription: x", TheSame),
    ("name: yes\ndescription: x", NotAlways),
    ("name: con\ndescription: x", TheSame),
    ("name: com1\ndescription: x", TheSame),
    ("name: com0\ndescription: x", TheSame),
    ("name: lpt9\ndescription: x", TheSame),
    ("name: bash\ndescription: x", TheSame),
    ("name: skills-load\ndescription: x", TheSame),
    ("name: bash-guide\ndescription: x", TheSame),
    (
        "name: a123456789b123456789c123456789d123456789e123456789f123456789g123\ndescription: x",
        TheSame,
    ),
    (
        "name: a123456789b123456789c123456789d123456789e123456789f123456789g1234\ndescription: x",
        TheSame,
    ),
    ("name: a\ndescription:", TheSame),
    ("name: a\ndescription: ''", TheSame),
    ("name: a\ndescription: \" \\t\\n\"", TheSame),
    ("name: a\ndescription: null", NotAlways),
    ("name: a\ndescription: [x]", NotAlways),
    ("name: a\ndescription: {x: y}", NotAlways),
    ("name: a\ndescription: 42", TheSame),
    ("name: a\ndescription: true", TheSame),
    ("name: a\ndescription: no", NotAlways),
    ("name: a\ndescription: 2001-01-01", NotAlways),
    ("name: a\ndescription: |\n  x\n  y", TheSame),
    ("name: a\ndescription: LONG", TheSame),
    ("name: a\ndescription: LONGx", TheSame),
    ("name: a\ndescription: |\n  LONG\n", NotAlways),
    ("name: a\ndescription: \"a\\u200bb\"", TheSame),
    ("name: a\ndescription: \"a\\U000E0041b\"", TheSame),
    ("name: a\ndescription: a 👩‍👧 b", TheSame),
    ("$\nlicense: MIT", TheSame),
    ("$\nlicense:", TheSame),
    ("$\nlicense: 2.0", TheSame),
    ("$\nlicense: null", NotAlways),
    ("$\nlicense: [MIT]", TheSame),
    ("$\nlicense: {a: b}", TheSame),
    ("$\ncompatibility: git", TheSame),
    ("$\ncompatibility: [git]", TheSame),
    ("$\ncompatibility: HALF", TheSame),
    ("$\ncompatibility: HALFx", TheSame),
    ("$\nmetadata: {a: b}", TheSame),
    ("$\nmetadata: {a: {b: [1, true]}, c: 1.0}", TheSame),
    ("$\nmetadata:", TheSame),
    ("$\nmetadata: x", TheSame),
    ("$\nmetadata: ''", TheSame),
    ("$\nmetadata: [x]", TheSame),
    ("$\nallowed-tools: Read Bash(git:*)", TheSame),
    ("$\nallowed-tools: [Read, 'Bash(git:*)', 1]", TheSame),
    ("$\nallowed-tools:", TheSame),
    ("$\nallowed-tools: ''", TheSame),
    ("$\nallowed-tools: []", TheSame),
    ("$\nallowed-tools: 1", TheSame),
    ("$\nallowed-tools: {Read: x}", TheSame),
    ("$\nallowed-tools: [[Read]]", TheSame),
    ("$\nallowed-tools: Bash(git", NotAlways),
    ("$\nallowed-tools: LONGLONG", TheSame),
    ("$\nallowed-tools: LONGLONGx", TheSame),
    ("$\nallowed-tools: [LONGLONG, x]", NotAlways),
    ("$\nallowed_tools: Read", TheSame),
    ("$\nfoo: bar", TheSame),
    ("$\nName: x", TheSame),
    ("$\nlicence: MIT", TheSame),
    ("$\ntags: [a, b]", TheSame),
    ("$\npriority: 5", TheSame),
    ("$\npriority: '5'", TheSame),
    ("$\npriority: 5.0", NotAlways),
    ("$\npriority: 0x10", NotAlways),
    ("$\nmodel: null", NotAlways),
    ("$\nuser-invocable: True", NotAlways),
    ("$\nwhen_to_use: yes", NotAlways),
    ("$\narguments: [{name: a}, {name: b}]", TheSame),
    ("$\narguments: [{name: a}, {name: a}]", NotAlways),
    ("$\narguments: [{name: 1a}]", TheSame),
    ("$\narguments: [{name: true}, {name: null}]", TheSame),
    ("$\narguments: [{name: a, other: b}]", TheSame),
    ("$\nmetadata: {openclaw: {os: [linux], more: x}}", TheSame),
    ("$\nmetadata: {openclaw: {os: [beos]}}", TheSame),
];

/// Values of every shape, for every field that an extension declares.
const VALUES: &[&str] = &[
    "",
    "''",
    "' '",
    "word",
    "'1'",
    "42",
    "-1",
    "1",
    "4.2",
    "true",
    "'true'",
    "fork",
    "high",
    "bash",
    "Verifier",
    "'#A855F7'",
    "user-message",
    "scripts/a.sh",
    "./a.sh",
    "././a.sh",
    "../a.sh",
    "/a.sh",
    "a/../b",
    "a//b",
    "'a\\b'",
    "C:x",
    "[]",
    "[a, b]",
    "[a, 1]",
    "[a, ' ']",
    "[[a]]",
    "[linux]",
    "[{name: a}]",
    "[{name: a, description: 1}]",
    "{}",
    "{a: b}",
    "{pre: a.sh}",
    "{pre: a.sh, post: }",
    "{pre: ../a.sh}",
    "{agents: [a], tenants: []}",
    "{agents: a}",
    "{os: [linux], requires: {bins: [git]}}",
    "{requires: {bins: git}}",
    "{requires: {bins: [1]}}",
    "{always: true, other: [x]}",
    "{always: sometimes}",
    "{Stop: [{hooks: [{type: command, command: a, timeout: 5, more: x}]}]}",
    "{Stop: [{hooks: [{type: other}]}]}",
    "{Stop: [{hooks: [{timeout: soon}]}]}",
    "{Stop: {hooks: []}}",
    "{Start: []}",
];

/// The frontmatter that a fixture stands for.
fn yaml(fixture: &str) -> String {
    let long = "l".repeat(1024);
    let good = "name: pdf\ndescription: Fills forms.";
    fixture.replace("LONG", &long).replace("HALF", &long[..500]).replace('$', good)
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
fn disagreements(profile: Profile) -> Vec<&'static str> {
    let document = schema::frontmatter(profile);
    let validator = jsonschema::draft202012::new(&document).expect("the schema is one");
    let differs = |fixture: &&str| {
        let yaml = yaml(fixture);
        validator.is_valid(&instance(&yaml)) != reads(&yaml, profile)
    };
    FIXTURES.iter().map(|(fixture, _)| *fixture).filter(differs).collect()
}

#[test]
fn the_schema_and_reading_agree() {
    let marked = |fixture: &&str| FIXTURES.contains(&(*fixture, NotAlways));
    for profile in Profile::ALL {
        let unexpected: Vec<_> =
            disagreements(profile).into_iter().filter(|fixture| !marked(fixture)).collect();
        assert_eq!(unexpected, [] as [&str; 0], "`{profile}` has one opinion of these");
    }
}

#[test]
fn what_is_marked_as_unsayable_is() {
    let all: Vec<_> = Profile::ALL.into_iter().flat_map(disagreements).collect();
    for (fixture, _) in FIXTURES.iter().filter(|(_, says)| *says == NotAlways) {
        assert!(all.contains(fixture), "{fixture:?} can be said after all");
    }
}

/// Each field of these extensions with each value is accepted by both or by neither.
fn check_extensions(rules: &Rules) {
    let document = schema::frontmatter_with(rules);
    let validator = jsonschema::draft202012::new(&document).expect("the schema is one");
    let fields = rules.extensions.iter().flat_map(|extension| &extension.fields);
    for field in fields {
        let mut verdicts = [0, 0];
        for value in VALUES {
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
