//! The types of prowess and the traits that connect its crates.
//!
//! ```
//! use prowess_core::{MemorySource, SkillSource, ReadLimit, PackagePath, ResourcePath};
//!
//! let source = MemorySource::builder("notes")
//!     .file("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nBody\n")
//!     .build()?;
//! let body = source.read(
//!     &PackagePath::new("pdf")?,
//!     &ResourcePath::new("SKILL.md")?,
//!     ReadLimit::default(),
//! )?;
//! assert!(body.ends_with(b"Body\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A **source** contains packages. A **layer** ranks sources and sets their trust level. A
//! **record** describes one skill without its body. A **catalog** is an immutable snapshot of all
//! records. A **session** is one conversation, and a **turn** pins one catalog. A **tool** is a
//! function that a model may call.
//!
//! This crate contains only values and traits: it opens no file, reads no clock, starts no thread
//! and takes no lock, so each crate above it can be used without the others.
//!
//! The default feature `sha2` computes digests by the crate of that name. Without it, and the
//! seven crates that it needs, code of this crate computes the same digests several times slower.
#![forbid(unsafe_code)]

mod activation;
mod approval;
mod approval_entry;
mod approval_store;
mod approved_package;
mod audience;
mod audit;
mod availability;
mod caller;
mod cancel;
mod catalog;
mod clock;
pub mod codes;
mod credentials;
mod delivery;
mod digest;
mod forward_source;
mod hook_command;
mod host_commands;
mod known_tokens;
mod layer;
mod ledger;
mod limits;
mod memory;
mod other_keys;
mod package_digest;
mod path;
mod positive;
mod progress;
mod proposal;
mod ranker;
mod record_set;
mod remote;
mod request;
mod result_texts;
mod scan;
mod script;
mod script_file;
mod secret_words;
mod session;
mod session_id;
mod session_store;
mod shell;
mod skill_error;
mod source;
mod stamp;
mod strength;
mod tokens;
mod tool;
mod trust;
mod withheld;

pub use prowess_text::declare_kinds;

pub use activation::{ActivationError, ActiveSkill};
pub use approval::{Approval, ApprovalId, ApprovalRequest, ApprovalScope, ArgumentPattern};
pub use approval_entry::{
    ApprovalDecision, ApprovalEntry, ApprovalLog, ApprovalQuery, ApprovalState, ApprovalVerdict,
    DecisionError, Spend, SpendStep,
};
pub use approval_store::{
    ApprovalError, ApprovalStore, ApprovalStoreError, ApprovalStoreExt, Asked, NewApproval,
};
pub use approved_package::ApprovedPackage;
pub use audience::{Audience, Facts};
pub use audit::{
    ApprovalAction, ApprovalEvent, AuditError, AuditEvent, AuditPolicy, AuditSink, AuditedDecision,
    AuditedOrigin, AuditedSkill, CallIntent, CallOrigin, CorrelationId, DeactivationCause,
    HostRefusal, NoAudit, Outcome, PluginAction, PluginEvent, RefreshEvent, ReloadEvent,
    ResumedSkill, ReviewEvent, ReviewStep, RuntimeEvent, SessionResumption, ShadowEvent,
    SkillActivation, SkillDeactivation, TrustAction, TrustEvent, Verdict,
};
pub use availability::{Availability, Callers};
pub use caller::Caller;
pub use cancel::Cancel;
pub use catalog::{
    Catalog, CatalogBuilder, CatalogProvider, CatalogSource, Lookup, Record, RecordIndex,
    RequiredSkill, RequirementWalk, RevisedSkill, UnmetRequirement,
};
pub use clock::{Clock, Timestamp};
pub use credentials::{
    REDACTED, has_credentials, is_secret_name, without_credentials, without_secrets, without_user,
};
pub use delivery::{
    BodyDelivery, BodyTags, DeliveryPolicy, ReinjectionBudget, ShowLocation, parse_virtual_uri,
    virtual_uri,
};
pub use digest::Digest;
pub use hook_command::HookCommand;
pub use host_commands::HostCommands;
pub use known_tokens::find_credential;
pub use layer::{AGENT_LAYER, Layer, Trust};
pub use ledger::{BodyPlace, ContextMode, Discipline, LedgerEntry, RunPreference, SessionScope};
pub use limits::{CallUsage, CostTracker, RateLimited, RateLimiter};
pub use memory::{MemorySource, MemorySourceBuilder};
pub use package_digest::{FileMode, PackageDigest};
pub use path::{PackagePath, PathError, ResourcePath};
pub use positive::positive;
pub use progress::{OutputStream, Progress, ProgressEvent};
pub use proposal::{
    Actor, KeptProposal, PackageFile, PackageFiles, Proposal, ProposalError, ProposalStore,
    ProposedPackage,
};
pub use prowess_format;
pub use prowess_format::{
    AllowedTools, Code, CodeEntry, Conditions, Diagnostic, Requirements, SKILL_MD_FILES, Scope,
    Severity, ToolRule, declare_codes,
};
pub use prowess_text;
pub use prowess_text::Boundary;
pub use ranker::{Ranked, Ranker};
pub use record_set::{NewRecord, RecordSet, RecordSetBuilder, Rejected};
pub use remote::{
    ArtifactKind, ArtifactSignature, FetchedParts, ReceivePart, Remote, RemoteArtifact,
    RemoteError, RemoteErrorKind, RemotePackage, RemoteRequest, Want, WantedPackage,
};
pub use request::{IdentifiedCall, InstructionBlock, InstructionKind, Message, ModelRequest};
pub use result_texts::{MisfitTexts, ResultTexts};
pub use scan::{Found, KnownPackages, PreviousScan, ReadFurther, ScanSink, ScanSummary};
pub use script::{
    RefusedHost, ScriptError, ScriptIsolation, ScriptLimit, ScriptNetwork, ScriptOutcome,
    ScriptRequest, ScriptRunner,
};
pub use script_file::{
    SCRIPT_EXTENSIONS, first_line_interpreter, is_script_file, usual_interpreter,
};
pub use session::{
    ForkedSession, LoadMode, LoadOutcome, LoadPlace, LoadRequest, Receipt, ReceiptEntry, Session,
    SessionError, SessionState, Unload,
};
pub use session_id::{SessionId, SessionIdError};
pub use session_store::{
    ContentKey, OperationId, PutOutcome, RemovedSession, SessionStore, SessionSummary, StoreError,
    StoredContent, StoredSession,
};
pub use shell::{
    ClosedFile, OpenedFile, ReadRule, ShellError, ShellOutcome, ShellRequest, VirtualShell,
};
pub use skill_error::SkillError;
pub use source::{
    ChangeListener, Coverage, Listing, ReadLimit, Resource, SkillSource, SourceChange, SourceError,
    SourceErrorKind, Watch,
};
pub use stamp::{SameVersion, Stamp};
pub use tokens::{EstimatedTokens, TokenCounter, character_count};
pub use tool::{
    Content, Tool, ToolCall, ToolContext, ToolDefinition, ToolInfo, ToolProvider, ToolResult,
    ToolType,
};
pub use trust::{
    AskedFolder, CheckedFolder, FolderAnswer, FolderIdentity, FolderTrust, NoFolderTrust,
};
pub use withheld::{
    MAY_HOLD_CREDENTIALS, MachineDirectories, foreign_text, secret_in, withheld_content,
    withheld_directory, withheld_path,
};
