//! Whole conversations through the facade, with real files and a scripted model.

mod agents;
mod audience;
mod audit;
mod auto_load;
mod call_paths;
mod canary;
mod cases;
mod codes;
mod compaction;
mod configuration;
mod conversation;
mod default_skills;
mod documents;
mod dynamic;
mod facts;
mod flows;
mod gate;
mod handles;
mod hooks;
mod host_extension;
mod hot_equals_cold;
#[cfg(unix)]
mod levels;
mod night;
mod on_change;
mod overflow;
mod permits;
mod presets;
mod prompts;
mod roots;
mod sandboxed_scripts;
mod script_consent;
mod script_read;
mod scripted;
mod search;
mod second_start;
mod session_after_kill;
mod sessions;
mod sources;
mod stability;
mod surfaces;
mod traces;
mod trust;
mod vendor_agents;
#[cfg(feature = "virtual-shell")]
mod virtual_shell;
