//! The session of one conversation, and the blocking work that is done in it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess::session::{Discipline, OpenError, SessionHandle};
use prowess::tools::{SkillTools, ToolHost, ToolNaming};
use prowess::{Policies, Runtime, SessionError, SessionId, StoreError, Turn};
use rmcp::ErrorData;
use rmcp::model::ServerCapabilities;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::convert::{RETRY_KEY, coded, internal};
use crate::order::{self, Order};
use crate::origin::Client;
use crate::{MOST_INSTRUCTIONS, hidden, resources};

/// The number of conversations that are kept, of each kind. The one that was used least recently
/// makes room.
pub(crate) const MOST_KEPT: usize = 1024;

/// The code, in the data of an error, of a conversation that has made room or has ended.
const FORGOTTEN: &str = "conversation-forgotten";

/// A session, and how skills become active in it.
struct Open {
    handle: SessionHandle,
    discipline: Discipline,
}

/// One conversation's session, which its first turn opens. It ends when the last handle is dropped.
pub(crate) struct Conversation {
    runtime: Arc<Runtime>,
    session: Mutex<Option<Open>>,
    client: Mutex<Client>,
    /// The sessions that were forked from this one and from forks of it, which share the list.
    forks: Arc<Mutex<Vec<SessionId>>>,
    is_fork: bool,
    order: Order,
    /// Whether other clients wait for the thread that ends this conversation.
    is_shared: bool,
    /// The session that other servers continue; it does not end with this conversation.
    kept: Option<SessionId>,
}

impl Conversation {
    /// Creates a conversation. A server of one request may need none, so it opens no session.
    pub(crate) fn new(runtime: Arc<Runtime>, is_shared: bool) -> Self {
        let (session, client, order, forks) = Default::default();
        Self { runtime, session, client, forks, is_fork: false, order, is_shared, kept: None }
    }

    /// Creates a conversation in a session that other servers over the same store may have begun,
    /// and may continue.
    pub(crate) fn kept(runtime: Arc<Runtime>, session: SessionId) -> Self {
        let mut conversation = Self::new(runtime, true);
        conversation.kept = Some(session);
        conversation
    }

    /// Returns a conversation of the same client in a session that was forked from this one. Its
    /// skills end with the task and the end of this one, unless it outlives this one, which is a
    /// single request then.
    pub(crate) fn forked(&self, session: &SessionId, outlives: bool) -> Option<Self> {
        let open = lock(&self.session);
        let Open { handle, discipline } = open.as_ref()?;
        let forked = Open { handle: handle.forked(session.clone()), discipline: *discipline };
        let mut child = Self::new(Arc::clone(&self.runtime), self.is_shared);
        *child.lock_client() = self.lock_client().clone();
        *lock(&child.session) = Some(forked);
        if outlives {
            return Some(child);
        }
        (child.forks, child.is_fork) = (Arc::clone(&self.forks), true);
        let mut forks = lock(&self.forks);
        if forks.len() >= MOST_KEPT {
            // That of the oldest has made room for others.
            forks.remove(0);
        }
        forks.push(session.clone());
        drop(forks);
        Some(child)
    }

    /// Returns the forks that end with this conversation.
    fn ended_forks(&self) -> Vec<SessionId> {
        if self.is_fork { Vec::new() } else { lock(&self.forks).clone() }
    }

    /// Records what a request says about its client.
    ///
    /// # Errors
    ///
    /// As [`Client::of`].
    pub(crate) fn introduce(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let policies = self.runtime.policies();
        let newer = Client::of(context, policies)?;
        let name = context.client_info().map(|client| client.name).unwrap_or_default();
        self.lock_client().update(newer, policies.client(&name));
        Ok(())
    }

    /// Returns the handle of a session for changes that the client causes.
    fn as_client(&self, session: &SessionHandle) -> SessionHandle {
        session.with_origin(self.lock_client().origin.clone())
    }

