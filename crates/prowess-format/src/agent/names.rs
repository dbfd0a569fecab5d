//! The names that a manifest refers to.

use super::{AgentManifest, codes};
use crate::spelling::nearest_of;
use crate::{Code, Diagnostic, Severity, for_message};

/// The names that manifests may refer to.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownNames<'n> {
    /// The tools of the runtime and of its host.
    pub tools: &'n [&'n str],
    /// The ids of the skills.
    pub skills: &'n [&'n str],
    /// What the host can start before an agent: services, and other agents.
    pub services: &'n [&'n str],
}

/// Returns a warning for each name in `uses_tools`, `uses_skills` and `depends_on` that is unknown,
/// in the order of the manifest.
///
/// ```
/// use prowess_format::agent::{KnownNames, parse, unknown_names};
///
/// let text = "id: builder\nagent:\n  uses_tools: [web_serch]\n";
/// let manifest = parse(text.as_bytes()).manifest.expect("the manifest has no error");
/// let known = KnownNames { tools: &["web_search"], ..KnownNames::default() };
/// let found = unknown_names(&manifest, &known);
/// assert_eq!(found[0].message, "agent `builder` uses the tool `web_serch`, which does not exist");
/// assert_eq!(found[0].help, "did you mean `web_search`?");
/// ```
pub fn unknown_names(manifest: &AgentManifest, known: &KnownNames<'_>) -> Vec<Diagnostic> {
    let references = [
        (codes::AGENT_TOOL_UNKNOWN, "uses the tool", &manifest.uses_tools, known.tools),
        (codes::AGENT_SKILL_UNKNOWN, "uses the skill", &manifest.uses_skills, known.skills),
        (codes::AGENT_SERVICE_UNKNOWN, "depends on", &manifest.depends_on, known.services),
    ];
    let unknown = references.into_iter().flat_map(|(code, verb, names, known)| {
        let names = names.iter().filter(move |name| !known.contains(&name.as_str()));
        names.map(move |name| finding(code.clone(), &manifest.id, verb, name, known))
    });
    unknown.collect()
}

fn finding(code: Code, agent: &str, verb: &str, name: &str, known: &[&str]) -> Diagnostic {
    let message = format!(
        "agent `{}` {verb} `{}`, which does not exist",
        for_message(agent),
        for_message(name)
    );
    let help = match nearest_of(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "remove the name, or add what it names to the host".to_owned(),
    };
    Diagnostic::new(code, Severity::Warning, message, help)
}
