//! Names, schemas and directories of a toolbox, and skills that a user chooses.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_core::{
    ActiveSkill, AuditPolicy, Catalog, LoadMode, Session, Tool, ToolContext, ToolDefinition,
    ToolResult,
};
use prowess_tools::{NameStyle, ToolNaming, completions, explicit_activation, skill_directories};
use serde_json::{Value, json};

use crate::fixture::{Host, Setup, catalog_hiding, text};

#[test]
fn names_are_canonical_and_spelled() {
    let host = Host::new(Setup { names: NameStyle::Dash, ..Setup::default() });
    assert_eq!(host.toolbox.naming(), ToolNaming::new(NameStyle::Dash));
    let names = host.toolbox.names();
    for name in ["skills.load", "skills-load", "skills.read", "skills-read"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    assert!(names.is_sorted());
    let shown = format!("{:?}", host.toolbox);
    assert!(shown.contains(r#""skills.load""#), "{shown}");
    let host = Host::new(Setup { audit_policy: AuditPolicy::Required, ..Setup::default() });
    assert_eq!(format!("{:?}", host.toolbox.audit()), "CallAudit(Required)");
}

#[test]
fn directories_are_those_of_skills_on_disk() {
    let mut host = Host::new(Setup::default());
    host.done("skills_load", json!({ "names": ["alpha", "beta"] }));
    let active = host.session.state().expect("the session is open").active;
    let on_disk = active.iter().map(|skill| {
        let root_dir = format!("/skills/{}", skill.id);
        Arc::new(ActiveSkill { root_dir, ..ActiveSkill::clone(skill) })
    });
    let on_disk: Vec<_> = on_disk.collect();
    let directories = |host: &Host| {
        let state = host.session.state().expect("the session is open");
        let directories = skill_directories(&host.catalog, &state);
        directories.iter().map(|&directory| directory.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(directories(&host), [""; 0], "a skill in memory has no directory");
    host.session.load(&on_disk, LoadMode::Replace).expect("there is room");
    assert_eq!(directories(&host), ["/skills/alpha", "/skills/beta"]);
    host.catalog = catalog_hiding(host.source.clone(), 8, "alpha");
    assert_eq!(directories(&host), ["/skills/beta"], "a withdrawn skill is skipped");
}

/// A tool that lends one of two schemas, and returns its arguments.
struct Echo {
    schemas: [Value; 2],
    is_second: AtomicBool,
}

struct Lent(Arc<Echo>);

impl Tool for Lent {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "echo".to_owned(),
            description: "Returns its arguments. Use it in tests.".to_owned(),
            input_schema: self.accepts(catalog).into_owned(),
        }
    }

    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.0.schemas[usize::from(self.0.is_second.load(Ordering::Relaxed))])
    }

    fn call(&self, _context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        ToolResult::text(arguments.to_string())
    }
}

fn echo(schemas: [Value; 2]) -> (Arc<Echo>, Host) {
    let echo = Arc::new(Echo { schemas, is_second: AtomicBool::new(false) });
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Lent(echo.clone()))];
    (echo, Host::new(Setup { tools, ..Setup::default() }))
}

#[test]
fn arguments_are_checked_by_the_current_schema() {
    let schema = |kind: &str| json!({ "type": "object", "properties": { "a": { "type": kind } } });
    let (echo, host) = echo([schema("string"), schema("integer")]);
    host.done("echo", json!({ "a": "text" }));
    echo.is_second.store(true, Ordering::Relaxed);
    assert!(host.call("echo", json!({ "a": "text" })).result.is_error);
    host.done("echo", json!({ "a": 1 }));
}

#[test]
fn null_stays_where_the_schema_has_it() {
    let schema = json!({
        "type": "object",
        "properties": {
            "word": { "type": "string" },
            "either": { "type": ["integer", "null"] },
            "none": { "type": "null" },
        },
    });
    let (_, host) = echo([schema.clone(), schema]);
    let answer = host.done("echo", json!({ "word": null, "either": null, "none": null }));
    assert_eq!(text(&answer), r#"{"either":null,"none":null}"#);
}

/// Each kind of fault, by the validator for common keywords and by the general one.
#[test]
fn faults_are_the_same_by_each_validator() {
    let schema = |word: Value| {
        json!({
            "type": "object",
            "properties": {
                "word": word,
                "list": {
                    "type": "array",
                    "items": { "type": ["string", "null"] },
                    "minItems": 1,
                    "maxItems": 2,
                },
                "mode": { "enum": ["x", "y"] },
                "deep": { "type": "object", "properties": { "b": { "type": "string" } } },
            },
            "required": ["word"],
            "additionalProperties": false,
        })
    };
    let plain = schema(json!({ "type": "string" }));
    let general = schema(json!({ "type": "string", "pattern": "^a" }));
    for schema in [plain, general] {
        let (_, host) = echo([schema.clone(), schema]);
        for (arguments, fault) in [
            (json!({}), "`word` is missing"),
            (json!({ "word": 1 }), "`word` must be a string, not a number"),
            (json!({ "word": "a", "list": [] }), "`list` must have at least 1 item"),
            (json!({ "word": "a", "list": ["", "", ""] }), "`list` must have at most 2 items"),
            (
                json!({ "word": "a", "list": ["", 1] }),
                "`list[1]` must be null or a string, not a number",
            ),
            (json!({ "word": "a", "mode": "z" }), "`mode` must be `x` or `y`, not `z`"),
            (json!({ "word": "a", "deep": { "b": 1 } }), "`deep.b` must be a string, not a number"),
            (
                json!({ "word": "a", "more": 1 }),
                "there is no argument `more`, only `word`, `list`, `mode` and `deep`",
            ),
        ] {
            let answer = host.call("echo", arguments);
            let sentence = format!("`echo`: {fault}. Correct this and call again");
            let found = text(&answer).replace("a string or null", "null or a string");
            assert_eq!(found, sentence);
        }
        host.done("echo", json!({ "word": "a", "list": ["", null], "mode": "y" }));
    }
}

#[test]
fn message_that_begins_with_a_skill_chooses_it() {
    let host = Host::new(Setup::default());
    let typed = |message: &'static str| {
        let found = explicit_activation(&host.catalog, message);
        found.map(|activation| (activation.reference, activation.rest))
    };
    assert_eq!(typed("/alpha  do it "), Some(("alpha", "do it")));
    assert_eq!(typed(" $beta"), Some(("beta", "")));
    for message in ["alpha", "/etc/hosts", "$5", "/", "", "do /alpha"] {
        assert_eq!(typed(message), None, "{message:?} is only a message");
    }
}

#[test]
fn completions_ignore_case_and_have_a_limit() {
    let host = Host::new(Setup::default());
    let ids = |prefix: &str, limit: usize| -> Vec<String> {
        let found = completions(&host.catalog, prefix, limit);
        found.iter().map(|record| record.id().to_owned()).collect()
    };
    assert_eq!(ids("AL", 9), ["alpha"]);
    assert_eq!(ids("", 1), ["alpha"], "the first by id");
    assert_eq!(ids("zz", 9), [""; 0]);
}
