//! The runtime of a command: its policies, sources and cache.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess::format::Profile;
use prowess::format::tool_pattern::{CommandPattern, PatternKind};
use prowess::gating::ToolSemantics;
use prowess::prompt::Block;
use prowess::registry::{RefreshMode, RegistryError, Show, SkillRule};
use prowess::sandbox::Program;
use prowess::script::ScriptExecution;
use prowess::session::Discipline;
use prowess::source_fs::{PROJECT_LAYER, ProjectTrust};
use prowess::state::RecordCache;
use prowess::tools::{HookPolicy, ReadGate, RequiresMode, ScriptRead};
use prowess::{
    AuditLog, AuditPolicy, Availability, ConfigValue, Layer, MemorySource, Policies, Record,
    Runtime, RuntimeBuilder, ShowLocation, SkillSource as _, ToolRule, Trust, folder_trust,
    is_default_skill, trust_file,
};
use prowess_text::quoted;

use crate::args::{Global, Root, SkillOptions};
use crate::catalog_root;
use crate::command_session::UserApprovals;
use crate::commands::config::adding;
use crate::failure::Failure;
use crate::features;
use crate::install_place::{Installed, installed, of_project, placing};
use crate::lock_place::project_skills;
#[cfg(feature = "mcp-sources")]
use crate::mcp_sources;
use crate::paths::{absolute, machine, state_database, surroundings};
use crate::plugins::{Loaded, this_program};
use crate::policies::{Found, ignored_project_file, policies};
use crate::running::Running;
use crate::secrets::{read_secret, redactor};

/// Builds the runtime of the named roots or, without any, of the user, the working directory and
/// the embedded skills; a server has one already.
pub(crate) fn runtime(global: &Global) -> Result<Runtime, Failure> {
    if let Some(Running(running)) = &global.running {
        return Ok(running.clone());
    }
    built(global, builder(global)?)
}

/// Builds a runtime. An error about a key of the configuration names its place.
pub(crate) fn built(global: &Global, builder: RuntimeBuilder) -> Result<Runtime, Failure> {
    builder.build().map_err(|error| explained(global, error))
}

/// Checks what every command refuses: layers, tools and features of the configuration that do not
/// fit together. Nothing is scanned, and no plugin is executed.
pub(crate) fn check(global: &Global) -> Result<(), Failure> {
    let mut policies = policies(global)?;
    if policies.registry.profile == Profile::SkillsRef {
        features::require("reference", "registry.profile: skills-ref")?;
    }
    policies.plugins.built_in = None;
    // The roots and plugins of the command line are no configuration.
    let global = Global { skills: SkillOptions::default(), ..global.clone() };
    let layers: Vec<_> =
        policies.plugins.settings.values().filter_map(|plugin| plugin.layer.clone()).collect();
    let mut builder = builder_with(&global, policies, &Loaded::none())?;
    for (at, layer) in layers.iter().enumerate() {
        let source = MemorySource::builder(&format!("plugin-{at}")).build();
        builder = source.into_iter().fold(builder, |it, source| it.source(layer, Arc::new(source)));
    }
    builder.check().map_err(|error| explained(&global, error))
}

/// Returns the failure with the key that it is about, if a key of the configuration is.
fn explained(global: &Global, error: prowess::Error) -> Failure {
    let Ok(found) = Found::of(global) else { return error.into() };
    let values = found.configuration.values();
    let key = match &error {
        prowess::Error::Registry(RegistryError::UnknownLayer { layer, .. }) => {
            let is_meant = |value: &&ConfigValue| {
                let of_root = value.key.strip_prefix("discovery.roots.") == Some(layer);
                of_root || (value.key.ends_with(".layer") && value.value == **layer)
            };
            values.iter().find(is_meant).map(|value| value.key.clone())
        }
        prowess::Error::Registry(RegistryError::DuplicateLayer(_)) => Some("layers".to_owned()),
        prowess::Error::Toolbox(_) => Some("tools.surfaces".to_owned()),
        prowess::Error::ClientSurface { client, .. } => Some(format!("clients.{client}.surfaces")),
        _ => None,
    };
    let help = match &error {
        prowess::Error::Toolbox(_) => {
            "change `tools.surfaces`, or leave out a plugin with such a tool"
        }
        prowess::Error::ClientSurface { .. } => "add it to `tools.surfaces`",
        _ => "name one of these, or add it to `layers`",
    };
    let failure = Failure::from(error);
    match key {
        Some(key) => found.blaming(&key, failure.with_help(help)),
        None => failure,
    }
}

