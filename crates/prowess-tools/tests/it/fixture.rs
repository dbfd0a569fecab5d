//! A catalog of packages in memory, a session, and a host around them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use prowess_core::{
    ActiveSkill, AuditError, AuditEvent, AuditPolicy, AuditSink, Availability, Boundary,
    CallIntent, CallOrigin, Cancel, Catalog, CatalogBuilder, CatalogSource, Content, CostTracker,
    DeliveryPolicy, Diagnostic, Digest, EstimatedTokens, Found, Layer, LoadMode, MemorySource,
    NewRecord, PackagePath, PreviousScan, RateLimiter, ReadFurther, ReadLimit, Receipt,
    RecordIndex, RecordSet, RecordSetBuilder, ResourcePath, ScanSink, ScriptError, ScriptOutcome,
    ScriptRequest, ScriptRunner, Session, SessionError, SessionId, SessionState, SkillSource,
    SourceError, SourceErrorKind, Tool, ToolCall, ToolContext, Trust, Unload,
};
use prowess_format::{Head, Profile, Rules, Summarized, summarize};
use prowess_testkit::{ManualClock, OverriddenSource, SourceOverrides, TestTools, memory_catalog};
use prowess_tools::{
    CallAudit, Dispatched, EndedRun, Gate, NameStyle, SkillTools, ToolNaming, ToolPolicy, Toolbox,
    ToolboxBuilder,
};
use serde_json::Value;

/// Bytes and names outside of every package, which no error may contain.
pub(crate) const CANARY: &str = "CANARY-4711";

/// A `SKILL.md`.
pub(crate) fn skill_md(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use it for {name}.\n---\n{body}\n")
}

/// A source that misbehaves on demand.
pub(crate) struct Moody {
    inner: MemorySource,
    /// Answers by path from the source's root that replace the inner source's.
    answers: Mutex<HashMap<String, Result<Vec<u8>, SourceErrorKind>>>,
    /// Each path that was read, in order.
    reads: Mutex<Vec<String>>,
    /// Is cancelled as soon as a file is read.
    cancelled_by_reading: Mutex<Option<Cancel>>,
}

impl Moody {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let mut builder = MemorySource::builder("shelf");
        for (path, bytes) in files {
            builder = builder.file(path, bytes);
        }
        Self {
            inner: builder.build().expect("the fixture's paths are paths"),
            answers: Mutex::default(),
            reads: Mutex::default(),
            cancelled_by_reading: Mutex::default(),
        }
    }

    /// From now on the file has other bytes.
    pub(crate) fn change(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref().to_vec();
        unpoisoned(&self.answers).insert(path.to_owned(), Ok(bytes));
    }

    /// From now on reading the file fails, with a message that gives away a place outside.
    pub(crate) fn fail(&self, path: &str, kind: SourceErrorKind) {
        unpoisoned(&self.answers).insert(path.to_owned(), Err(kind));
    }

    pub(crate) fn cancel_when_read(&self, cancel: &Cancel) {
        *unpoisoned(&self.cancelled_by_reading) = Some(cancel.clone());
    }

    pub(crate) fn reads(&self) -> Vec<String> {
        unpoisoned(&self.reads).clone()
    }
}

impl SourceOverrides for Moody {
    fn inner(&self) -> &dyn SkillSource {
        &self.inner
    }

    /// A package is such a copy as soon as its `lock` has changed.
    fn altered(&self, _: &str, directory: &str) -> Option<String> {
        let lock = format!("{}/lock", directory.rsplit('/').next()?);
        unpoisoned(&self.answers).contains_key(&lock).then(|| "this copy is altered".to_owned())
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let path = format!("{package}/{resource}");
        unpoisoned(&self.reads).push(path.clone());
        if let Some(cancel) = &*unpoisoned(&self.cancelled_by_reading) {
            cancel.cancel();
        }
        match unpoisoned(&self.answers).get(&path) {
            Some(Ok(bytes)) => Ok(bytes.clone()),
            Some(Err(kind @ SourceErrorKind::Changed)) => {
                Err(SourceError::new(*kind, "it changed"))
            }
            Some(Err(kind)) => Err(SourceError::new(*kind, format!("/home/{CANARY} is private"))),
            None => self.inner.read(package, resource, limit),
        }
    }
}

