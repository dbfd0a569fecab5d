//! Answers to loads: where a body is, and why a skill is not loaded.

use std::sync::{Arc, Mutex};

use prowess_core::{
    ActiveSkill, Availability, BodyPlace, Catalog, CatalogBuilder, DeliveryPolicy, LedgerEntry,
    LoadMode, LoadOutcome, LoadRequest, Receipt, RecordIndex, Session, SessionError, SessionId,
    SessionState, ShowLocation, SkillError, SourceErrorKind, ToolCall, ToolContext, Unload,
};
use prowess_format::{Profile, Rules};
use prowess_tools::{Dispatched, RequiresMode, Surface, ToolHost, ToolPolicy};
use serde_json::{Value, json};

use crate::fixture::{
    Host, LocalSession, Setup, catalog_by, catalog_hiding_because, check_error, code, skill_md,
    text,
};

/// A session with a fixed answer to each load.
struct Fixed<'h> {
    inner: &'h LocalSession,
    /// The places of bodies that the context has; `None` refuses the load.
    places: Option<Vec<(&'static str, BodyPlace)>>,
    /// Set if the last load asked for bodies again.
    force: Mutex<Option<bool>>,
}

impl Session for Fixed<'_> {
    fn id(&self) -> &SessionId {
        self.inner.id()
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        self.inner.state()
    }

    fn load(&self, skills: &[Arc<ActiveSkill>], mode: LoadMode) -> Result<Receipt, SessionError> {
        self.inner.load(skills, mode)
    }

    fn activate(&self, request: &LoadRequest<'_>) -> Result<LoadOutcome, SessionError> {
        *self.force.lock().expect("no test panics here") = Some(request.force);
        let skill = &request.skills[0];
        let Some(places) = &self.places else {
            return Err(SessionError::AlreadyActive(skill.id.clone()));
        };
        let entry = |&(id, body): &(&str, BodyPlace)| LedgerEntry {
            id: id.to_owned(),
            digest: skill.digest,
            generation: 7,
            body,
        };
        let already_loaded = places.iter().map(entry).collect();
        let receipt = self.load(request.skills, request.mode)?;
        Ok(LoadOutcome { receipt, deliver: Vec::new(), already_loaded })
    }

    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        self.inner.unload(which)
    }
}

