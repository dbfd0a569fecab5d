//! The description of a client by its requests: for the audit its name, its model and its task, and
//! the tools, the discipline and the kind of host that it asks for. None of it widens a right.

use prowess::gating::ToolSemantics;
use prowess::session::Discipline;
use prowess::text::{clipped, quoted};
use prowess::tools::{HookPolicy, ReadGate, ScriptRead};
use prowess::{CallOrigin, ClientPolicy, Policies};
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The prefix of the keys of `_meta`. In HTTP, headers with a dash in its place say the same.
const PREFIX: &str = "prowess";

/// The key of `_meta` under which a client says that it runs skills in conversations of their own,
/// and under which a result names such a conversation.
pub(crate) const FORK_KEY: &str = "prowess/fork";

/// The key of `_meta` under which a client passes the user's message with the first call for it.
pub(crate) const MESSAGE_KEY: &str = "prowess/message";

/// The code of a discipline that a client may not choose.
const DISCIPLINE: &str = "discipline-not-allowed";

/// The maximum length of each name, in bytes.
const MOST_BYTES: usize = 128;

/// A client, as its requests describe it.
#[derive(Clone, Default)]
pub(crate) struct Client {
    pub(crate) origin: CallOrigin,
    /// The choices of its requests, or else those of the policy for its name.
    pub(crate) policy: ClientPolicy,
    /// Whether it runs skills in conversations of their own.
    pub(crate) forks: Option<bool>,
    /// Whether the request says which task it is for; an empty name is none.
    names_task: bool,
    /// Whose task has ended, until its skills are unloaded.
    pub(crate) ended: Option<CallOrigin>,
}

impl Client {
    /// Returns the client with its version as the agent, and what else it names in this request.
    /// The tenant is that of the policies: approvals are bound to it, so no client may choose one.
    ///
    /// # Errors
    ///
    /// It asks for a surface that the policies do not have, for an unknown discipline or host, or
    /// for a discipline under which the operator's limits would mean less; a value is of another
    /// type, or too long.
    pub(crate) fn of(
        context: &RequestContext<RoleServer>,
        policies: &Policies,
    ) -> Result<Self, ErrorData> {
        let client =
            || context.client_info().map(|client| format!("{} {}", client.name, client.version));
        let agent = policies.audience.agent.clone().or_else(client);
        let origin = CallOrigin {
            agent: agent.map(|agent| clipped(agent.trim(), MOST_BYTES)),
            model: named(context, "model")?,
            task: named(context, "task")?,
            tenant: policies.audience.tenant.clone(),
            ..CallOrigin::default()
        };
        let surfaces = named(context, "surfaces")?.unwrap_or_default();
        let wanted = surfaces.split(',').map(str::trim).filter(|name| !name.is_empty());
        let known = &policies.tools.surfaces;
        let surface = |name: &str| {
            let surface = parsed(name).filter(|surface| known.contains(surface));
            surface.ok_or_else(|| unknown("surface", name, "of `tools.surfaces`"))
        };
        let surfaces = wanted.map(surface).collect::<Result<_, _>>()?;
        let discipline = chosen(context, "discipline", "of `set`, `stack` and `stateless`")?;
        discipline.map_or(Ok(()), |wanted| check_discipline(wanted, policies))?;
        let host = chosen(context, "host", "of `own` and `foreign`")?;
        let names_task = said(context, "task")?.is_some();
        let forks = match context.meta.get(FORK_KEY) {
            None | Some(Value::Null) => None,
            Some(Value::Bool(forks)) => Some(*forks),
            Some(_) => return Err(invalid(format!("`{FORK_KEY}` is true or false"))),
        };
        if !matches!(context.meta.get(MESSAGE_KEY), None | Some(Value::Null | Value::String(_))) {
            return Err(invalid(format!("`{MESSAGE_KEY}` is a text")));
        }
        let policy = ClientPolicy { surfaces, discipline, host };
        Ok(Self { origin, policy, forks, names_task, ended: None })
    }

    /// Returns a copy, whose ended task is taken from this one.
    pub(crate) fn taken(&mut self) -> Self {
        let ended = self.ended.take();
        Self { ended, ..self.clone() }
    }