/// Packs what a scan finds, as a registry does.
#[derive(Default)]
struct Packer(RecordSetBuilder);

impl ScanSink for Packer {
    fn unchanged(&mut self, _package: &str) {}

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        let head = Head { bytes: found.head, is_whole_file: found.is_whole_file };
        let Summarized::Done(Some(summary), _) = summarize(head, None, Profile::Lenient) else {
            panic!("the fixture's skill `{}` can be used", found.package)
        };
        self.0.push(&NewRecord {
            package: found.package,
            file: found.file,
            id: &summary.name,
            name: &summary.name,
            description: &summary.description,
            tags: &summary.tags,
            priority: summary.priority,
            version: summary.version.as_deref(),
            conditions: summary.conditions.to_conditions().map(Arc::new),
            stamp: found.stamp,
        });
        ReadFurther::No
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        panic!("the fixture has no problems: {diagnostic}")
    }
}

fn scan(source: &dyn SkillSource) -> RecordSet {
    let mut packer = Packer::default();
    source
        .scan(&PreviousScan::none(), &mut packer, &Cancel::default())
        .expect("memory can be scanned");
    packer.0.finish()
}

/// A catalog of one source in which every skill is visible.
pub(crate) fn catalog_of(source: Arc<dyn SkillSource>, generation: u64) -> Arc<Catalog> {
    catalog_hiding(source, generation, "")
}

/// A catalog of one source in which every skill but one is visible.
pub(crate) fn catalog_hiding(
    source: Arc<dyn SkillSource>,
    generation: u64,
    hidden: &str,
) -> Arc<Catalog> {
    catalog_with(source, generation, (hidden, "its user switched it off"), &Rules::default())
}

/// A catalog of skills with these ids, whatever a parser would say of them.
pub(crate) fn catalog_of_ids(ids: &[&str]) -> Arc<Catalog> {
    let no_tags: &[&str] = &[];
    memory_catalog(ids.iter().map(|&id| (id, "Fine.", no_tags)))
}

/// A catalog of one source in which one skill is hidden for this reason.
pub(crate) fn catalog_hiding_because(
    source: Arc<dyn SkillSource>,
    hidden: &str,
    reason: &str,
) -> Arc<Catalog> {
    catalog_with(source, 7, (hidden, reason), &Rules::default())
}

/// A catalog of one source whose files are read by these rules.
pub(crate) fn catalog_by(source: Arc<dyn SkillSource>, rules: &Rules) -> Arc<Catalog> {
    catalog_with(source, 7, ("", ""), rules)
}

fn catalog_with(
    source: Arc<dyn SkillSource>,
    generation: u64,
    (hidden, reason): (&str, &str),
    rules: &Rules,
) -> Arc<Catalog> {
    let records = Arc::new(scan(source.as_ref()));
    let is_hidden: Vec<_> = (0..records.len()).map(|at| records.id(at) == hidden).collect();
    let layers = vec![Layer::new("user", Trust::Trusted)];
    let mut builder =
        CatalogBuilder::new(layers, vec![CatalogSource { layer: 0, source, records }]);
    builder.rules(|_| rules.clone());
    for (entry, is_hidden) in is_hidden.into_iter().enumerate() {
        let at = RecordIndex::new(0, entry);
        if is_hidden {
            builder.exclude(at, Availability::Hidden, reason);
        } else {
            builder.show(at).expect("the fixture's names are unique");
        }
    }
    Arc::new(builder.finish(generation))
}

/// A session of one process, just large enough for the seam.
pub(crate) struct LocalSession {
    id: SessionId,
    cap: usize,
    /// If set, adding an active skill changes nothing.
    pub(crate) keeps: bool,
    state: Mutex<SessionState>,
}

