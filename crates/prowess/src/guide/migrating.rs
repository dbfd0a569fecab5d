//! Coming from `skills-ref` or another runtime.
//!
//! # From `skills-ref`
//!
//! | `skills-ref` | prowess |
//! |---|---|
//! | `skills-ref validate DIR` | `prowess validate --profile skills-ref DIR` |
//! | `skills-ref read-properties DIR` | `prowess read-properties DIR` |
//! | `skills-ref to-prompt DIR…` | `prowess to-prompt DIR…` |
//!
//! With the profile `skills-ref`, the output and the exit codes are the same, byte for byte.
//! Without it, `validate` checks by the profile `spec`, whose findings have lines, columns and
//! advice.
//!
//! # From another runtime
//!
//! Runtimes disagree on what a name may be, which of two skills of one name is used, where a body
//! goes, what `allowed-tools` means, and which tools a model sees. Each of these is a policy, and a
//! preset has a runtime's answer to all of them:
//!
//! | you have | preset | tools of the model |
//! |---|---|---|
//! | the documents of agentskills.io | `standard` | `skills_load`, `skills_read`, … |
//! | FlexiGPT's `agentskills-go` | `flexigpt` | `skills-load`, `skills-read`, … |
//! | OmniForge | `omniforge` | `skill` |
//! | boxxy | `boxxy` | `skills_load`, `skills_read`, … |
//! | AgentSandbox | `sandbox` | `get_skill`, `sandbox_execute`, `skills_read` |
//! | Yodoca | `yodoca` | `list_skills`, `read_skill`, `read_skill_resource` |
//!
//! Yodoca's `propose_skill_update` is offered where `proposals.directory` names a directory.
//!
//! ```console
//! $ prowess --preset omniforge list      # what the skills of this place are under its rules
//! $ prowess --preset omniforge prompt    # the text that a model would get
//! ```
//!
//! A configuration file names the preset and changes single fields of it, and a program does the
//! same:
//!
//! ```
//! use prowess::{Policies, Runtime};
//!
//! let policies = Policies::from_yaml("preset: omniforge\nrefresh: { mode: watch }\n")?;
//! let runtime = Runtime::builder().policies(policies).default_skills().build()?;
//! let turn = runtime.turn(&runtime.open_session()?)?;
//! assert!(turn.tools().iter().any(|tool| tool.name == "skill"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No code depends on the name of a preset: the files are in `crates/prowess/presets`.
//!
//! # One step after the other
//!
//! 1. `prowess validate` on the skills: what loads elsewhere and not here has a code and advice.
//! 2. The preset of the system that you come from, so that models see what they saw.
//! 3. The tools of the host behind the gate ([`embedding`](super::embedding)), first with
//!    `gate: { tool_semantics: advisory }`, which refuses nothing and records each decision.
//! 4. The preset `standard`, field by field.