/// Calls a tool with a session that has these bodies. Returns whether it asked for them again, too.
fn call(
    host: &Host,
    places: Option<Vec<(&'static str, BodyPlace)>>,
    tool: &str,
    arguments: Value,
) -> (Dispatched, Option<bool>) {
    let session = Fixed { inner: &host.session, places, force: Mutex::default() };
    let context = ToolContext { session: &session, ..host.context() };
    let answer = host.toolbox.dispatch(&context, &ToolCall::new(tool, arguments));
    let force = *session.force.lock().expect("no test panics here");
    (answer, force)
}

#[test]
fn result_says_where_the_instructions_are() {
    let host = Host::by(ToolPolicy { surfaces: vec![Surface::Skill], ..ToolPolicy::default() });
    for (body, place) in [
        (Some(BodyPlace::ToolResult(1)), "The instructions are in an earlier result"),
        (Some(BodyPlace::Instructions), "The instructions are among yours"),
        (Some(BodyPlace::Gone), "The instructions are there from your next turn on."),
        (None, "The instructions are there from your next turn on."),
    ] {
        let mut places = vec![("beta", BodyPlace::Instructions)];
        places.extend(body.map(|body| ("alpha", body)));
        let (answer, _) = call(&host, Some(places), "skill", json!({ "skill_name": "alpha" }));
        let content = answer.result.structured.expect("the result is data")["content"].clone();
        let content = content.as_str().expect("it is a text").to_owned();
        assert!(content.starts_with(place), "{body:?}: {content}");
    }
}

#[test]
fn only_another_program_always_needs_the_bodies() {
    for (program, force) in [(ToolHost::Own, false), (ToolHost::Foreign, true)] {
        let host = Host::by(ToolPolicy { host: program, ..ToolPolicy::default() });
        let arguments = json!({ "names": ["alpha"] });
        let (_, asked) = call(&host, Some(Vec::new()), "skills_load", arguments);
        assert_eq!(asked, Some(force), "{program:?}");
        let schema = host.toolbox.definitions(&host.catalog).remove(0).input_schema;
        assert_eq!(schema["required"], json!(["names"]), "{program:?}");
    }
}

#[test]
fn refusal_of_an_active_skill_is_a_skill_error() {
    let host = Host::by(ToolPolicy::default());
    let (answer, _) = call(&host, None, "skills_load", json!({ "names": ["alpha"] }));
    assert_eq!(code(&answer), Some("already-active"));
    let error = answer.result.error.expect("hosts branch on it");
    assert!(matches!(*error, SkillError::Activation { skill, .. } if skill == "alpha"));
}

#[test]
fn reason_of_a_hidden_skill_is_shown_with_locations_only() {
    for (show_location, sentence) in [
        (ShowLocation::Absolute, "skill `alpha` cannot be loaded: it is in /x; go on without it"),
        (ShowLocation::None, "skill `alpha` cannot be loaded here; go on without it"),
    ] {
        let delivery = DeliveryPolicy { show_location, ..DeliveryPolicy::default() };
        let mut host = Host::new(Setup { delivery, ..Setup::default() });
        host.catalog = catalog_hiding_because(host.source.clone(), "alpha", "it is in /x");
        let answer = host.call("skills_load", json!({ "names": ["alpha"] }));
        check_error(&answer, "skill-hidden", sentence);
    }
}

/// Returns the same catalog with its first skill not ready.
fn without_first(catalog: &Catalog) -> Arc<Catalog> {
    let mut builder = CatalogBuilder::new(catalog.layers().to_vec(), catalog.sources().to_vec());
    builder.exclude(RecordIndex::new(0, 0), Availability::NotReady, "it needs `jq`");
    Arc::new(builder.finish(8))
}

#[test]
fn skill_that_is_not_ready_says_what_it_needs() {
    let delivery =
        DeliveryPolicy { show_location: ShowLocation::None, ..DeliveryPolicy::default() };
    let mut host = Host::new(Setup { delivery, ..Setup::default() });
    host.catalog = without_first(&host.catalog);
    let answer = host.call("skills_load", json!({ "names": ["alpha"] }));
    let sentence = "skill `alpha` cannot be loaded: it needs `jq`; go on without it";
    check_error(&answer, "skill-not-ready", sentence);
}

#[test]
fn skill_that_is_being_written_is_tried_again() {
    let host = Host::by(ToolPolicy::default());
    host.source.fail("alpha/SKILL.md", SourceErrorKind::Changing);
    let answer = host.call("skills_load", json!({ "names": ["alpha"] }));
    let sentence = "the `SKILL.md` of skill `alpha` is being written to; nothing was loaded, try \
                    again in a moment";
    check_error(&answer, "skill-changing", sentence);
}

#[test]
fn errors_of_a_broken_file_are_named_and_then_counted() {
    let mut host = Host::by(ToolPolicy::default());
    // This profile has an error for each field that it does not know.
    host.catalog = catalog_by(host.source.clone(), &Rules::of(Profile::Spec));
    for (count, more) in [(3, None), (4, Some("and 1 more"))] {
        let unknown: String = (0..count).map(|number| format!("field-{number}: x\n")).collect();
        let file = format!("---\nname: alpha\ndescription: It.\n{unknown}---\nBody\n");
        host.source.change("alpha/SKILL.md", file);
        let message = text(&host.call("skills_load", json!({ "names": ["alpha"] })));
        assert_eq!(message.matches("error[").count(), 3, "{message}");
        assert_eq!(message.contains(" more"), more.is_some(), "{message}");
        assert!(more.is_none_or(|more| message.contains(more)), "{message}");
    }
}

#[test]
fn skills_that_require_each_other_are_not_loaded() {
    let file = |name: &str, other: &str| {
        skill_md(name, "Body").replacen("---\n", &format!("---\nrequires: {other}\n"), 1)
    };
    let [one, two] = [file("one", "two"), file("two", "one")];
    let policy = ToolPolicy { requires: RequiresMode::AutoLoad, ..ToolPolicy::default() };
    let files: [(&str, &[u8]); 2] =
        [("one/SKILL.md", one.as_bytes()), ("two/SKILL.md", two.as_bytes())];
    let host = Host::with(Setup { policy, ..Setup::default() }, &files);
    let answer = host.call("skills_load", json!({ "names": ["one"] }));
    assert_eq!(code(&answer), Some("requirement-cycle"), "{}", text(&answer));
}
