//! Configuration, errors and the fake host.

use prowess_core::{Clock, MemorySource, SkillSource, Timestamp};
use prowess_plugin_sdk::testing::{FakeHost, assert_schema};
use prowess_plugin_sdk::{Error, ErrorKind, Host, Level, Plugin, Registration};
use prowess_testkit::ScanRecorder;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    name: String,
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    text: String,
}

struct Notes;

impl Plugin for Notes {
    type Config = Config;

    fn init(host: Host, config: Config) -> Result<Registration, Error> {
        if config.name.is_empty() {
            return Err(Error::config("`name` is empty; name the source"));
        }
        host.log(Level::Info, "notes", &format!("{} files", config.files.len()));
        let source = MemorySource::builder(&config.name);
        let add = |source: prowess_core::MemorySourceBuilder, file: &File| {
            source.file(&file.path, &file.text)
        };
        Ok(Registration::new().source(config.files.iter().fold(source, add).build()?))
    }
}

/// A plugin that takes this and offers nothing.
struct Takes<T>(std::marker::PhantomData<T>);

impl<T: serde::de::DeserializeOwned + 'static> Plugin for Takes<T> {
    type Config = T;

    fn init(_: Host, _: T) -> Result<Registration, Error> {
        Ok(Registration::new())
    }
}

#[derive(Deserialize)]
struct AllOptional {
    #[serde(default)]
    #[expect(dead_code, reason = "only read")]
    name: String,
}

fn refusal<P: Plugin>(config: &Value) -> Error {
    let refused = FakeHost::default().init::<P>(config);
    refused.err().expect("the configuration is refused")
}

#[test]
fn an_instance_offers_what_its_configuration_says() {
    let host = FakeHost::default();
    let config = json!({"name": "notes", "files": [{"path": "pdf/SKILL.md", "text": "text"}]});
    let instance = host.init::<Notes>(&config).expect("the configuration fits");
    let source: &dyn SkillSource = &*instance.sources()[0];
    let scan = ScanRecorder::scan(source).expect("a source in memory can be scanned");
    assert_eq!(scan.packages(), ["pdf"]);
    assert_eq!(host.log_lines(), ["info notes: 1 files"]);
    assert!(instance.tool_providers().is_empty(), "it offers no tools");
}

#[test]
fn what_does_not_fit_is_named() {
    let cases = [
        (json!({"name": 7}), "field `name` does not fit: invalid type: integer `7`"),
        (json!({"name": "a", "files": [{"path": "b"}]}), "field `files[0]` does not fit: missing"),
        (json!({"nam": "a"}), "unknown field `nam`, expected"),
        (json!({}), "the configuration does not fit: missing field `name`"),
        (Value::Null, "the configuration does not fit: missing field `name`"),
        (json!(["notes"]), "the configuration does not fit: it is a list, not an object"),
        (json!({"name": ""}), "`name` is empty; name the source"),
    ];
    for (config, part) in cases {
        let error = refusal::<Notes>(&config);
        assert!(error.message.contains(part), "`{error}` has `{part}`");
        assert!(!error.message.contains(" line "), "`{error}` names no place in a text");
        assert_eq!(error.kind, ErrorKind::Config, "trying again does not help");
    }
}

#[test]
fn a_list_is_taken_where_one_is_asked_for() {
    let instance = FakeHost::default().init::<Takes<Vec<String>>>(&json!(["notes"]));
    assert!(instance.is_ok(), "a type that is a list reads a list");
}

#[test]
fn no_configuration_is_one_that_asks_for_nothing() {
    let host = FakeHost::default();
    for config in [Value::Null, json!({})] {
        let instance = host.init::<Takes<AllOptional>>(&config);
        assert!(instance.is_ok(), "fields that have defaults need not be there");
    }
    assert!(host.init::<Takes<()>>(&Value::Null).is_ok(), "nothing is asked for");
    assert!(host.init::<Takes<Option<u8>>>(&Value::Null).is_ok(), "nothing has to be given");
}

#[derive(Debug)]
struct Outer(std::num::ParseIntError);

impl std::fmt::Display for Outer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the port cannot be read")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn the_causes_of_an_error_are_part_of_its_sentence() {
    let cause = "x".parse::<u16>().expect_err("this is no number");
    let error = Error::from(Outer(cause));
    assert_eq!(error.message, "the port cannot be read: invalid digit found in string");
    assert_eq!(error.kind, ErrorKind::Internal);
}

#[test]
fn the_fake_host_keeps_its_calls() {
    let fake = FakeHost::default();
    let host = fake.host();
    assert_eq!(host.now(), Timestamp(0), "its clock stands");
    fake.advance(1_500);
    assert_eq!((host.now(), host.elapsed().as_millis()), (Timestamp(1_500), 1_500));
    host.emit("synced", &json!({"skills": 3}));
    assert_eq!(fake.events(), [("synced".to_owned(), json!({"skills": 3}))]);
    assert!(!host.has_feature("anything"), "it has no features");
}

#[test]
fn a_schema_is_compared_by_what_it_says() {
    let declared = r#"{"type":"object","required":["name"]}"#;
    assert_schema(declared, &json!({"required": ["name"], "type": "object"}));
    let differs = std::panic::catch_unwind(|| assert_schema(declared, &json!({"type": "object"})));
    assert!(differs.is_err(), "another schema is not the type's");
}
