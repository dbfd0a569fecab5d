//! The conversations of a server: that of a connection, those that clients name, and those that
//! wait for an answer of a user.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use prowess::session::random_id;
use prowess::text::has_invisible;
use prowess::{ApprovalEntry, Digest, Runtime, SessionId};
use rmcp::ErrorData;
use rmcp::model::{Implementation, RequestMetaObject, ServerConfig};
use rmcp::service::{RequestContext, RoleServer};

use crate::conversation::{self, Conversation, MOST_KEPT, forgotten, lock};
use crate::icon::icon;
use crate::requests::is_stateless;

/// The keys of `_meta` under which clients send the id of a conversation: that of this server, and
/// those of clients in use.
const ID_KEYS: [&str; 3] = ["prowess/conversation", "openai/session", "vscode.conversationId"];

/// The maximum length of a conversation's id, in bytes.
const MOST_ID_BYTES: usize = 256;

/// The number of named conversations after which sessions that have expired are deleted, where they
/// do not end with a server.
const EXPIRY_INTERVAL: usize = 256;

/// The client that sends a request, if its transport distinguishes several. Conversations with one
/// id of different clients are different.
#[derive(Clone)]
pub(crate) struct ClientName(pub(crate) Arc<str>);

/// The start of the names of clients that are users with tokens.
pub(crate) const USER: &str = "user ";

/// A client and the id that it gives to a conversation.
type NamedKey = (Option<Arc<str>>, String);

/// The conversations that the connections of one server share.
pub(crate) struct Conversations {
    runtime: Arc<Runtime>,
    info: ServerConfig,
    named: Mutex<Recent<NamedKey, Arc<Conversation>>>,
    waiting: Mutex<Recent<String, Waiting>>,
    /// Whether several clients use the table.
    is_shared: bool,
    /// Whether other servers over the same store continue the named ones.
    are_kept: bool,
    /// The number of named ones that have begun here.
    begun: AtomicUsize,
}

/// A call that waits for the answer of a user, which the client sends with the call's repetition.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub(crate) conversation: Arc<Conversation>,
    pub(crate) asked: ApprovalEntry,
}

impl Conversations {
    /// Creates a table without conversations.
    pub(crate) fn new(runtime: Arc<Runtime>, is_shared: bool) -> Self {
        let implementation =
            Implementation::new("prowess", env!("CARGO_PKG_VERSION")).with_icons(vec![icon()]);
        let capabilities = conversation::capabilities(runtime.policies());
        let info = ServerConfig::new(capabilities).with_server_info(implementation);
        let (named, waiting, begun) = Default::default();
        Self { runtime, info, named, waiting, is_shared, are_kept: false, begun }
    }

    /// Sets whether other servers over the same store continue the conversations that clients name.
    #[cfg(feature = "http")]
    pub(crate) fn kept(self, are_kept: bool) -> Self {
        Self { are_kept, ..self }
    }

    /// Creates a conversation, which nothing refers to yet.
    pub(crate) fn conversation(&self) -> Conversation {
        Conversation::new(Arc::clone(&self.runtime), self.is_shared)
    }

    /// Returns what all servers report about themselves, without instructions.
    pub(crate) fn info(&self) -> &ServerConfig {
        &self.info
    }

