//! Configurations of several parts: precedence, the keys of projects, and what documents them.

use std::path::PathBuf;

use prowess::format::Profile;
use prowess::{ConfigErrorKind, ConfigPart, Configuration, Origin, Policies};
use serde_json::Value;

fn file(text: &str) -> ConfigPart {
    ConfigPart::text(Origin::File(PathBuf::from("/etc/one.yaml")), text)
}

fn project(text: &str) -> ConfigPart {
    ConfigPart::text(Origin::Project(PathBuf::from("/project/config.yaml")), text)
}

fn option(key: &str, value: &str) -> ConfigPart {
    ConfigPart::value(Origin::Option("--set".to_owned()), key, value)
}

fn read(parts: &[ConfigPart]) -> Configuration {
    Configuration::of(parts).expect("the parts are valid")
}

/// The value of a key, and its origin, as `value origin`.
fn value(configuration: &Configuration, key: &str) -> String {
    let value = configuration.values().iter().find(|value| value.key == key);
    let value = value.unwrap_or_else(|| panic!("`{key}` is a key"));
    format!("{} {}", value.value, value.origin)
}

#[test]
fn last_part_wins_and_is_the_origin() {
    let parts = [
        ConfigPart::value(Origin::Program, "session.max_active", "6"),
        file("session: { max_active: 2 }\nprompt: { max_tokens: 100 }\n"),
        project("registry: { profile: strict }\n"),
        ConfigPart::value(Origin::Variable("PROWESS_X".to_owned()), "prompt.max_tokens", "200"),
        option("registry.limits.body_lines.max", "7"),
    ];
    let all = read(&parts);
    for (key, expected) in [
        ("session.max_active", "2 /etc/one.yaml"),
        ("registry.profile", "\"strict\" /project/config.yaml"),
        ("prompt.max_tokens", "200 $PROWESS_X"),
        ("registry.limits.body_lines.max", "7 --set"),
        ("registry.limits.body_lines.severity", "\"profile\" default"),
        ("session.idle_limit_seconds", "null default"),
    ] {
        assert_eq!(value(&all, key), expected, "`{key}` is that of the last part that sets it");
    }
    assert_eq!(value(&read(&parts[..1]), "session.max_active"), "6 program");
    assert_eq!(all.chosen_profile(), Some(Profile::Strict));
    assert_eq!(read(&parts[..2]).chosen_profile(), None, "nothing sets a profile");
}

#[test]
fn last_preset_is_below_every_file() {
    let of_program = ConfigPart::value(Origin::Program, "registry.profile", "extended");
    let parts =
        [of_program, file("preset: flexigpt\nname_style: dot\n"), option("preset", "boxxy")];
    let both = read(&parts);
    assert_eq!(value(&both, "registry.profile"), "\"strict\" preset boxxy");
    assert_eq!(value(&both, "name_style"), "\"dot\" /etc/one.yaml");
    assert_eq!(value(&read(&parts[..2]), "registry.profile"), "\"extended\" program");
    for name in Policies::presets() {
        let parts = [option("preset", name)];
        let preset = Policies::preset(name).expect("it is a preset");
        assert_eq!(*read(&parts).policies(), preset, "`{name}` alone is the preset");
    }
}

/// Every key that the documentation does not name for projects would let one give itself rights.
#[test]
fn project_sets_no_key_but_the_listed_ones() {
    let allowed: Vec<_> = Configuration::project_keys().collect();
    let is_allowed = |key: &str| {
        allowed.iter().any(|known| key == *known || key.starts_with(&format!("{known}.")))
    };
    let mut checked = 0;
    for value in read(&[]).values() {
        let nested = value.key.split('.').enumerate().fold(String::new(), |text, (depth, key)| {
            format!("{text}\n{:indent$}{key}:", "", indent = 2 * depth)
        });
        // A limit alone is not a value.
        let text = match value.key.strip_prefix("registry.limits.") {
            Some(limit) => {
                let name = limit.split('.').next().unwrap_or_default();
                format!("registry:\n  limits:\n    {name}: {{ max: 1, severity: error }}\n")
            }
            None => format!("{nested} {}\n", value.value),
        };
        if value.key == "discovery.gitignore" {
            continue;
        }
        let read = Configuration::of(&[project(&text)]);
        match read {
            Ok(_) => assert!(is_allowed(&value.key), "a project cannot set `{}`", value.key),
            Err(error) => {
                assert!(!is_allowed(&value.key), "a project may set `{}`: {error}", value.key);
                assert_eq!(error.kind, ConfigErrorKind::ForbiddenKey, "{text}: {error}");
                assert!(error.position.is_some(), "the error names the line: {error}");
            }
        }
        checked += 1;
    }
    assert!(checked > 120, "{checked} keys were checked");
}

