//! Configurations of several parts: precedence, the keys of projects, and what documents them.

use std::path::{Path, PathBuf};

use prowess::format::Profile;
use prowess::source_fs::Surroundings;
use prowess::{ConfigErrorKind, ConfigPart, ConfigTier, Configuration, Origin, Policies};
use prowess_testkit::rows;
use serde_json::{Value, json};

const TABLES: &str = include_str!("../data/configuration.txt");

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
fn deep_nesting_is_refused_before_it_takes_time() {
    for depth in [65, 100_000] {
        for part in
            [file(&format!("gate: {}", "[".repeat(depth))), option("gate", &"{a: ".repeat(depth))]
        {
            let error = Configuration::of(&[part]).expect_err("it is too deep").to_string();
            assert!(error.contains("`[` and `{` are nested deeper than 64"), "{error}");
        }
    }
}

#[test]
fn last_part_wins_and_is_the_origin() {
    let parts = [
        ConfigPart::value(Origin::Program, "session.max_active", "6"),
        file("session: { max_active: 2 }\nprompt: { max_tokens: 100 }\n"),
        project("registry: { profile: strict }\n"),
        ConfigPart::value(Origin::Variable("PROWESS_X".to_owned()), "prompt.max_tokens", "200"),
        option("registry.limits.body_lines.max", "7"),
        // Nothing inside leaves what is below.
        option("registry", "{}"),
    ];
    let all = read(&parts);
    for row in rows(include_str!("../data/tables.txt"), "last_part_wins_and_is_the_origin") {
        let [key, expected] = row.each_ref().map(String::as_str);
        assert_eq!(value(&all, key), expected, "`{key}` is that of the last part that sets it");
    }
    assert_eq!(value(&read(&parts[..1]), "session.max_active"), "6 program");
    let alone = [option("registry.limits.body_tokens.severity", "warning"), option("prompt", "{}")];
    let [one, both] = [&alone[..1], &alone].map(|parts| read(parts).into_policies());
    assert_eq!(one, both, "the defaults are those of the whole configuration");
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
    assert!(checked > 90, "{checked} keys were checked");
}

#[test]
fn project_only_makes_keys_stricter() {
    for [operator, text, expected] in rows(TABLES, "project") {
        let error = Configuration::of(&[file(&operator), project(&text)]).map(drop);
        let error = error.map_err(|error| error.to_string()).err().unwrap_or_default();
        assert!(error.contains(&expected) && (error.is_empty() == expected.is_empty()), "{error}");
    }
}

#[test]
fn project_adds_to_the_skipped_names() {
    let operator = file("discovery: { skip: [build] }");
    let above = option("prompt.max_tokens", "7");
    let all = read(&[operator.clone(), project("discovery: { skip: [dist] }"), above.clone()]);
    let of_operator = all.policies().operator.as_deref();
    assert_eq!(of_operator, Some(read(&[operator, above]).policies()), "for other skills");
    assert_eq!(value(&all, "discovery.skip"), "[\"build\",\"dist\"] /project/config.yaml");
    let config = all.policies().discovery.config("/root");
    let skipped: Vec<_> = config.skip.iter().map(|name| &**name).collect();
    assert_eq!(skipped, [".git", "node_modules", ".prowess-staged", "build", "dist"]);
}

/// A message is for people, and does not name the types of this program.
#[test]
fn wrong_types_are_named_in_words() {
    let all = read(&[]);
    for key in all.values().iter().map(|value| value.key.as_str()) {
        for written in ["3", "text", "[3]", "{ a: 3 }", "true", "-1", "99999999999999999999"] {
            let part = ConfigPart::value(Origin::Option(key.to_owned()), key, written);
            let Err(error) = Configuration::of(&[part]) else { continue };
            let mut words =
                [" struct", " enum", " variant", "tuple", "tag", "sequence", "u128"].iter();
            assert!(!words.any(|word| error.message.contains(word)), "{written}: {error}");
        }
    }
}

/// The texts that no policy accepts, each with a part of the error.
fn wrong() -> impl Iterator<Item = [String; 2]> {
    rows(include_str!("../data/wrong_policies.txt"), "wrong")
}

#[test]
fn unknown_keys_and_values_are_named() {
    for [text, part] in wrong() {
        let error = Policies::from_yaml(&text).expect_err("it is wrong").to_string();
        assert!(error.contains(&part), "{text}: {error}");
    }
    let large = Policies::from_yaml("auto_load: { min_score: 70000 }").expect_err("it is large");
    assert!(large.to_string().contains("auto_load.min_score: the number `70000` is too large"));
}