/// Builds the same runtime for a command that makes calls, which are in the audit log.
pub(crate) fn audited(global: &Global) -> Result<Runtime, Failure> {
    composing(global, policies(global)?, true)
}

/// Builds a runtime with these policies for prompts, or also for calls, which are in the audit log.
/// A prompt is, too, if loads for it run hooks.
pub(crate) fn composing(
    global: &Global,
    policies: Policies,
    makes_calls: bool,
) -> Result<Runtime, Failure> {
    let plugins = match makes_calls || policies.tools.hooks == HookPolicy::Run {
        true => crate::plugins::load_audited(global, &policies)?.with_named()?,
        false => crate::plugins::load(global, &policies)?,
    };
    built(global, builder_with(global, policies, &plugins)?)
}

/// Returns a builder of the runtime that [`runtime`] builds.
pub(crate) fn builder(global: &Global) -> Result<RuntimeBuilder, Failure> {
    let policies = policies(global)?;
    let plugins = crate::plugins::load(global, &policies)?;
    builder_with(global, policies, &plugins)
}

/// The skills about this program. They would be in every agent's prompt, and help its authors
/// alone, so they are off unless a rule of the user's own matches them, too.
pub(crate) const ABOUT_PROWESS: &str = "prowess:*";

/// Returns the command that offers them: the last rule that matches decides.
pub(crate) fn with_prowess() -> String {
    adding("visibility.skills", &[format!("{{match: \"{ABOUT_PROWESS}\", show: whole}}")])
}

/// Returns whether a skill is about this program, and off.
pub(crate) fn is_off(record: Record<'_>) -> bool {
    is_default_skill(record) && record.availability() == Availability::Hidden
}