    fn lock_client(&self) -> MutexGuard<'_, Client> {
        lock(&self.client)
    }

    /// Returns the session, and opens it before the first turn. One without loaded skills makes
    /// room for another discipline.
    fn session(&self) -> Result<SessionHandle, ErrorData> {
        let asked = self.lock_client().policy.discipline;
        let discipline = asked.unwrap_or(self.runtime.policies().session.discipline);
        let mut session = lock(&self.session);
        if let Some(open) = &*session {
            if open.discipline == discipline {
                return Ok(open.handle.clone());
            }
            let state = open.handle.state().map_err(|error| not_begun(error.into()))?;
            if self.kept.is_some() || !state.active.is_empty() {
                self.lock_client().policy.discipline = Some(open.discipline);
                let message = "the conversation has another discipline, and its skills are loaded: \
                               name the discipline in its first request";
                return Err(ErrorData::invalid_params(message, None));
            }
            self.runtime.close(&self.as_client(&open.handle)).map_err(not_begun)?;
        }
        let handle = match &self.kept {
            Some(id) => self.resumed_or_opened(id),
            None => self.opened(None),
        };
        let handle = handle.map_err(not_begun)?;
        Ok(session.insert(Open { handle, discipline }).handle.clone())
    }

    fn opened(&self, id: Option<SessionId>) -> Result<SessionHandle, prowess::Error> {
        let discipline = self.lock_client().policy.discipline;
        match (discipline, id) {
            (Some(discipline), id) => self.runtime.open_session_with_discipline(discipline, id),
            (None, Some(id)) => self.runtime.open_session_with(id),
            (None, None) => self.runtime.open_session(),
        }
    }

    fn resumed_or_opened(&self, id: &SessionId) -> Result<SessionHandle, prowess::Error> {
        let runtime = &self.runtime;
        match runtime.resume_session(id) {
            // Another server may be faster to open it.
            Err(prowess::Error::Session(SessionError::NotFound(_))) => {
                let opened = self.opened(Some(id.clone()));
                opened.or_else(|reason| runtime.resume_session(id).map_err(|_| reason))
            }
            resumed => resumed,
        }
    }

    /// Returns whether the client says that its conversation keeps the results of the session.
    pub(crate) fn keeps_results(&self) -> bool {
        self.lock_client().policy.host == Some(ToolHost::Own)
    }

    /// Returns the runtime that the session belongs to.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Returns the session's name in logs; empty before its first turn.
    pub(crate) fn log_name(&self) -> String {
        // A turn that opens the session may wait for its store.
        let open = self.session.try_lock().ok();
        let open = open.as_ref().and_then(|open| open.as_ref());
        open.map(|open| open.handle.id().log_name().into_owned()).unwrap_or_default()
    }

    pub(crate) fn naming(&self) -> ToolNaming {
        self.runtime.policies().naming()
    }

    /// Returns as soon as every earlier call that loads or unloads skills has ended, or takes long
    /// and is about others. A call of such a tool is also behind those that read files. Scripts and
    /// tools of plugins may take long, so no later call waits for them.
    pub(crate) async fn order_of(&self, tool: &str, arguments: &Value) -> Vec<order::Turn> {
        let naming = self.naming();
        let is = |name: &str| tool == name || tool.eq_ignore_ascii_case(&naming.spell(name));
        let loading = self.runtime.policies().tools.surfaces.iter().filter_map(|it| it.load_tool());
        let is_change = loading.chain(["skills.load", "skills.unload"]).any(is);
        let turn = self.order.turn(is_change, arguments).await;
        let is_held = is_change || SkillTools::READERS.into_iter().any(is);
        if is_held { turn } else { Vec::new() }
    }

    /// Returns what the policies let clients use: always tools, prompts if a tool loads skills, and
    /// the files of skills if a model may read them all.
    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        capabilities(self.runtime.policies())
    }

    /// Returns the text that describes the catalog, and what is hidden.
    pub(crate) async fn instructions(self: &Arc<Self>) -> Result<String, ErrorData> {
        let is_short = self.runtime.policies().prompt.max_characters.is_some();
        self.in_turn(move |turn| {
            let note = hidden::note(turn.catalog(), turn.policies());
            // The note follows behind a blank line.
            let room = MOST_INSTRUCTIONS.saturating_sub(note.len() + 2);
            let text = match is_short {
                true => turn.short_instructions(room),
                false => turn.prompt().whole_text().into_owned(),
            };
            hidden::with_note(text, &note)
        })
        .await
    }

    /// Starts a turn and runs `work` in it. Both may read files, so they run on a thread that may
    /// block, and the connection goes on answering.
    pub(crate) async fn in_turn<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Turn) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.in_turn_about(None, work).await
    }

    /// As [`Self::in_turn`], about a message of the user, whose skills may be loaded with it.
    pub(crate) async fn in_turn_about<T: Send + 'static>(
        self: &Arc<Self>,
        message: Option<String>,
        work: impl FnOnce(&Turn) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let this = Arc::clone(self);
        let turn = move || {
            // The session may be older than what is known of the client.
            let Client { origin, policy, forks, ended, .. } = this.lock_client().taken();
            let session = this.session()?;
            let session = if forks == Some(true) { session.with_forks() } else { session };
            let begin = || {
                if let Some(ended) = ended {
                    session.with_origin(ended.clone()).task().end()?;
                    // A fork does its part of the task of its parent.
                    for fork in this.ended_forks() {
                        session.forked(fork).with_origin(ended.clone()).task().end()?;
                    }
                }
                let session = &session.with_origin(origin);
                match message {
                    Some(message) => this.runtime.turn_about(session, &message),
                    None => this.runtime.turn(session),
                }
            };
            let turn = begin().map_err(|error| this.not_begun(error))?;
            Ok(work(&turn.for_surfaces(&policy.surfaces)))
        };
        tokio::task::spawn_blocking(turn).await.map_err(internal)?
    }

    /// As [`not_begun`]. If the session has ended, the next turn begins another one.
    fn not_begun(&self, error: prowess::Error) -> ErrorData {
        let prowess::Error::Session(SessionError::NotFound(ended)) = &error else {
            return not_begun(error);
        };
        lock(&self.session).take_if(|open| open.handle.id() == ended);
        forgotten("the session of this conversation has ended, with the skills that it had loaded")
    }

    /// Runs `work`, which may wait for a store, on a thread that may block.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Runtime) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let runtime = Arc::clone(&self.runtime);
        let done = tokio::task::spawn_blocking(move || work(&runtime)).await;
        done.map_err(internal)
    }

    /// Returns a digest of everything that a client is shown of the catalog, or `None` if the
    /// session has ended.
    pub(crate) async fn digest(self: &Arc<Self>) -> Option<u64> {
        self.in_turn(digest).await.ok()
    }
}