#[test]
fn errors_name_part_and_position() {
    let check = |part: ConfigPart, shown: &str, position: Option<(usize, usize)>| {
        let error = Configuration::of(&[file(""), part]).expect_err("the part is wrong");
        assert_eq!(format!("{}: {}", error.origin, error.message), shown);
        let found = error.position.map(|position| (position.line, position.column));
        assert_eq!(found, position, "{error}");
    };
    check(
        file("prompt:\n  max_tokns: 1\n"),
        "/etc/one.yaml: prompt: unknown key `max_tokns`; did you mean `max_tokens`?",
        Some((2, 3)),
    );
    let unknown = "--set: unknown key `sesion`; did you mean `session`?";
    check(option("sesion.max_active", "1"), unknown, None);
}

const EXAMPLE: &str = include_str!("../../prowess.example.yaml");

/// Returns the documented file without the keys of a feature that this build lacks.
fn documented() -> String {
    let lacks_shell = cfg!(not(feature = "virtual-shell"));
    let blocks = EXAMPLE.split("\n\n");
    let blocks: Vec<_> =
        blocks.filter(|block| !(lacks_shell && block.contains("\nshell:"))).collect();
    blocks.join("\n\n")
}

#[test]
fn documented_file_has_the_defaults() {
    let policies = Policies::from_yaml(&documented()).expect("the example is one");
    let layers: Vec<_> = policies.layers.iter().map(|layer| &*layer.name).collect();
    assert_eq!(layers, ["enterprise", "personal", "project", "plugin"]);
    assert_eq!(policies.visibility.skills.len(), 3);
    assert_eq!(policies.audience.environment.as_deref(), Some("production"));
    let expected = Policies {
        layers: policies.layers.clone(),
        aliases: policies.aliases.clone(),
        visibility: policies.visibility.clone(),
        audience: policies.audience.clone(),
        ..Policies::default()
    };
    assert_eq!(policies, expected, "the rest are the defaults");
}

#[test]
fn documented_file_has_each_key() {
    let whole = serde_json::to_value(Policies::default()).expect("policies are data");
    let shown: Value = serde_yaml::from_str(EXAMPLE).expect("it is YAML");
    for (key, value) in whole.as_object().expect("policies are a mapping") {
        for inner in value.as_object().into_iter().flat_map(|value| value.keys()) {
            assert!(shown[key].get(inner).is_some(), "`{key}.{inner}` is in the example");
        }
        assert!(shown.get(key).is_some(), "`{key}` is in the example");
    }
}

#[test]
fn policies_of_the_help_pages_are_policies() {
    let pages = std::fs::read_dir("../prowess-cli/help").expect("the pages are there");
    let pages = pages.map(|page| std::fs::read_to_string(page.expect("an entry").path()));
    let pages: Vec<_> = pages.map(|page| page.expect("a page is text")).collect();
    let examples = pages.iter().flat_map(|page| page.split("```yaml\n").skip(1));
    let examples = examples.filter_map(|rest| rest.split("```").next());
    let read: Vec<_> = examples.map(|text| Policies::from_yaml(text).expect(text)).collect();
    assert!(read.len() >= 5, "the pages have examples");
    assert!(read.iter().any(|policies| policies.discovery.client.as_str() == "acme"));
}