/// Returns the keys whose values have no effect as the others are, with the reasons.
pub(crate) fn idle_keys(policies: &Policies) -> Vec<(&'static str, Failure)> {
    let Policies { tools, gate, prompt, delivery, session, refresh, .. } = policies;
    let usual = Policies::default();
    let runs_hooks = tools.hooks == HookPolicy::Run;
    let no_runner = runs_hooks && policies.scripts.exec == ScriptExecution::Off;
    let unheld = policies.session.discipline == Discipline::Stateless;
    let mut clients = policies.clients.values();
    let unheld_by_some = clients.any(|it| it.discipline == Some(Discipline::Stateless));
    let needs_no_path =
        |block: &Block| matches!(block, Block::BaseRule | Block::Precedence | Block::CheckFirst);
    let names_paths = !prompt.blocks.of(prompt.model_family).iter().all(needs_no_path);
    let hides_paths = delivery.show_location != ShowLocation::Absolute;
    let not_run = [
        "scripts-unavailable",
        "skills with hooks are not loaded: hooks are to run, and no script may",
        "set `scripts: { exec: tool }` as well, or `tools: { hooks: ignore }`",
    ];
    let not_active = [
        "key-without-effect",
        "it is for active skills, and `stateless` sessions have none",
        "set `session: { discipline: set }` as well, or leave the key out",
    ];
    let not_active_for_some = [
        "key-without-effect",
        "it is for active skills, and the `stateless` sessions of one of the `clients` have none",
        "leave `discipline` out of that client's policy, or leave the key out",
    ];
    let not_shown = [
        "key-without-effect",
        "no model can follow these texts about paths of skills: it is not shown the paths",
        "set `delivery: { show_location: absolute }` if clients are on this machine, where `serve` \
         shows them at a loopback address, or `prompt: { blocks: { any: [base_rule] } }`",
    ];
    let not_loaded = [
        "key-without-effect",
        "it is for tools that load a skill, and no one of `tools.surfaces` has one",
        "leave the key out, or add `skills` to `tools.surfaces`",
    ];
    let not_timed = [
        "key-without-effect",
        "under `refresh.mode: manual`, nothing is looked at by time",
        "set another `refresh.mode` as well, or leave the key out",
    ];
    let not_listed = [
        "key-without-effect",
        "it is for `tools.read_gate: allowlisted` alone",
        "set that as well, or leave the key out",
    ];
    let no_scripts = [
        "key-without-effect",
        "no script may run, and none is kept from being read",
        "set `scripts.exec` or `tools.script_read` as well, or leave the key out",
    ];
    let not_recorded = [
        "key-without-effect",
        "there is no audit log, so nothing is recorded, and no call is refused for that",
        "set `audit: { log: keep }` as well, or leave the key out",
    ];
    let audit = &policies.audit;
    let is_unrecorded = audit.policy == AuditPolicy::Required && audit.log == AuditLog::Never;
    let is_manual = refresh.mode == Some(RefreshMode::Manual);
    let is_free = tools.script_read == ScriptRead::Allow
        && policies.scripts.exec == ScriptExecution::Off
        && tools.script_directories != usual.tools.script_directories;
    let loads_nothing = !tools.makes_active();
    let restricts = gate.tool_semantics == ToolSemantics::Restrict;
    let blocks_reads = tools.script_read == ScriptRead::BlockWhenActive;
    let keys = [
        ("audit.policy", is_unrecorded, not_recorded),
        ("tools.hooks", no_runner, not_run),
        ("tools.requires", tools.requires != RequiresMode::Hint && loads_nothing, not_loaded),
        ("prompt.blocks", names_paths && hides_paths, not_shown),
        ("tools.script_directories", is_free, no_scripts),
        (
            "tools.read_allowlist",
            !tools.read_allowlist.is_empty() && tools.read_gate != Some(ReadGate::Allowlisted),
            not_listed,
        ),
    ];
    let timed = [
        ("refresh.ttl_seconds", refresh.ttl_seconds != usual.refresh.ttl_seconds),
        ("refresh.cool_down_seconds", refresh.cool_down_seconds != usual.refresh.cool_down_seconds),
        ("refresh.poll_seconds", refresh.poll_seconds != usual.refresh.poll_seconds),
    ];
    let timed = timed.map(|(key, is_set)| (key, is_set && is_manual, not_timed));
    let of_active = [
        ("auto_load.min_score", policies.auto_load.min_score.is_some()),
        ("tools.hooks", runs_hooks && !no_runner),
        ("gate.tool_semantics", restricts),
        ("gate.combine", gate.combine != usual.gate.combine),
        ("gate.empty_list", gate.empty_list != usual.gate.empty_list),
        ("session.on_reload", session.on_reload != usual.session.on_reload),
        ("session.on_change", session.on_change != usual.session.on_change),
        ("tools.script_read", blocks_reads),
        ("tools.read_gate", tools.read_gate == Some(ReadGate::Active)),
    ];
    let reason = if unheld { not_active } else { not_active_for_some };
    let of_active =
        of_active.map(|(key, is_set)| (key, is_set && (unheld || unheld_by_some), reason));
    let keys = of_active.into_iter().chain(keys).chain(timed).chain(of_shell(policies));
    let idle = keys.filter(|(_, is_idle, _)| *is_idle);
    let idle = idle.map(|(key, _, [code, message, help])| (key, Failure::new(code, message, help)));
    idle.chain(gate.ceiling.deny.as_slice().iter().filter_map(narrow_denial)).collect()
}

