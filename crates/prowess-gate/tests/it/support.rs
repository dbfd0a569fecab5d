//! One call after another through the same function.

use std::cell::RefCell;
use std::collections::BTreeSet;

use prowess_core::{AllowedTools, Approval, Digest, SessionId, Timestamp, Trust};
use prowess_gate::{
    Consent, Decision, GateInput, GatePolicy, GatedSkill, GatedTool, HostFiles, ToolKind, decide,
};
use serde_json::{Value, json};

pub(crate) const SHELL: ToolKind<'static> =
    ToolKind::Shell { command: "command", harmless: &["description", "timeout"] };
pub(crate) const FILE: ToolKind<'static> = ToolKind::File { paths: &["path"] };

/// A skill with the id `skill-0`, `skill-1` and so on, by its position.
#[derive(Clone)]
pub(crate) struct Skill {
    pub(crate) tools: AllowedTools,
    pub(crate) trust: Trust,
    pub(crate) package: Option<Digest>,
}

pub(crate) fn trusted(rules: &str) -> Skill {
    let tools = AllowedTools::parse(rules).unwrap_or(AllowedTools::Rules(Vec::new()));
    Skill { tools, trust: Trust::Trusted, package: None }
}

pub(crate) fn unlisted() -> Skill {
    Skill { tools: AllowedTools::Absent, ..trusted("") }
}

impl Skill {
    pub(crate) fn of(self, trust: Trust) -> Self {
        Self { trust, ..self }
    }

    pub(crate) fn packaged(self, content: &str) -> Self {
        Self { package: Some(Digest::of(content.as_bytes())), ..self }
    }
}

/// A call with everything that a decision depends on.
pub(crate) struct Call {
    pub(crate) policy: GatePolicy,
    pub(crate) tool: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) kind: ToolKind<'static>,
    pub(crate) arguments: Value,
    pub(crate) skills: Vec<Skill>,
    pub(crate) approvals: Vec<Approval>,
    pub(crate) session: &'static str,
    pub(crate) tenant: Option<&'static str>,
    pub(crate) now: u64,
    /// The position of the skill that needs the consent of a person.
    pub(crate) consent: Option<usize>,
    pub(crate) files: Option<Links>,
}