#[test]
fn project_only_makes_limits_stricter() {
    let check = |operator: &str, text: &str, expected: &str| {
        let error = Configuration::of(&[file(operator), project(text)]).map(drop);
        let error = error.map_err(|error| error.to_string()).err().unwrap_or_default();
        assert!(error.contains(expected) && (error.is_empty() == expected.is_empty()), "{error}");
    };
    let limited = "discovery: { bounds: { max_skills: 10 } }";
    check(limited, "discovery:\n  bounds:\n    max_skills: 10\n", "");
    let raised = "the operator's limit is 10 at line 3 column 17";
    check(limited, "discovery:\n  bounds:\n    max_skills: 11\n", raised);
    check("", "discovery: { gitignore: true }", "");
    check("discovery: { gitignore: true }", "discovery: { gitignore: false }", "set to `true`");
    check("", "preset: yodoca", "`preset` cannot be set by a project");
    check("", "gate:\n  ungranted: allow\n", "`gate` cannot be set by a project");
    check("", "discovery:\n  client: acme\n", "at line 2 column 3");
}

#[test]
fn project_adds_to_the_skipped_names() {
    let operator = file("discovery: { skip: [build] }");
    let all = read(&[operator, project("discovery: { skip: [dist] }")]);
    assert_eq!(value(&all, "discovery.skip"), "[\"build\",\"dist\"] /project/config.yaml");
    let config = all.policies().discovery.config("/root");
    let skipped: Vec<_> = config.skip.iter().map(|name| &**name).collect();
    assert_eq!(skipped, [".git", "node_modules", "build", "dist"]);
}

#[test]
fn errors_name_part_and_position() {
    let check =
        |part: ConfigPart, origin: &str, message: &str, position: Option<(usize, usize)>| {
            let error = Configuration::of(&[file(""), part]).expect_err("the part is wrong");
            assert_eq!(error.origin.to_string(), origin);
            assert_eq!(error.message, message);
            let found = error.position.map(|position| (position.line, position.column));
            assert_eq!(found, position, "{error}");
        };
    check(
        file("prompt:\n  max_tokns: 1\n"),
        "/etc/one.yaml",
        "prompt: unknown key `max_tokns`; did you mean `max_tokens`?",
        Some((2, 3)),
    );
    check(
        option("sesion.max_active", "1"),
        "--set",
        "unknown key `sesion`; did you mean `session`?",
        None,
    );
    let wrong = "invalid type: string \"many\", expected usize";
    check(option("session.max_active", "many"), "--set", wrong, None);
}

const EXAMPLE: &str = include_str!("../../prowess.example.yaml");

#[test]
fn schema_accepts_what_is_read_and_refuses_the_rest() {
    let schema = Configuration::schema();
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let json = |text: &str| -> Value { serde_yaml::from_str(text).expect("it is YAML") };
    assert!(validator.is_valid(&json(EXAMPLE)), "the documented file is valid");
    let defaults = serde_json::to_value(Policies::default()).expect("policies are data");
    let error = validator.iter_errors(&defaults).next().map(|error| error.to_string());
    assert_eq!(error, None, "the defaults are valid");
    for name in Policies::presets() {
        let preset = Policies::preset(name).expect("it is a preset");
        let value = serde_json::to_value(preset).expect("policies are data");
        assert!(validator.is_valid(&value), "`{name}` is valid");
    }
    for wrong in [
        "sesion: {}",
        "prompt: { max_tokns: 1 }",
        "registry: { name_rule: kebab }",
        "session: { max_active: many }",
        "session: { max_active: -1 }",
        "discovery: { also: [1] }",
        "layers: [{ name: a, trust: half }]",
        "preset: boxy",
    ] {
        assert!(Policies::from_yaml(wrong).is_err(), "`{wrong}` is refused");
        assert!(!validator.is_valid(&json(wrong)), "the schema refuses `{wrong}`, too");
    }
}

#[test]
fn schema_describes_each_value() {
    let schema = Configuration::schema();
    for value in read(&[]).values() {
        let pointer = format!("/properties/{}", value.key.replace('.', "/properties/"));
        // The entries of a mapping with any key have the schema of the mapping.
        let mut found = schema.pointer(&pointer);
        let mut upper = value.key.as_str();
        while let (None, Some((above, _))) = (found, upper.rsplit_once('.')) {
            upper = above;
            let pointer = format!("/properties/{}", upper.replace('.', "/properties/"));
            found = schema.pointer(&pointer).filter(|it| it.get("properties").is_none());
        }
        assert!(found.is_some(), "`{}` is in the schema", value.key);
    }
    let tokens = &schema["properties"]["prompt"]["properties"]["max_tokens"];
    assert_eq!(tokens["default"], 4000);
    assert_eq!(tokens["description"], "of the catalog; or null");
}

#[test]
fn template_sets_nothing_until_it_is_edited() {
    let template = Configuration::template();
    assert_eq!(Policies::from_yaml(&template).expect("it is YAML"), Policies::default());
    for line in EXAMPLE.lines().filter(|line| !line.is_empty()) {
        let line = if line.starts_with('#') { line.to_owned() } else { format!("#{line}") };
        assert!(template.lines().any(|written| written == line), "`{line}` is in the template");
    }
}
