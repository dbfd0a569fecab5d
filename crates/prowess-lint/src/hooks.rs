//! The scripts that a frontmatter wants to be run before and after the skill, and at events.

use std::ops::Range;

use prowess_core::{Diagnostic, HookCommand, ResourcePath, Severity};
use prowess_format::{Document, Extensions, Field, Mapping, Profile, Rules, Value, for_message};

use crate::codes;
use crate::findings::Findings;
use crate::links::exists;
use crate::package::Package;

/// The extension that names scripts of the package in `hooks`, and the keys that it has there.
const SCRIPTS: &str = "omniforge";
const KEYS: [&str; 2] = ["pre", "post"];
/// The extension that has lists of commands by the event.
const EVENTS: &str = "claude-code";

/// A script that a hook names.
struct Named<'d> {
    hook: &'d str,
    path: ResourcePath,
    /// The path as it is written, or the command.
    text: &'d str,
    span: Range<usize>,
}

/// Looks for the scripts, where the profile knows the field.
pub(crate) fn check(package: &Package<'_>, profile: Profile, findings: &mut Findings<'_>) {
    let fields = &package.document.frontmatter.fields;
    let extensions = Rules::of(profile).extensions;
    let hooks = |extension| extensions.value(fields, extension, "hooks").and_then(Value::as_map);
    let scripts = hooks(SCRIPTS).into_iter().flat_map(scripts);
    // Hooks run by the policy of the host, whatever a profile knows.
    let is_parity = profile == Profile::SkillsRef;
    if !is_parity {
        findings.extend(hooks_of_a_shell(package.text, package.document));
    }
    let commands = commands_of(fields).filter(|_| !is_parity);
    for named in scripts.chain(commands.filter_map(script)) {
        if exists(&named.path, package) {
            continue;
        }
        let message = format!(
            "the hook `{}` names `{}`, which does not exist",
            named.hook,
            for_message(named.text)
        );
        findings.at(codes::HOOK_MISSING, named.span, message, "add the script, or remove the hook");
    }
}

/// Returns a warning for each hook whose command needs a shell or leaves the package, so that the
/// skill cannot be loaded where hooks run.
pub fn hooks_of_a_shell(text: &[u8], document: &Document<'_>) -> Vec<Diagnostic> {
    let found = commands_of(&document.frontmatter.fields).filter_map(|(hook, field)| {
        let reason = HookCommand::parse(field.value.as_text().unwrap_or_default()).err()?;
        let message =
            format!("where hooks run, the skill is not loaded: its hook `{hook}` {reason}");
        let help = "name a script of the package and literal arguments, which need no shell";
        let found = Diagnostic::new(codes::HOOK_NEEDS_SHELL, Severity::Warning, message, help);
        Some(found.at(text, field.value_span.clone()))
    });
    found.collect()
}

/// Returns the commands of every event.
fn commands_of(fields: &Mapping) -> impl Iterator<Item = (&str, &Field)> {
    let events = Extensions::standard().value(fields, EVENTS, "hooks").and_then(Value::as_map);
    events.into_iter().flat_map(|events| &events.0).flat_map(commands)
}

/// Returns the scripts that are named by their paths. A path that leaves the package is reported
/// when the file is read.
fn scripts(hooks: &Mapping) -> impl Iterator<Item = Named<'_>> {
    KEYS.into_iter().filter_map(|key| {
        let field = hooks.get(key)?;
        let text = field.value.as_text()?;
        let path = ResourcePath::new(text).ok()?;
        Some(Named { hook: &field.key, path, text, span: field.value_span.clone() })
    })
}

/// Returns the commands of an event, each with the event's name.
fn commands(event: &Field) -> impl Iterator<Item = (&str, &Field)> {
    let matchers = list(&event.value).iter().filter_map(Value::as_map);
    let handlers = matchers.filter_map(|matcher| matcher.get("hooks"));
    let handlers = handlers.flat_map(|handlers| list(&handlers.value)).filter_map(Value::as_map);
    let commands = handlers.filter(|handler| is_command(handler));
    commands.filter_map(|handler| Some((event.key.as_str(), handler.get("command")?)))
}

/// Returns the script of a command that needs no shell.
fn script<'d>((hook, field): (&'d str, &'d Field)) -> Option<Named<'d>> {
    let text = field.value.as_text()?;
    let path = HookCommand::parse(text).ok()?.path;
    let is_file = path.as_str().contains(['/', '.']);
    is_file.then(|| Named { hook, path, text, span: field.value_span.clone() })
}

fn is_command(handler: &Mapping) -> bool {
    handler.get("type").and_then(|kind| kind.value.as_text()) == Some("command")
}

fn list(value: &Value) -> &[Value] {
    match value {
        Value::List(values) => values,
        _ => &[],
    }
}
