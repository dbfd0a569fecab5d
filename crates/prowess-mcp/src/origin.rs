//! What a client says about itself: for the audit its name, its model and its task, and the tools
//! and the discipline that it asks for. None of it widens a right.

use prowess::session::Discipline;
use prowess::text::{clipped, quoted};
use prowess::tools::Surface;
use prowess::{CallOrigin, Policies};
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;

/// The prefix of the keys of `_meta`. In HTTP, headers with a dash in its place say the same.
const PREFIX: &str = "prowess";

/// The maximum length of each name, in bytes.
const MOST_BYTES: usize = 128;

/// A client, as its requests describe it.
#[derive(Clone, Default)]
pub(crate) struct Client {
    pub(crate) origin: CallOrigin,
    /// The surfaces that it sees; all if it names none.
    pub(crate) surfaces: Vec<Surface>,
    /// How skills become active in its session; `None` for the policy.
    pub(crate) discipline: Option<Discipline>,
}

impl Client {
    /// Returns the client with its version as the agent, and what else it names in this request.
    /// A tenant is left out: approvals are bound to it, so no client may choose one.
    ///
    /// # Errors
    ///
    /// It asks for a surface that the policies do not have, or for an unknown discipline.
    pub(crate) fn of(
        context: &RequestContext<RoleServer>,
        policies: &Policies,
    ) -> Result<Self, ErrorData> {
        let agent =
            context.client_info().map(|client| format!("{} {}", client.name, client.version));
        let origin = CallOrigin {
            agent: agent.map(|agent| clipped(agent.trim(), MOST_BYTES)),
            model: named(context, "model"),
            task: named(context, "task"),
            ..CallOrigin::default()
        };
        let surfaces = named(context, "surfaces").unwrap_or_default();
        let wanted = surfaces.split(',').map(str::trim).filter(|name| !name.is_empty());
        let known = &policies.tools.surfaces;
        let surface = |name: &str| {
            let surface = parsed(name).filter(|surface| known.contains(surface));
            surface.ok_or_else(|| unknown("surface", name, "of `tools.surfaces`"))
        };
        let surfaces = wanted.map(surface).collect::<Result<_, _>>()?;
        let discipline = named(context, "discipline").map(|name| {
            let help = "of `set`, `stack` and `stateless`";
            parsed(&name).ok_or_else(|| unknown("discipline", &name, help))
        });
        Ok(Self { origin, surfaces, discipline: discipline.transpose()? })
    }

    /// Adds what a later request says. What it leaves out stays.
    pub(crate) fn update(&mut self, newer: Self) {
        let Self { origin, surfaces, discipline } = newer;
        let known = &mut self.origin;
        for (known, newer) in [
            (&mut known.agent, origin.agent),
            (&mut known.model, origin.model),
            (&mut known.task, origin.task),
        ] {
            *known = newer.or(known.take());
        }
        if !surfaces.is_empty() {
            self.surfaces = surfaces;
        }
        self.discipline = discipline.or(self.discipline);
    }
}

/// Returns the text that a request has under a name, in `_meta` or else in a header.
fn named(context: &RequestContext<RoleServer>, name: &str) -> Option<String> {
    let text = context.meta.get(&format!("{PREFIX}/{name}")).and_then(|value| value.as_str());
    let text = text.map(str::to_owned).or_else(|| header(context, &format!("{PREFIX}-{name}")));
    text.filter(|text| !text.is_empty()).map(|text| clipped(&text, MOST_BYTES))
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

fn parsed<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(name.into()).ok()
}

fn unknown(what: &str, name: &str, help: &str) -> ErrorData {
    let message = format!("there is no {what} {}: name one {help}", quoted(name));
    ErrorData::invalid_params(message, None)
}