impl LocalSession {
    fn new(id: &str, cap: usize) -> Self {
        let id = SessionId::new(id).expect("it is a good id");
        let state = SessionState::new(id.clone(), prowess_core::Timestamp(0));
        Self { id, cap, keeps: false, state: Mutex::new(state) }
    }

    fn set(&self, active: Vec<Arc<ActiveSkill>>) -> Result<Receipt, SessionError> {
        if active.len() > self.cap {
            return Err(SessionError::TooManySkills { wanted: active.len(), cap: self.cap });
        }
        let mut state = unpoisoned(&self.state);
        state.active = active;
        state.version += 1;
        Ok(Receipt::from(&*state))
    }
}

impl Session for LocalSession {
    fn id(&self) -> &SessionId {
        &self.id
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        Ok(unpoisoned(&self.state).clone())
    }

    fn load(&self, skills: &[Arc<ActiveSkill>], mode: LoadMode) -> Result<Receipt, SessionError> {
        let mut active = match mode {
            LoadMode::Replace => Vec::new(),
            LoadMode::Add => self.state()?.active,
        };
        let is_kept = |active: &[Arc<ActiveSkill>], id: &str| {
            self.keeps && active.iter().any(|other| other.id == id)
        };
        for skill in skills {
            if is_kept(&active, &skill.id) {
                continue;
            }
            active.retain(|other| other.id != skill.id);
            active.push(Arc::clone(skill));
        }
        self.set(active)
    }

    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        let mut active = self.state()?.active;
        match which {
            Unload::All => active.clear(),
            Unload::These(ids) => active.retain(|skill| !ids.contains(&skill.id)),
        }
        self.set(active)
    }
}

/// Keeps each intent and each event.
#[derive(Default)]
pub(crate) struct Recorder {
    intents: Mutex<Vec<CallIntent>>,
    events: Mutex<Vec<AuditEvent>>,
    /// Is called before an intent is kept.
    before_intent: Option<fn() -> Result<(), AuditError>>,
}

impl AuditSink for Recorder {
    fn intend(&self, intent: &CallIntent) -> Result<(), AuditError> {
        self.before_intent.map_or(Ok(()), |check| check())?;
        unpoisoned(&self.intents).push(intent.clone());
        Ok(())
    }

    fn record(&self, event: &AuditEvent) {
        unpoisoned(&self.events).push(event.clone());
    }
}

impl Recorder {
    pub(crate) fn checking(check: fn() -> Result<(), AuditError>) -> Self {
        Self { before_intent: Some(check), ..Self::default() }
    }

    pub(crate) fn intents(&self) -> Vec<CallIntent> {
        unpoisoned(&self.intents).clone()
    }

    pub(crate) fn events(&self) -> Vec<AuditEvent> {
        unpoisoned(&self.events).clone()
    }
}

/// One run of a script.
pub(crate) struct ScriptRun {
    /// The skill, the path and the arguments, parted by blanks.
    pub(crate) script: String,
    /// The other parts of the request.
    pub(crate) request: String,
    /// The event on standard input; null if there is none.
    pub(crate) event: Value,
    pub(crate) time: Duration,
    pub(crate) approved: Option<Digest>,
}

type End = dyn Fn(&str, &Cancel) -> Result<ScriptOutcome, ScriptError> + Send + Sync;

/// Keeps each run of a script, and ends it as the test says.
pub(crate) struct Scripts {
    runs: Mutex<Vec<ScriptRun>>,
    end: Box<End>,
}

impl Scripts {
    /// Creates a runner. `end` receives the script of a run, and the cancellation of its call.
    pub(crate) fn ending(
        end: impl Fn(&str, &Cancel) -> Result<ScriptOutcome, ScriptError> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { runs: Mutex::default(), end: Box::new(end) })
    }

    /// Removes and returns the runs so far.
    pub(crate) fn taken(&self) -> Vec<ScriptRun> {
        std::mem::take(&mut *unpoisoned(&self.runs))
    }

    /// Removes the runs so far, and returns their scripts.
    pub(crate) fn scripts(&self) -> Vec<String> {
        self.taken().into_iter().map(|run| run.script).collect()
    }
}

