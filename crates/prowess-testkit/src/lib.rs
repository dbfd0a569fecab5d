//! Fixtures of the tests and benchmarks of prowess, and kits for authors of sources and stores.
//!
//! ```
//! let tree = prowess_testkit::Tree::new(
//!     "
//! //- /pdf/SKILL.md
//! ---
//! name: pdf
//! description: Fills forms.
//! ---
//! Body
//! //- /pdf/references/fields.md
//! Fields
//! ",
//! );
//! assert!(tree.path().join("pdf/references/fields.md").is_file());
//! ```
//!
//! A kit is a function that takes an implementation of a trait, and panics with the rule of the
//! trait's `# Behavior` list that it breaks. The kits of stores, of proposals, of remotes, of
//! runners of scripts and of shells return a report with a row for each rule instead.
//!
//! A fixture that cannot be set up, such as a file that cannot be written, panics with the reason.
#![forbid(unsafe_code)]

mod active_skill;
mod approval_kit;
mod audit_recorder;
mod bind_mount;
mod clock;
mod corpus;
#[cfg(unix)]
mod directory_fixture;
#[cfg(target_os = "linux")]
mod failing_disk;
mod fixed_session;
mod hooked_store;
mod hostile;
mod kit_report;
mod memory_catalog;
mod model;
mod overridden_source;
mod plugin_build;
mod plugin_file;
#[cfg(target_os = "linux")]
mod postgres;
#[cfg(target_os = "linux")]
mod power_cut;
mod proposal_kit;
mod random;
mod ranker_kit;
mod remote_kit;
mod rights;
mod rows;
mod scan_recorder;
mod script_kit;
#[cfg(feature = "servers")]
mod servers;
mod shell_kit;
#[cfg(unix)]
mod shell_runner;
#[cfg(feature = "sigstore")]
mod sigstore;
mod source_fixture;
mod source_kit;
mod store_kit;
mod test_tool;
mod tools_kit;
mod traces;
mod tree;
mod versioned_source;
mod watch_kit;

pub use active_skill::active_skill;
pub use approval_kit::check_approval_store;
pub use audit_recorder::AuditRecorder;
pub use bind_mount::BindMount;
pub use clock::ManualClock;
pub use corpus::{Corpus, CorpusSkill};
#[cfg(unix)]
pub use directory_fixture::DirectoryFixture;
#[cfg(target_os = "linux")]
pub use failing_disk::{without_space, without_sync};
pub use fixed_session::FixedSession;
pub use hooked_store::{HookedStore, StoreCall, StoreMoment};
pub use hostile::{
    DISGUISED_TAGS, HIDDEN_TEXTS, MARKUP_TEXTS, disguised_tag_in, hostile_texts, invisible_in,
};
pub use kit_report::{KitReport, RuleOutcome};
pub use memory_catalog::{catalog_over, memory_catalog, record};
pub use model::{ModelQuestion, for_each_short_path, replay_model};
pub use overridden_source::{OverriddenSource, SourceOverrides, before_scan};
pub use plugin_build::{
    PluginFlavor, build_plugin, build_plugin_example, build_plugin_example_as,
    build_plugin_outside, build_program,
};
pub use plugin_file::PluginFile;
#[cfg(target_os = "linux")]
pub use postgres::{CutProxy, PostgresServer};
#[cfg(target_os = "linux")]
pub use power_cut::{PowerCut, WriteRecord};
pub use proposal_kit::{OpenedProposals, ProposalFixture, WhileFailing, check_proposal_store};
pub use prowess_core;
pub use prowess_plugin_abi;
pub use random::Random;
pub use ranker_kit::check_ranker;
pub use remote_kit::{Published, RemoteFixture, check_remote};
pub use rights::without_override;
pub use rows::rows;
pub use scan_recorder::{FoundPackage, ScanRecorder};
pub use script_kit::check_script_runner;
#[cfg(feature = "servers")]
pub use servers::{Server, server_authority};
pub use shell_kit::check_virtual_shell;
#[cfg(unix)]
pub use shell_runner::ShellRunner;
#[cfg(feature = "sigstore")]
pub use sigstore::Sigstore;
pub use source_fixture::{Changing, SourceFixture, Unreadable, WayOut, Write};
pub use source_kit::check_source;
pub use store_kit::check_store;
pub use test_tool::{TestTool, TestTools};
pub use tools_kit::{call_tool, check_tools};
pub use traces::{TraceCollector, Traced, traced};
pub use tree::{Tree, time_after_changes};
pub use versioned_source::VersionedSource;