#[test]
fn schema_accepts_what_is_read_and_refuses_the_rest() {
    let schema = Configuration::schema();
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let json = |text: &str| -> Value { serde_yaml::from_str(text).expect("it is YAML") };
    assert!(validator.is_valid(&json(&documented())), "the documented file is valid");
    let defaults = serde_json::to_value(Policies::default()).expect("policies are data");
    let error = validator.iter_errors(&defaults).next().map(|error| error.to_string());
    assert_eq!(error, None, "the defaults are valid");
    for name in Policies::presets() {
        let preset = Policies::preset(name).expect("it is a preset");
        let value = serde_json::to_value(preset).expect("policies are data");
        assert!(validator.is_valid(&value), "`{name}` is valid");
    }
    for [wrong, _] in wrong().filter(|[wrong, _]| wrong != "a: [b\n") {
        assert!(!validator.is_valid(&json(&wrong)), "the schema refuses `{wrong}`, too");
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
    let template = Configuration::template(ConfigTier::Advanced);
    assert_eq!(Policies::from_yaml(&template).expect("it is YAML"), Policies::default());
    assert_eq!(template.contains("#shell:"), cfg!(feature = "virtual-shell"));
    for line in documented().lines().filter(|line| !line.is_empty()) {
        let is_comment = line.trim_start().starts_with('#');
        let line = if is_comment { line.to_owned() } else { format!("#{line}") };
        assert!(template.lines().any(|written| written == line), "`{line}` is in the template");
    }
}

/// Returns a template with every key set.
fn uncommented(tier: ConfigTier) -> Value {
    let template = Configuration::template(tier);
    let lines = template.lines().map(|line| {
        let key = line.strip_prefix('#').filter(|key| EXAMPLE.lines().any(|line| line == *key));
        key.unwrap_or(line)
    });
    let text: Vec<_> = lines.collect();
    serde_yaml::from_str(&text.join("\n")).expect("it is YAML")
}

#[test]
fn common_template_has_the_common_keys_alone() {
    let common = uncommented(ConfigTier::Common);
    assert_eq!(
        uncommented(ConfigTier::Advanced),
        serde_yaml::from_str::<Value>(&documented()).unwrap()
    );
    for value in read(&[]).values() {
        let pointer = format!("/{}", value.key.replace('.', "/"));
        let is_common = value.tier == ConfigTier::Common;
        assert_eq!(
            common.pointer(&pointer).is_some(),
            is_common,
            "`{}` {:?}",
            value.key,
            value.tier
        );
    }
}

/// Returns the keys of a schema that have no keys below them, each with its schema.
fn leaves<'s>(schema: &'s Value, key: &str, found: &mut Vec<(String, &'s Value)>) {
    let inside = ["/properties", "/items/properties", "/additionalProperties/properties"];
    match inside.iter().find_map(|pointer| schema.pointer(pointer)?.as_object()) {
        Some(keys) => {
            for (name, schema) in keys {
                leaves(schema, &format!("{key}.{name}"), found);
            }
        }
        None => found.push((key.trim_start_matches('.').to_owned(), schema)),
    }
}

/// Returns a valid value of a key that is not its default.
fn other_value(key: &str, schema: &Value) -> Value {
    if let Some([_, value]) = rows(TABLES, "").find(|[special, _]| special == key) {
        return serde_json::from_str(&value).expect("JSON");
    }
    let default = &schema["default"];
    if let Some(words) = schema["enum"].as_array() {
        return words
            .iter()
            .rev()
            .find(|word| *word != default)
            .expect("there is another word")
            .clone();
    }
    let kinds = &schema["type"];
    let is = |kind: &str| {
        kinds == kind || kinds.as_array().is_some_and(|all| all.contains(&json!(kind)))
    };
    if is("boolean") {
        json!(!default.as_bool().unwrap_or_default())
    } else if is("integer") {
        json!(default.as_u64().unwrap_or_default() + 1)
    } else if is("array") {
        json!(["x"])
    } else if is("object") {
        json!({ "x": "x" })
    } else {
        json!("x")
    }
}

/// A key that changes no policy has no effect.
#[test]
fn each_key_changes_the_policies() {
    let schema = Configuration::schema();
    let mut keys = Vec::new();
    leaves(&schema, "", &mut keys);
    assert!(keys.len() > 100, "{} keys were checked", keys.len());
    for (key, schema) in keys {
        assert!(schema["x-tier"].is_string(), "`{key}` has a tier");
        let value = other_value(&key, schema);
        // The keys of entries and items are set with what such a one needs.
        let (above, name) = key.rsplit_once('.').unwrap_or_default();
        let set = match rows(TABLES, "above").find(|[known, _]| known == above) {
            Some([_, text]) => {
                file(&text.replace("NAME", name).replace("VALUE", &value.to_string()))
            }
            None => option(&key, &value.to_string()),
        };
        let set = read(&[set]);
        let is_changed = *set.policies() != Policies::default();
        assert!(is_changed, "`{key}: {value}` changes a policy");
    }
}

#[test]
fn home_is_expanded_in_each_path() {
    let text = include_str!("../data/homes.txt");
    let mut policies = read(&[file(text)]).into_policies();
    policies.expand_home(&Surroundings::new(None, None));
    let written = serde_json::to_string(&policies).expect("policies are data");
    assert_eq!(written.matches("~/it").count(), text.matches("~/it").count(), "no home: {written}");
    policies.expand_home(&Surroundings::new(Some("/home/ann".into()), None));
    let expanded = serde_json::to_string(&policies).expect("policies are data");
    assert_eq!(expanded, written.replace("~/it", "/home/ann/it"));
    let mut policies = Policies::preset("yodoca").expect("it is a preset");
    policies.expand_home(&Surroundings::new(None, Some("/no/such/project".into())));
    let directory = "/no/such/project/sandbox/data/skill_registry/proposals";
    assert_eq!(policies.proposals.directory.as_deref(), Some(Path::new(directory)));
}

#[test]
fn directory_of_proposals_starts_at_the_file_that_names_it() {
    let proposals = "proposals: { directory: it }\n";
    let text = ConfigPart::text(Origin::Text, proposals);
    for (parts, expected) in [
        (vec![file(proposals)], "/etc/it"),
        (vec![file("proposals: { directory: ../it }\n")], "/etc/../it"),
        (vec![file("proposals: { directory: /it }\n")], "/it"),
        (vec![file("proposals: { directory: ~/it }\n")], "~/it"),
        (vec![file(proposals), file("session: { max_active: 2 }\n")], "/etc/it"),
        (vec![file("proposals: {}\n"), text], "it"),
        (vec![file(proposals), option("proposals.directory", "there")], "there"),
    ] {
        let directory = read(&parts).into_policies().proposals.directory;
        assert_eq!(directory, Some(PathBuf::from(expected)));
    }
}