impl ScriptRunner for Scripts {
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        time: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        let ScriptRequest { arguments, environment, working_directory, approved, .. } = request;
        let script = format!("{} {}", request.record.id(), request.path);
        let words = request.arguments.iter().map(|word| format!(" {word}"));
        let ended = (self.end)(&script, cancel)?;
        unpoisoned(&self.runs).push(ScriptRun {
            script: words.fold(script, |script, word| script + &word),
            request: format!("{arguments:?} {environment:?} {working_directory:?}"),
            event: serde_json::from_slice(request.input).unwrap_or_default(),
            time,
            approved: *approved,
        });
        Ok(ended)
    }
}

/// A host with a toolbox, a session and the catalog of a turn.
pub(crate) struct Host {
    pub(crate) source: Arc<OverriddenSource<Moody>>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) session: LocalSession,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) cancel: Cancel,
    pub(crate) origin: Arc<CallOrigin>,
    pub(crate) audit: Arc<Recorder>,
    pub(crate) toolbox: Toolbox,
    pub(crate) boundary: Boundary,
}

/// The secret of the fixture's conversation.
pub(crate) const SECRET: &str = "5f3a9c1e77b04d28";

/// The options of a host.
#[derive(Default)]
pub(crate) struct Setup {
    pub(crate) policy: ToolPolicy,
    pub(crate) delivery: DeliveryPolicy,
    pub(crate) names: NameStyle,
    pub(crate) gate: Option<Arc<dyn Gate>>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) cap: Option<usize>,
    pub(crate) audit: Recorder,
    pub(crate) audit_policy: AuditPolicy,
    pub(crate) limiter: Option<Arc<dyn RateLimiter>>,
    pub(crate) costs: Option<Arc<dyn CostTracker>>,
    pub(crate) runner: Option<Arc<dyn ScriptRunner>>,
}

impl Host {
    /// A host of the given files, by path from the source's root.
    pub(crate) fn with(setup: Setup, files: &[(&str, &[u8])]) -> Self {
        let source = Arc::new(OverriddenSource(Moody::new(files)));
        let audit = Arc::new(setup.audit);
        let mut skill_tools = SkillTools::new(setup.policy, setup.delivery);
        if let Some(runner) = setup.runner {
            skill_tools = skill_tools.script_runner(runner);
        }
        let call_audit = CallAudit::new(audit.clone(), setup.audit_policy);
        skill_tools = skill_tools.hook_audit(call_audit.clone());
        let mut builder: ToolboxBuilder = Toolbox::builder(ToolNaming::new(setup.names))
            .provider(&skill_tools)
            .audit(call_audit)
            .hooks(skill_tools.hooks());
        for tool in setup.tools {
            builder = builder.provider(&TestTools(vec![tool]));
        }
        if let Some(gate) = setup.gate {
            builder = builder.gate(gate);
        }
        if let Some(limiter) = setup.limiter {
            builder = builder.rate_limiter(limiter);
        }
        if let Some(costs) = setup.costs {
            builder = builder.cost_tracker(costs, Arc::new(EstimatedTokens));
        }
        Self {
            catalog: catalog_of(source.clone(), 7),
            source,
            session: LocalSession::new("talk", setup.cap.unwrap_or(8)),
            clock: Arc::new(ManualClock::default()),
            cancel: Cancel::default(),
            origin: Arc::default(),
            boundary: Boundary::new(SECRET),
            audit,
            toolbox: builder.build().expect("the fixture's tools fit together"),
        }
    }