    /// Returns the conversation that a request names, or `None` if it names none.
    ///
    /// # Errors
    ///
    /// The id is malformed, or the conversation has made room for others and does not know it yet.
    pub(crate) fn named(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<Arc<Conversation>>, ErrorData> {
        let Some(id) = id(&context.meta)? else { return Ok(None) };
        let mut named = lock(&self.named);
        let key = (owner(context), id);
        if let Some(conversation) = named.get(&key) {
            return Ok(Some(conversation));
        }
        if !self.are_kept && named.was_forgotten(&key) {
            return Err(forgotten(&format!(
                "the server keeps {MOST_KEPT} conversations, and has forgotten the loaded skills \
                 and the sandbox of this one for others"
            )));
        }
        let conversation = Arc::new(self.begin(&key));
        let forgotten = named.insert(key, Arc::clone(&conversation));
        drop(named);
        // Closing a session may wait for a store.
        drop(forgotten);
        Ok(Some(conversation))
    }

    fn begin(&self, (client, id): &NamedKey) -> Conversation {
        if !self.are_kept {
            return self.conversation();
        }
        if self.begun.fetch_add(1, Ordering::Relaxed).is_multiple_of(EXPIRY_INTERVAL) {
            let runtime = Arc::clone(&self.runtime);
            // If the store fails, they are deleted later.
            tokio::task::spawn_blocking(move || drop(runtime.expire_sessions()));
        }
        let digest =
            Digest::of(format!("{}\n{id}", client.as_deref().unwrap_or_default()).as_bytes());
        let digits = digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let session = SessionId::new(digits).expect("hexadecimal digits are allowed");
        Conversation::kept(Arc::clone(&self.runtime), session)
    }

    /// Keeps the conversation of a session that a call has forked, under the session's id.
    pub(crate) fn keep_fork(
        &self,
        parent: &Conversation,
        session: &SessionId,
        context: &RequestContext<RoleServer>,
    ) {
        let is_request = is_stateless(context) && matches!(id(&context.meta), Ok(None));
        let outlives = self.is_shared && is_request;
        let Some(child) = parent.forked(session, outlives) else { return };
        let key = (owner(context), session.as_str().to_owned());
        let forgotten = lock(&self.named).insert(key, Arc::new(child));
        drop(forgotten);
    }

    /// Keeps a call until its repetition, and returns the state by which the client refers to it.
    /// It cannot be guessed, so that no client answers for another.
    pub(crate) fn keep(&self, waiting: Waiting) -> Result<String, ErrorData> {
        let state =
            random_id().map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let forgotten = lock(&self.waiting).insert(state.clone(), waiting);
        drop(forgotten);
        Ok(state)
    }

    /// Removes and returns the call that waits under a state.
    pub(crate) fn take(&self, state: &str) -> Option<Waiting> {
        lock(&self.waiting).remove(state)
    }
}

/// Returns the id of a conversation that a client sends with a request.
fn id(meta: &RequestMetaObject) -> Result<Option<String>, ErrorData> {
    let Some((key, id)) = ID_KEYS.iter().find_map(|key| Some((*key, meta.get(*key)?))) else {
        return Ok(None);
    };
    match id.as_str() {
        Some(id) if !id.is_empty() && id.len() <= MOST_ID_BYTES && !has_invisible(id) => {
            Ok(Some(id.to_owned()))
        }
        _ => {
            let message = format!(
                "`_meta` has no valid `{key}`: send a text of at most {MOST_ID_BYTES} bytes"
            );
            Err(ErrorData::invalid_params(message, None))
        }
    }
}

/// Returns the client whose conversations a request names: that of a user, or without one, by its
/// name at its address.
fn owner(context: &RequestContext<RoleServer>) -> Option<Arc<str>> {
    let client = client_name(context);
    let is_user = client.as_ref().is_some_and(|client| client.starts_with(USER));
    let Some(info) = context.client_info().filter(|_| !is_user) else { return client };
    Some(format!("{} {}", client.as_deref().unwrap_or_default(), info.name).into())
}

/// Returns the client that sends a request over HTTP.
#[cfg(feature = "http")]
pub(crate) fn client_name(context: &RequestContext<RoleServer>) -> Option<Arc<str>> {
    let parts = context.extensions.get::<hyper::http::request::Parts>()?;
    parts.extensions.get::<ClientName>().map(|name| Arc::clone(&name.0))
}

#[cfg(not(feature = "http"))]
pub(crate) fn client_name(context: &RequestContext<RoleServer>) -> Option<Arc<str>> {
    context.extensions.get::<ClientName>().map(|name| Arc::clone(&name.0))
}

/// Keeps the values that were used most recently, and the keys of as many that made room.
struct Recent<K, V> {
    kept: VecDeque<(K, V)>,
    forgotten: VecDeque<K>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { kept: VecDeque::new(), forgotten: VecDeque::new() }
    }
}

impl<K: PartialEq, V: Clone> Recent<K, V> {
    /// Returns a value, which is then the most recent one.
    fn get(&mut self, key: &K) -> Option<V> {
        let at = self.kept.iter().position(|(known, _)| known == key)?;
        let entry = self.kept.remove(at)?;
        let value = entry.1.clone();
        self.kept.push_back(entry);
        Some(value)
    }

    /// Adds a value, and returns the one that makes room for it.
    fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.kept.push_back((key, value));
        if self.kept.len() <= MOST_KEPT {
            return None;
        }
        let (key, value) = self.kept.pop_front()?;
        self.forgotten.push_back(key);
        if self.forgotten.len() > MOST_KEPT {
            self.forgotten.pop_front();
        }
        Some(value)
    }

    /// Returns whether the value of a key has made room, once.
    fn was_forgotten(&mut self, key: &K) -> bool {
        let at = self.forgotten.iter().position(|forgotten| forgotten == key);
        at.is_some_and(|at| self.forgotten.remove(at).is_some())
    }

    fn remove<Q: PartialEq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
    {
        let at = self.kept.iter().position(|(known, _)| known.borrow() == key)?;
        self.kept.remove(at).map(|(_, value)| value)
    }
}
