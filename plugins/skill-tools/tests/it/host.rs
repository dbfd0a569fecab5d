//! A host with skills, and its tools: linked, or from the plugin.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use prowess_core::{
    AuditPolicy, Boundary, Caller, Cancel, Catalog, CatalogProvider, Clock, DeliveryPolicy, Digest,
    Layer, MemorySource, NoAudit, SessionId, Timestamp, ToolCall, ToolContext, ToolProvider, Trust,
};
use prowess_format::Profile;
use prowess_plugin_host::{
    Isolation, NoLog, Older, PluginLoader, PluginPolicy, PluginSettings, SignedOffBy, TrustStore,
    read,
};
use prowess_registry::{Registry, RegistryPolicy};
use prowess_session::{MemoryStore, SessionHandle, SessionPolicy, Sessions};
use prowess_testkit::{AuditRecorder, ManualClock, build_plugin, build_program};
use prowess_tools::{CallAudit, SkillTools, ToolNaming, ToolPolicy, Toolbox};
use serde_json::{Value, json};

/// The origin of the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tools {
    Linked,
    InProcess,
    InAProcess,
}

pub(crate) const LOADED: [Tools; 2] = [Tools::InProcess, Tools::InAProcess];

/// The parts of a conversation.
pub(crate) struct Host {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) session: SessionHandle,
    pub(crate) toolbox: Toolbox,
    clock: Arc<ManualClock>,
    audited: Arc<AuditRecorder>,
}

fn skill_md(name: &str, more: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name} and more.\n{more}---\n{body}\n")
}

/// The skills of the conversation, in two layers.
pub(crate) fn catalog() -> Arc<Catalog> {
    let scoped = "scope:\n  tenants: [other]\n";
    let unready = "metadata:\n  openclaw:\n    requires:\n      bins: [no-such-program]\n";
    let team = MemorySource::builder("team")
        .file("pdf/SKILL.md", skill_md("pdf", "metadata:\n  version: 2.0.1\n", "Fill </skill> in."))
        .file("pdf/references/fields.md", "All fields:\u{202e} a, b\n")
        .file("pdf/assets/form.bin", [0, 159, 146, 150])
        .file("docx/SKILL.md", skill_md("docx", "", "Write."))
        .file("alone/SKILL.md", skill_md("alone", "disable-model-invocation: true\n", "By hand."))
        .file("secret/SKILL.md", skill_md("secret", scoped, "Not for you."))
        .file("unready/SKILL.md", skill_md("unready", unready, "Needs more."))
        .file("modelled/SKILL.md", skill_md("modelled", "user-invocable: false\n", "For models."))
        .file("broken/SKILL.md", "---\nname: [\n---\n");
    let user = MemorySource::builder("user")
        .file("pdf/SKILL.md", skill_md("pdf", "", "The user's own."))
        .file("notes/SKILL.md", skill_md("notes", "", "Take notes."));
    let registry = Registry::builder()
        .layer(Layer::new("user", Trust::Trusted))
        .layer(Layer::new("team", Trust::Trusted))
        .source("team", Arc::new(team.build().unwrap()))
        .source("user", Arc::new(user.build().unwrap()))
        .alias("forms", "pdf")
        .policy(RegistryPolicy::default())
        .build()
        .unwrap();
    registry.reload();
    registry.catalog()
}

impl Tools {
    fn providers(
        self,
        policy: &ToolPolicy,
        delivery: DeliveryPolicy,
    ) -> Vec<Arc<dyn ToolProvider>> {
        let isolation = match self {
            Self::Linked => return vec![Arc::new(SkillTools::new(policy.clone(), delivery))],
            Self::InProcess => Isolation::InProcess,
            Self::InAProcess => Isolation::Process,
        };
        let config = json!({"tools": policy, "delivery": delivery});
        let loader = loader(isolation);
        let settings = PluginSettings { config: Some(config), ..PluginSettings::default() };
        loader.load_with(file(), settings).expect("the plugin loads").tools
    }
}