/// Returns the error of a request whose turn could not begin. Of a store that is unavailable, it
/// has the time after which the request may be repeated, maybe on another server.
fn not_begun(error: prowess::Error) -> ErrorData {
    let message = error.to_string();
    let error = match error {
        prowess::Error::Session(error) => error,
        prowess::Error::Open(OpenError::Store(error)) => error.into(),
        _ => return internal(message),
    };
    let mut data = coded(error.code());
    if let SessionError::Store(StoreError { retry_after: Some(time), .. }) = error {
        data[RETRY_KEY] = time.as_secs().into();
    }
    ErrorData::internal_error(message, Some(data))
}

/// Returns the answer to the first request of a conversation after it was forgotten or has ended.
pub(crate) fn forgotten(reason: &str) -> ErrorData {
    let message = format!("nothing was done: {reason}; the next request begins it again");
    ErrorData::invalid_request(message, Some(coded(FORGOTTEN)))
}

/// Returns what policies let clients use. See [`Conversation::capabilities`].
#[expect(deprecated, reason = "revisions before 2026-07-28 have logging")]
pub(crate) fn capabilities(policies: &Policies) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::builder()
        .enable_completions()
        .enable_logging()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_skills_with_directory_read()
        .build();
    if policies.tools.load_tool().is_none() {
        capabilities.prompts = None;
    }
    if !resources::are_open(policies) {
        capabilities.resources = None;
        capabilities.extensions = None;
    }
    capabilities
}

fn digest(turn: &Turn) -> u64 {
    let mut hasher = DefaultHasher::new();
    turn.prompt().whole_text().hash(&mut hasher);
    for tool in turn.newest_tools() {
        (tool.name, tool.description, tool.input_schema.to_string()).hash(&mut hasher);
    }
    hasher.finish()
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let Some(open) = lock(&self.session).take() else { return };
        let own = self.as_client(&open.handle);
        let forks = self.ended_forks().into_iter().map(|fork| own.forked(fork));
        let sessions: Vec<_> = forks.chain(self.kept.is_none().then(|| own.clone())).collect();
        if sessions.is_empty() {
            return;
        }
        let ending = Ending { runtime: Arc::clone(&self.runtime), sessions };
        match tokio::runtime::Handle::try_current() {
            Ok(executor) if self.is_shared => drop(executor.spawn_blocking(move || drop(ending))),
            _ => drop(ending),
        }
    }
}

/// Closes sessions when it is dropped, also by an executor that ends. Hooks of their skills may run
/// then.
struct Ending {
    runtime: Arc<Runtime>,
    sessions: Vec<SessionHandle>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        for session in &self.sessions {
            // If the store fails here, the session expires later.
            let _ = self.runtime.close(session);
        }
    }
}

pub(crate) fn lock<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
