//! Shells, catalogs and calls.

use std::sync::Arc;

use prowess_core::{
    Cancel, Catalog, MemorySource, ReadRule, SessionId, ShellError, ShellOutcome, ShellRequest,
    VirtualShell,
};
use prowess_shell::{InMemoryShell, Program, ShellPolicy};
use prowess_testkit::catalog_over;

/// A shell with the skills of one catalog.
pub(crate) struct Setup {
    pub(crate) shell: InMemoryShell,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) rule: Option<Arc<ReadRule>>,
}

impl Setup {
    /// Skills with these files, each below the skill's id. Each skill gets a `SKILL.md`.
    pub(crate) fn new(files: &[(&str, &str)], policy: ShellPolicy) -> Self {
        Self { shell: shell(policy), catalog: catalog(files), rule: None }
    }

    /// Skips the processes: the commands run in this one.
    pub(crate) fn in_this_process(policy: ShellPolicy) -> Self {
        Self { shell: InMemoryShell::new(policy), catalog: catalog(&[]), rule: None }
    }

    pub(crate) fn in_session(
        &self,
        session: &str,
        command: &str,
    ) -> Result<ShellOutcome, ShellError> {
        let session = SessionId::new(session).unwrap();
        let rule = self.rule.as_ref();
        let request = ShellRequest { catalog: &self.catalog, session: &session, command, rule };
        self.shell.execute(&request, &Cancel::default())
    }

    /// Runs a command in the one session of most tests.
    pub(crate) fn run(&self, command: &str) -> ShellOutcome {
        self.in_session("session", command).unwrap()
    }

    pub(crate) fn mount_path(&self, id: &str) -> Result<String, ShellError> {
        self.shell.mount_path(&self.catalog, self.catalog.get(id).unwrap())
    }
}

/// A shell with a process for each sandbox.
pub(crate) fn shell(policy: ShellPolicy) -> InMemoryShell {
    let worker = Program::new(env!("CARGO_BIN_EXE_prowess-shell-worker"));
    InMemoryShell::in_processes(policy, worker)
}

/// A shell without skills.
pub(crate) fn empty() -> Setup {
    Setup::new(&[], ShellPolicy::default())
}

pub(crate) fn catalog(files: &[(&str, &str)]) -> Arc<Catalog> {
    let mut ids: Vec<&str> = files.iter().filter_map(|(path, _)| path.split('/').next()).collect();
    ids.dedup();
    let mut source = MemorySource::builder("memory");
    for id in &ids {
        let skill_md = format!("---\nname: {id}\ndescription: Tests {id}.\n---\nUse {id}.\n");
        source = source.file(&format!("{id}/SKILL.md"), skill_md);
    }
    for (path, content) in files {
        source = source.file(path, content);
    }
    let source = Arc::new(source.build().unwrap());
    catalog_over(source, ids.iter().map(|id| (*id, "A skill.", &[] as &[&str])))
}