/// Returns why a rule denies little of what it seems to.
fn narrow_denial(rule: &ToolRule) -> Option<(&'static str, Failure)> {
    PatternKind::of(&rule.tool).filter(|kind| *kind == PatternKind::Command)?;
    let patterns = CommandPattern::parse(rule.pattern.as_deref()?).ok()?;
    let is_address = |it: &CommandPattern<'_>| {
        it.words().last()?.texts(None)?.pop()?.contains("://").then_some(())
    };
    let (message, help) = if patterns.iter().any(|it| !it.is_prefix()) {
        ("denies these words alone", "write `:*` behind the words that others may follow")
    } else if patterns.iter().any(|it| is_address(it).is_some()) {
        ("denies this address, and none below it", "write `*` behind the address, without a colon")
    } else {
        return None;
    };
    let message = format!("{} {message}", quoted(&rule.to_string()));
    Some(("gate.ceiling.deny", Failure::new("key-without-effect", message, help)))
}

/// A key, whether its value has no effect, and the code, message and help about that.
type Idle = (&'static str, bool, [&'static str; 3]);

fn of_shell(policies: &Policies) -> impl Iterator<Item = Idle> {
    let no_shell = [
        "key-without-effect",
        "it is for the surface `shell`, which `tools.surfaces` does not name",
        "add `shell` to `tools.surfaces`, or leave the key out",
    ];
    let is_there = policies.tools.surfaces.contains(&prowess::tools::Surface::Shell);
    #[cfg(feature = "virtual-shell")]
    let keys = {
        let (own, usual) = (&policies.shell, Policies::default().shell);
        let materialize = own.materialize != usual.materialize;
        [("shell.mount", own.mount != usual.mount), ("shell.materialize", materialize)]
    };
    #[cfg(not(feature = "virtual-shell"))]
    let keys: [(&str, bool); 0] = [];
    keys.into_iter().map(move |(key, is_set)| (key, is_set && !is_there, no_shell))
}

/// Returns a builder like [`builder`], with these policies and plugins.
pub(crate) fn builder_with(
    global: &Global,
    mut policies: Policies,
    loaded: &Loaded,
) -> Result<RuntimeBuilder, Failure> {
    let shell_is_missing = features::without_shell(&mut policies);
    features::check(&policies)?;
    let built_in = crate::plugins::built_in(global, &policies, &loaded.audit)?;
    #[cfg(feature = "mcp-sources")]
    let mcp_servers = policies.sources.mcp.clone();
    // Lock files may appear while a server runs.
    let waits = policies.refresh.mode.is_some();
    let discovery = policies.discovery.clone();
    let mut layers = policies.layers.clone();
    if global.skills.root.is_empty() {
        let off = SkillRule { pattern: ABOUT_PROWESS.to_owned(), show: Show::Disabled };
        policies.visibility.skills.insert(0, off);
    }
    // Directories of the project that the command line names are read by its file.
    let around = surroundings()?;
    let project = around.project().filter(|_| !global.skills.root.is_empty());
    let is_inside = |root: &Root| {
        absolute(&root.directory).is_ok_and(|it| project.is_some_and(|all| it.starts_with(all)))
    };
    if project.is_some() && global.skills.root.iter().all(is_inside) {
        policies.operator = None;
    }
    let found = Found::of(global)?;
    let idle = idle_keys(&policies).into_iter();
    let idle: Vec<_> = idle.map(|(key, it)| found.blaming(key, it).warning()).collect();
    let policies_run_scripts = policies.scripts.exec == ScriptExecution::Tool;
    #[cfg(feature = "virtual-shell")]
    let shell = shell(&policies)?;
    let mut builder = Runtime::builder().policies(policies).audit(Arc::clone(&loaded.audit));
    // The skills of a source that is slow come later.
    builder = builder.wait_until(prowess::Cancel::default());
    builder =
        builder.redactor(redactor()).feature_help(|feature| features::install_step(&[feature]));
    #[cfg(feature = "virtual-shell")]
    if let Some(shell) = shell {
        builder = builder.virtual_shell(Arc::new(shell));
    }
    if let Some(database) = state_database(&machine(None)) {
        builder = builder.approvals(Arc::new(UserApprovals::new(database)));
    }
    #[cfg(feature = "postgres")]
    if let Some(store) = &global.store {
        builder = crate::store::provide(store, builder)?;
    }
    for finding in idle.into_iter().chain(shell_is_missing) {
        builder = builder.finding(finding);
    }
    if policies_run_scripts {
        builder = builder.sandboxed_scripts(script_stage()?, std::env::temp_dir());
        builder = builder.script_secrets(read_secret());
    }
    for plugin in &loaded.plugins {
        builder = builder.plugin(plugin);
    }
    #[cfg(feature = "mcp-sources")]
    for (label, settings) in &mcp_servers {
        builder = mcp_sources::add(builder, label, settings, waits)?;
    }
    for failure in &loaded.failures {
        builder = builder.finding(failure.clone());
    }
    if let Some(loader) = built_in {
        builder = builder.dynamic(loader);
    }
    if let Some(cache) = record_cache().filter(|_| !global.skills.no_cache) {
        builder = builder.record_cache(cache);
    }
    let mut roots = BTreeSet::new();
    for root in &global.skills.root {
        if catalog_root::is_meant(root)? {
            builder = catalog_root::add(builder, root, &mut layers)?;
            continue;
        }
        let directory = absolute(&root.directory)?;
        builder = match &root.name {
            Some(name) => builder.skill_directory(&root.layer, name, &directory),
            None => builder.tree(&root.layer, &directory),
        };
        for lock in placing(&directory) {
            if roots.insert(lock.root().to_owned()) {
                builder = builder.source(&root.layer, Arc::new(lock));
            }
        }
    }
    if global.skills.root.is_empty() {
        let trust = folder_trust(&around);
        let trust_file = trust_file(&around);
        if let Some((asked, source)) = project_skills(&around, &discovery, waits)
            .and_then(|project| Some((project.asked, of_project(project.file)?)))
        {
            let level = match discovery.project_trust {
                ProjectTrust::Trusted => Trust::Trusted,
                _ => Trust::AskFirst,
            };
            let (name, source) = ("project-installed", Arc::new(source));
            builder = builder.layer_below(PROJECT_LAYER, Layer::new(name, level));
            builder = match asked {
                Some(asked) => builder.source_of_folder(name, source, asked),
                None => builder.source(name, source),
            };
        }
        builder = builder.default_skills().discover(around, trust);
        if let Some(finding) = ignored_project_file(global)? {
            builder = builder.finding(finding);
        }
        if let Some(Installed { trusted, others }) = installed(trust_file.as_ref(), waits) {
            let layer = Layer::new("installed-trusted", Trust::Trusted);
            builder = builder.lowest_layer(layer).source("installed-trusted", Arc::new(trusted));
            let layer = Layer::new("installed", Trust::Untrusted);
            builder = builder.lowest_layer(layer).source("installed", Arc::new(others));
        }
    }
    Ok(builder)
}