/// Files of a host whose working directory is `/w`, as links and their targets.
#[derive(Clone, Debug)]
pub(crate) struct Links(pub(crate) &'static [(&'static str, &'static str)]);

impl HostFiles for Links {
    fn resolve(&self, path: &str) -> Option<String> {
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/w/{path}") };
        let mut parts = Vec::new();
        for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        let path = format!("/{}", parts.join("/"));
        let is_below = |link: &str| {
            path.strip_prefix(link).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self.0.iter().find_map(|(link, target)| Some((is_below(link)?, target))) {
            Some((_, &"?")) => None,
            Some((rest, target)) => self.resolve(&format!("{target}{rest}")),
            None => Some(path),
        }
    }

    fn has_root(&self, path: &str) -> bool {
        let roots = ["dev", "etc", "home", "proc", "secret", "skills", "tmp", "usr", "w", ""];
        roots.contains(&path.trim_matches('/').split('/').next().unwrap_or_default())
    }

    fn is_directory(&self, path: &str) -> bool {
        ["docs", "dist", "src"].contains(&path.trim_matches('/'))
    }

    fn exists(&self, path: &str) -> bool {
        ["a", "docs", "docs/a", "dist", "src"].contains(&path.trim_end_matches('/'))
    }

    fn entries(&self, directory: &str) -> Option<Vec<String>> {
        let links = self.0.iter().filter_map(|(link, _)| link.strip_prefix("/w/"));
        let names = links.chain(["docs", "dist", "src"]);
        let directory = directory.strip_prefix("/w/").unwrap_or(directory);
        let names = names.filter_map(|path| path.strip_prefix(directory));
        Some(names.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    fn program(&self, name: &str) -> Vec<String> {
        let path = if name.contains('/') { name.to_owned() } else { format!("/usr/bin/{name}") };
        self.resolve(&path).into_iter().collect()
    }
}

/// The same files, which one decision asks about each thing once.
#[derive(Debug)]
struct Once<'l>(&'l Links, RefCell<BTreeSet<String>>);

impl Once<'_> {
    fn ask(&self, kind: &str, about: &str) {
        let is_new = self.1.borrow_mut().insert(format!("{kind} {about}"));
        assert!(is_new, "a decision asks the host again about the {kind} `{about}`");
    }
}

impl HostFiles for Once<'_> {
    fn resolve(&self, path: &str) -> Option<String> {
        self.ask("path", path);
        self.0.resolve(path)
    }

    fn has_root(&self, path: &str) -> bool {
        self.ask("root", path);
        self.0.has_root(path)
    }

    fn is_directory(&self, path: &str) -> bool {
        self.ask("directory", path);
        self.0.is_directory(path)
    }

    fn exists(&self, path: &str) -> bool {
        self.ask("existing", path);
        self.0.exists(path)
    }

    fn entries(&self, directory: &str) -> Option<Vec<String>> {
        self.ask("entries", directory);
        self.0.entries(directory)
    }

    fn program(&self, name: &str) -> Vec<String> {
        self.ask("program", name);
        self.0.program(name)
    }
}

impl Call {
    pub(crate) fn new(tool: &'static str, kind: ToolKind<'static>, arguments: Value) -> Self {
        Self {
            policy: GatePolicy::default(),
            tool,
            aliases: &[],
            kind,
            arguments,
            skills: Vec::new(),
            approvals: Vec::new(),
            session: "session",
            tenant: None,
            now: 1_000,
            consent: None,
            files: None,
        }
    }

    pub(crate) fn with_skills(mut self, skills: &[Skill]) -> Self {
        self.skills = skills.to_vec();
        self
    }

    pub(crate) fn with_files(self, links: &'static [(&'static str, &'static str)]) -> Self {
        Self { files: Some(Links(links)), ..self }
    }

    pub(crate) fn with_policy(mut self, policy: &str) -> Self {
        self.policy = serde_json::from_str(policy).expect("a policy");
        self
    }

    pub(crate) fn decide(&self) -> Decision {
        let ids: Vec<_> = (0..self.skills.len()).map(|at| format!("skill-{at}")).collect();
        let locations: Vec<_> = ids.iter().map(|id| format!("/skills/{id}/SKILL.md")).collect();
        let skills: Vec<_> = self
            .skills
            .iter()
            .enumerate()
            .map(|(at, skill)| GatedSkill {
                id: &ids[at],
                location: &locations[at],
                trust: skill.trust,
                allowed_tools: &skill.tools,
                positions: &[],
                package: skill.package,
            })
            .collect();
        let files = self.files.as_ref().map(|files| Once(files, RefCell::default()));
        decide(&GateInput {
            policy: &self.policy,
            tool: GatedTool { name: self.tool, aliases: self.aliases, kind: self.kind },
            arguments: &self.arguments,
            files: files.as_ref().map(|files| files as _),
            skills: &skills,
            approvals: &self.approvals,
            session: &SessionId::new(self.session).expect("a valid id"),
            tenant: self.tenant,
            now: Timestamp(self.now),
            consent: self.consent.map(|at| Consent { skill: skills[at], reason: "it is a test" }),
        })
    }
}

/// A call of the shell tool `Bash`.
pub(crate) fn bash(command: &str) -> Call {
    Call::new("Bash", SHELL, json!({ "command": command }))
}

/// A call of the file tool `Read`.
pub(crate) fn read(path: &str) -> Call {
    Call::new("Read", FILE, json!({ "path": path }))
}

/// A call of a tool that declares nothing about its arguments.
pub(crate) fn by_name(tool: &'static str, arguments: Value) -> Call {
    Call::new(tool, ToolKind::by_name(tool, &arguments), arguments)
}

/// A call of a tool without arguments that patterns are about.
pub(crate) fn other(tool: &'static str) -> Call {
    Call::new(tool, ToolKind::Other, json!({}))
}

/// `allow`, `ask` or `deny`.
pub(crate) fn word(decision: &Decision) -> &'static str {
    match decision {
        Decision::Allow { .. } => "allow",
        Decision::Ask { .. } => "ask",
        Decision::Deny { .. } => "deny",
    }
}

#[track_caller]
pub(crate) fn check(call: &Call, expected: &str) {
    let decision = call.decide();
    assert_eq!(word(&decision), expected, "{} {}: {decision}", call.tool, call.arguments);
}