    /// Adds what a later request says. What it leaves out stays, and what none has said is `named`,
    /// the policy of its name. A task ends when another one is named, or none.
    pub(crate) fn update(&mut self, newer: Self, named: Option<&ClientPolicy>) {
        let Self { origin, policy, forks, names_task, .. } = newer;
        self.forks = forks.or(self.forks);
        if names_task && self.origin.task != origin.task {
            let has_ended = self.origin.task.is_some();
            self.ended = self.ended.take().or_else(|| has_ended.then(|| self.origin.clone()));
            self.origin.task = origin.task;
        }
        let known = &mut self.origin;
        known.agent = origin.agent.or(known.agent.take());
        known.tenant = origin.tenant;
        known.model = origin.model.or(known.model.take());
        let known = std::mem::replace(&mut self.policy, policy);
        for lower in [Some(&known), named].into_iter().flatten() {
            let ClientPolicy { surfaces, discipline, host } = &mut self.policy;
            if surfaces.is_empty() {
                surfaces.clone_from(&lower.surfaces);
            }
            *discipline = discipline.or(lower.discipline);
            *host = host.or(lower.host);
        }
    }
}

/// Returns the text that a request has under a name, unless it is empty.
fn named(context: &RequestContext<RoleServer>, name: &str) -> Result<Option<String>, ErrorData> {
    Ok(said(context, name)?.filter(|text| !text.is_empty()))
}

/// Returns the text that a request has under a name, in `_meta` or else in a header. A part of a
/// name would be another one's name, so a long one is an error.
fn said(context: &RequestContext<RoleServer>, name: &str) -> Result<Option<String>, ErrorData> {
    let key = format!("{PREFIX}/{name}");
    let text = match context.meta.get(&key) {
        None | Some(Value::Null) => header(context, &format!("{PREFIX}-{name}")),
        Some(Value::String(text)) => Some(text.trim().to_owned()),
        Some(_) => return Err(invalid(format!("`{key}` is a text"))),
    };
    match text {
        Some(text) if text.len() > MOST_BYTES => {
            Err(invalid(format!("`{key}` has more than {MOST_BYTES} bytes")))
        }
        text => Ok(text),
    }
}

#[cfg(feature = "http")]
fn header(context: &RequestContext<RoleServer>, name: &str) -> Option<String> {
    let parts = context.extensions.get::<hyper::http::request::Parts>()?;
    Some(parts.headers.get(name)?.to_str().ok()?.trim().to_owned())
}

#[cfg(not(feature = "http"))]
fn header(_: &RequestContext<RoleServer>, _: &str) -> Option<String> {
    None
}

/// Returns what a request chooses under a name.
fn chosen<T: DeserializeOwned>(
    context: &RequestContext<RoleServer>,
    what: &str,
    help: &str,
) -> Result<Option<T>, ErrorData> {
    let name = named(context, what)?;
    name.map(|name| parsed(&name).ok_or_else(|| unknown(what, &name, help))).transpose()
}

/// Refuses a discipline by which a client would leave the operator's limits that hold while skills
/// are active: those of a stack go in its order alone, and a stateless session has none.
fn check_discipline(wanted: Discipline, policies: &Policies) -> Result<(), ErrorData> {
    let strength = |discipline| match discipline {
        Discipline::Stateless => 0,
        Discipline::Set => 1,
        Discipline::Stack => 2,
    };
    let Policies { gate, tools, session, .. } = policies;
    let limits = [
        (gate.tool_semantics == ToolSemantics::Restrict, "gate.tool_semantics"),
        (tools.script_read == ScriptRead::BlockWhenActive, "tools.script_read"),
        (tools.hooks == HookPolicy::Run, "tools.hooks"),
        (tools.read_gate == Some(ReadGate::Active), "tools.read_gate"),
    ];
    let limit = limits.into_iter().find(|(is_set, _)| *is_set);
    match limit.filter(|_| strength(wanted) < strength(session.discipline)) {
        None => Ok(()),
        Some((_, key)) => {
            let message = format!(
                "a client may not choose this discipline, since `{key}` holds for active skills: \
                 leave it out"
            );
            Err(ErrorData::invalid_params(message, Some(json!({ "code": DISCIPLINE }))))
        }
    }
}

fn parsed<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(name.into()).ok()
}

fn unknown(what: &str, name: &str, help: &str) -> ErrorData {
    invalid(format!("there is no {what} {}: name one {help}", quoted(name)))
}

fn invalid(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}