/// The argument with which this program is the stage of a sandbox.
pub(crate) const STAGE: &str = "sandbox-stage";

/// Returns the program that confines itself and becomes the interpreter of a script: this one.
pub(crate) fn script_stage() -> Result<Program, Failure> {
    Ok(Program::new(this_program()?).argument(STAGE))
}

/// The argument with which this program is the process of a shell's sandbox.
#[cfg(feature = "virtual-shell")]
pub(crate) const SHELL_WORKER: &str = "shell-worker";

/// Returns the shell of the policy, with a process for each sandbox, if a surface needs one.
#[cfg(feature = "virtual-shell")]
fn shell(policies: &Policies) -> Result<Option<prowess::shell::InMemoryShell>, Failure> {
    if !policies.tools.surfaces.contains(&prowess::tools::Surface::Shell) {
        return Ok(None);
    }
    let worker = Program::new(this_program()?).argument(SHELL_WORKER);
    Ok(Some(prowess::shell::InMemoryShell::in_processes(policies.shell.clone(), worker)))
}

/// Returns the scan cache of this build of the program; `None` for a user without a home directory.
fn record_cache() -> Option<RecordCache> {
    let program = std::env::current_exe().ok()?.metadata().ok()?;
    let version = env!("CARGO_PKG_VERSION");
    let length = program.len();
    let changed = program.modified().ok()?;
    let directory = machine(None).cache_home()?.join("prowess/records");
    Some(RecordCache::new(directory, format!("prowess {version}, {length} bytes of {changed:?}")))
}