    /// A host with three skills and files of each kind.
    pub(crate) fn new(setup: Setup) -> Self {
        let [alpha, beta, pdf] = [
            skill_md("alpha", "# Alpha\n\nRead `references/guide.md` first."),
            skill_md("beta", "Beta body"),
            skill_md("pdf-processing", "Pdf body"),
        ];
        let files: [(&str, &[u8]); 9] = [
            ("alpha/SKILL.md", alpha.as_bytes()),
            ("alpha/references/guide.md", b"The guide of alpha\n"),
            ("alpha/references/latin.txt", b"caf\xe9"),
            ("alpha/assets/dot.png", b"\x89PNG\r\n\x1a\n\0\0"),
            ("alpha/other.txt", b"Other"),
            ("alpha/large.txt", &[b'x'; 1000]),
            ("beta/SKILL.md", beta.as_bytes()),
            ("beta/references/guide.md", b"The guide of beta\n"),
            ("pdf-processing/SKILL.md", pdf.as_bytes()),
        ];
        Self::with(setup, &files)
    }

    /// A host with the same skills and this policy.
    pub(crate) fn by(policy: ToolPolicy) -> Self {
        Self::new(Setup { policy, ..Setup::default() })
    }

    /// A host with `count` skills: `skill-00000` and so on.
    pub(crate) fn of_many(policy: ToolPolicy, count: usize) -> Self {
        let file = |id: String| (format!("{id}/SKILL.md"), skill_md(&id, "Body"));
        let files: Vec<_> = (0..count).map(|at| file(format!("skill-{at:05}"))).collect();
        let files: Vec<_> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
        Self::with(Setup { policy, ..Setup::default() }, &files)
    }

    pub(crate) fn context(&self) -> ToolContext<'_> {
        ToolContext {
            catalog: &self.catalog,
            session: &self.session,
            caller: prowess_core::Caller::Model,
            origin: &self.origin,
            clock: &*self.clock,
            cancel: &self.cancel,
            approved: None,
            progress: prowess_core::Progress::default(),
            boundary: &self.boundary,
            result_bytes: None,
            keeps_results: false,
        }
    }

    pub(crate) fn call(&self, name: &str, arguments: Value) -> Dispatched {
        let call = ToolCall { name: name.to_owned(), arguments };
        let before = self.session.state().expect("it is in memory").active;
        let answer = self.toolbox.dispatch(&self.context(), &call);
        let after = self.session.state().expect("it is in memory").active;
        let is_gone = |skill: &&ActiveSkill| after.iter().all(|kept| kept.id != skill.id);
        // A store of sessions reports what has ended.
        let ended: Vec<_> = before.iter().rev().map(Arc::as_ref).filter(is_gone).collect();
        let (catalog, session) = (&self.catalog, self.session.id());
        let run = EndedRun { catalog, session, origin: &self.origin, clock: &*self.clock };
        self.toolbox.hooks().expect("the fixture has hooks").after_end(&run, &ended);
        answer
    }

    /// Calls a tool that must do what it is asked.
    pub(crate) fn done(&self, name: &str, arguments: Value) -> Dispatched {
        let answer = self.call(name, arguments);
        assert!(!answer.result.is_error, "`{name}` does what it is asked: {}", text(&answer));
        answer
    }

    /// Returns the ids of the active skills as a text: `a b`.
    pub(crate) fn active(&self) -> String {
        let state = self.session.state().expect("the session is open");
        let ids: Vec<_> = state.active.iter().map(|skill| skill.id.as_str()).collect();
        ids.join(" ")
    }
}

/// The text of an answer, its parts one after another.
pub(crate) fn text(answer: &Dispatched) -> String {
    let part = |content: &Content| match content {
        Content::Text { text } => text.clone(),
        Content::Blob { mime_type, data, .. } => format!("[{mime_type}] {data}"),
    };
    answer.result.content.iter().map(part).collect::<Vec<_>>().join("\n")
}

pub(crate) fn code(answer: &Dispatched) -> Option<&str> {
    answer.result.code.as_ref().map(prowess_core::Code::as_str)
}

/// The answer is an error with this code and this sentence, and gives nothing of the outside away.
pub(crate) fn check_error(answer: &Dispatched, expected: &str, sentence: &str) {
    assert_eq!(code(answer), Some(expected), "the code of: {}", text(answer));
    assert!(answer.result.is_error, "a result with a code is an error");
    assert_eq!(text(answer), sentence, "what the model reads");
    assert!(!text(answer).contains(CANARY), "nothing of the outside stands in an error");
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