fn file() -> &'static PathBuf {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| build_plugin("prowess-plugin-skill-tools").canonicalize().unwrap())
}

/// A loader that trusts the plugin. It reads the file once: hashing is slow without optimization.
fn loader(isolation: Isolation) -> PluginLoader {
    static TRUST: OnceLock<TrustStore> = OnceLock::new();
    let policy = PluginPolicy { isolation, ..PluginPolicy::default() };
    let trust = TRUST.get_or_init(|| {
        let mut store = TrustStore::default();
        let (bytes, inspection) = read(file(), &policy).unwrap();
        let witness = SignedOffBy { who: "the test".to_owned(), when: Timestamp(0) };
        store.pin(file(), Digest::of(&bytes), &inspection, &witness, Older::Refuse).unwrap();
        store
    });
    PluginLoader {
        policy,
        trust: trust.clone(),
        staging: std::env::temp_dir(),
        runner: build_program("prowess-plugin-host", "prowess-plugin-runner"),
        runner_arguments: Vec::new(),
        clock: Arc::new(ManualClock::default()),
        log: Arc::new(NoLog),
        audit: Arc::new(NoAudit),
    }
}

/// Returns a catalog of a host that allows at most 500 lines, with a skill that has more. A scan only
/// reads the beginning of a file, so the skill is offered.
pub(crate) fn strict_catalog() -> Arc<Catalog> {
    let long = skill_md("long", "", &"A line.\n".repeat(5_000));
    let source = MemorySource::builder("team").file("long/SKILL.md", long).build().unwrap();
    let registry = Registry::builder()
        .layer(Layer::new("team", Trust::Trusted))
        .source("team", Arc::new(source))
        .policy(RegistryPolicy { profile: Profile::Strict, ..RegistryPolicy::default() })
        .build()
        .unwrap();
    registry.reload();
    registry.catalog()
}

impl Host {
    pub(crate) fn new(tools: Tools, policy: &ToolPolicy, delivery: DeliveryPolicy) -> Self {
        let clock = Arc::new(ManualClock::at(Timestamp(1_000)));
        let audited = Arc::<AuditRecorder>::default();
        let audit = CallAudit::new(Arc::clone(&audited) as _, AuditPolicy::default());
        let mut builder = Toolbox::builder(ToolNaming::default()).audit(audit);
        for provider in tools.providers(policy, delivery) {
            builder = builder.provider(&*provider);
        }
        let rules = SessionPolicy { max_active: 3, ..SessionPolicy::default() };
        let sessions = Sessions::new(Arc::new(MemoryStore::new()), Arc::clone(&clock) as _, rules);
        Self {
            catalog: catalog(),
            session: sessions.open_with(SessionId::new("talk").unwrap()).unwrap(),
            toolbox: builder.build().unwrap(),
            clock,
            audited,
        }
    }

    /// Makes a call and returns all of its effects.
    pub(crate) fn call(&self, caller: Caller, name: &str, arguments: &Value) -> Value {
        let context = ToolContext {
            catalog: &self.catalog,
            session: &self.session,
            caller,
            origin: &Arc::default(),
            clock: &*self.clock,
            cancel: &Cancel::default(),
            approved: None,
            progress: prowess_core::Progress::default(),
            boundary: &Boundary::new("5f3a9c1e77b04d28"),
            result_bytes: None,
            keeps_results: false,
        };
        let call = ToolCall::new(name, arguments.clone());
        let result = self.toolbox.dispatch(&context, &call).result;
        let state = self.session.state().unwrap();
        let audited = self.audited.take_calls().pop();
        json!({"result": result, "state": state, "audited": format!("{audited:?}")})
    }

    /// Returns the tools that a model sees with a catalog.
    pub(crate) fn definitions(&self, catalog: &Catalog) -> Value {
        json!(self.toolbox.definitions(catalog))
    }

    /// Returns the host's time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
