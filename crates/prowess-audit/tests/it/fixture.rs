//! Events of one conversation, and a log in a temporary directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use prowess_audit::{JsonLinesLog, LogError, LogOptions, Redactor};
use prowess_core::{
    AllowedTools, ApprovalAction, ApprovalEvent, ApprovalId, ApprovalRequest, ApprovalScope,
    ArgumentPattern, AuditEvent, AuditedDecision, AuditedOrigin, CallIntent, CallOrigin, Caller,
    Code, CorrelationId, DeactivationCause, Digest, Outcome, PluginAction, PluginEvent,
    ResumedSkill, RuntimeEvent, SessionId, SessionResumption, SkillActivation, SkillDeactivation,
    Timestamp, TrustAction, TrustEvent, Verdict,
};
use prowess_testkit::ManualClock;
use tempfile::TempDir;

/// 2026-01-01T00:00:00Z.
pub(crate) const START: Timestamp = Timestamp(1_767_225_600_000);

pub(crate) fn session() -> SessionId {
    SessionId::new("talk").expect("it is a good id")
}

pub(crate) fn origin() -> Arc<CallOrigin> {
    Arc::new(CallOrigin {
        agent: Some("agent-1".to_owned()),
        task: Some("task-2".to_owned()),
        tenant: Some("tenant-3".to_owned()),
        model: None,
        correlation: None,
    })
}

pub(crate) fn run() -> CorrelationId {
    CorrelationId::of_run(&session(), "pdf", START)
}

pub(crate) fn intent(call: u64) -> CallIntent {
    CallIntent {
        at: Timestamp(START.0 + 1_500),
        call,
        session: session(),
        origin: origin(),
        correlation: run(),
        tool: "Read".to_owned(),
        caller: Caller::Model,
        skill: Some("pdf".to_owned()),
        skills: Vec::new(),
        resource: None,
        decision: Some(AuditedDecision::new(Verdict::Allowed)),
        generation: 7,
    }
}

pub(crate) fn done(call: u64) -> AuditEvent {
    let duration = Duration::from_millis(12);
    let intent = intent(call);
    let outcome = Outcome::Done;
    AuditEvent { intent, outcome, error: None, sandbox: None, isolation: None, duration }
}

/// Returns the event of a call that this model makes.
pub(crate) fn by(model: &str, event: AuditEvent) -> AuditEvent {
    let model = Some(model.to_owned());
    let origin = Arc::new(CallOrigin { model, ..CallOrigin::default() });
    AuditEvent { intent: CallIntent { origin, ..event.intent }, ..event }
}

pub(crate) fn denied(call: u64) -> AuditEvent {
    let decision = AuditedDecision {
        rule: Some("Read Bash(git:*)".to_owned()),
        skill: Some("pdf".to_owned()),
        location: Some("SKILL.md:4:16".to_owned()),
        ..AuditedDecision::new(Verdict::Denied)
    };
    AuditEvent {
        intent: CallIntent { tool: "Write".to_owned(), decision: Some(decision), ..intent(call) },
        outcome: Outcome::Refused(Code::new("tool-not-allowed")),
        error: Some("`Write` is not in the allowed-tools of `pdf`".to_owned()),
        sandbox: None,
        isolation: None,
        duration: Duration::ZERO,
    }
}

pub(crate) fn activated() -> RuntimeEvent {
    RuntimeEvent::SkillActivated(SkillActivation {
        at: START,
        session: session(),
        origin: origin(),
        correlation: run(),
        skill: "pdf".to_owned(),
        version: Some("1.10".to_owned()),
        place: AuditedOrigin {
            location: "/skills/pdf/SKILL.md".to_owned(),
            layer: "user".to_owned(),
        },
        digest: Digest::of(b"pdf"),
        allowed_tools: AllowedTools::parse("Read Bash(git:*)").expect("these are rules"),
    })
}

pub(crate) fn deactivated(cause: DeactivationCause) -> RuntimeEvent {
    RuntimeEvent::SkillDeactivated(SkillDeactivation {
        at: Timestamp(START.0 + 12_500),
        session: session(),
        origin: origin(),
        correlation: run(),
        skill: "pdf".to_owned(),
        duration: Duration::from_millis(12_500),
        cause,
    })
}

pub(crate) fn resumed() -> RuntimeEvent {
    let skill = ResumedSkill { skill: "pdf".to_owned(), correlation: run(), activated: START };
    let at = Timestamp(START.0 + 60_000);
    RuntimeEvent::SessionResumed(SessionResumption { at, session: session(), skills: vec![skill] })
}

pub(crate) fn approved() -> RuntimeEvent {
    RuntimeEvent::Approval(ApprovalEvent {
        at: START,
        action: ApprovalAction::Granted,
        id: ApprovalId::new("a1"),
        request: ApprovalRequest {
            tool: "Bash".to_owned(),
            arguments: ArgumentPattern::CommandPrefix(vec!["git".into(), "push".into()]),
            skill: Some("pdf".to_owned()),
            package: Some(Digest::of(b"package")),
            tenant: Some("tenant-3".to_owned()),
        },
        scope: Some(ApprovalScope::Session),
        by: Some("ada".to_owned()),
        session: session(),
        origin: Arc::new(CallOrigin { tenant: Some("tenant-3".into()), ..CallOrigin::default() }),
        correlation: None,
    })
}

pub(crate) fn rejected_plugin() -> RuntimeEvent {
    RuntimeEvent::Plugin(PluginEvent {
        at: START,
        action: PluginAction::Rejected,
        plugin: "/plugins/notes.so".to_owned(),
        digest: None,
        error: Some("`/plugins/notes.so` is not trusted; nothing was executed".to_owned()),
    })
}

pub(crate) fn trusted() -> RuntimeEvent {
    let (action, name) = (TrustAction::Revoked, "/home/a` by bob".to_owned());
    RuntimeEvent::Trust(TrustEvent { at: START, action, name, by: "ada".to_owned() })
}

/// The place of a log, and its clock.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
    pub(crate) path: PathBuf,
    pub(crate) clock: Arc<ManualClock>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().expect("there is room");
        let path = directory.path().join("audit.jsonl");
        Self { directory, path, clock: Arc::new(ManualClock::default()) }
    }

    pub(crate) fn open(&self) -> JsonLinesLog {
        self.open_with(LogOptions::default())
    }

    pub(crate) fn open_with(&self, options: LogOptions) -> JsonLinesLog {
        self.try_open(options).expect("the log can be opened")
    }

    pub(crate) fn try_open(&self, options: LogOptions) -> Result<JsonLinesLog, LogError> {
        JsonLinesLog::open(&self.path, options, Redactor::default(), self.clock.clone())
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.path).expect("the log is there")
    }

    /// The names of the log's files, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let entries = std::fs::read_dir(self.directory.path()).expect("the directory is there");
        let mut names: Vec<_> =
            entries.filter_map(|entry| name(&entry.expect("it is readable").path())).collect();
        names.sort();
        names
    }
}
