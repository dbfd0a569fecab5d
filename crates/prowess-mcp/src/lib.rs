//! Skills and their tools over the Model Context Protocol.
//!
//! ```no_run
//! let server = prowess_mcp::StdioServer::new()?;
//! let runtime = prowess::Runtime::builder()
//!     .policies(prowess_mcp::policies())
//!     .default_skills()
//!     .build()?;
//! server.serve(runtime)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A server cannot change a client's instructions after the handshake, so the catalog is in the
//! description of the tool that loads skills, and a loaded body is part of the result of the call
//! that loads it. Both fit what clients keep, whatever the number of skills: see [`adapt`]. A
//! result has one part of text, and comes in pages for clients that cut long ones, which the server
//! knows by their names; its first page names the call for the next one.
//! Each connection has a session of its own, and so has each conversation that a
//! client names in `_meta`: skills that one client loads are not active for another. When the
//! catalog changes, each client gets one notification for each kind of list, or one per
//! subscription from revision 2026-07-28 on.
//!
//! A client chooses what is its own by texts in `_meta` of its requests, or over HTTP by headers
//! with a dash in place of the slash: by `prowess/surfaces` the surfaces of the policy whose tools
//! its model sees and calls, such as `skill`, each with the skill list of its document, and by
//! `prowess/discipline` how skills become active in its sessions: `set`, `stack` or `stateless`, as
//! long as the operator's limits on active skills mean no less. By `prowess/host` as `own`, its
//! session is one conversation that keeps each result, in which a body is sent once; by default, it
//! is sent with each load. For a client that does not ask, the key `clients` has the same by the
//! name that it gives itself. So clients of one server work in different ways at the same time,
//! under one gate and with one audit.
//!
//! A client also reports its model and its task there, for metrics and the audit, as
//! `prowess/model` and `prowess/task`: a task ends with its skills as soon as another one is named,
//! or the empty name. It reports a compaction as `prowess/compacted`: true, or the ids of the
//! skills whose instructions it has kept; the result of that call has the others again. With
//! `prowess/message`, the user's message, a result has the skills that `auto_load` finds for it.
//! With `prowess/fork` as true, a skill with `context: fork` is loaded into a conversation of its
//! own, which the result names under this key, and later calls as `prowess/conversation`; so are
//! those that later calls load, until one has it as false. It may load no other skill. It ends with
//! the task and the conversation that began it, or like any other named one if that was a single
//! request. Those outlast connections, of which clients open one for each message, and their skills
//! end with their task. A failure is in `prowess/error` of the result, as
//! `[CODE] message (key=value, …)`.
//!
//! Each request is a turn of its own and pins the catalog that is current when it starts. The model
//! may have been shown an older one, because a client reads lists and instructions when it likes.
//! Its call is answered from the current one then: a skill that has changed is loaded as it is now,
//! and one that is gone is an error that names it. No older version is kept for a client; a skill
//! that the conversation has loaded stays as `session.on_change` says.
//!
//! A call that needs an approval is a question to the user of a client that shows questions. The
//! answer is a message of the client, so a model cannot give it.
//!
//! The skills that a user may load are prompts, and the files of skills are resources, which the
//! extension `io.modelcontextprotocol/skills` describes with their digests. Files are offered only
//! if the policies let a model read every file of every skill.
#![forbid(unsafe_code)]

mod annotations;
mod approval_hint;
mod calls;
mod changes;
mod compaction;
mod conversation;
mod conversations;
mod convert;
mod elicitation;
mod ending;
mod error;
mod hangup;
mod hidden;
#[cfg(feature = "http")]
mod http;
mod icon;
mod log;
mod logged;
mod manifest;
mod order;
mod origin;
mod page;
mod progress;
mod prompts;
mod repeated_arguments;
mod requests;
mod resources;
mod result_limits;
mod server;
mod skill_uri;
mod stdio;
mod transport;
mod watched;

use prowess::prompt::{CatalogPlace, Overflow};
use prowess::session::OnLimit;
use prowess::tools::{ReadGate, ToolHost};
use prowess::{BodyDelivery, Policies};

pub use approval_hint::{ApprovalChannel, ApprovalHint};
pub use error::ServeError;
#[cfg(feature = "tls")]
pub use http::HttpTls;
#[cfg(feature = "http")]
pub use http::{FetchDocument, HttpLimits, HttpOptions, HttpServer, HttpToken, OAuthOptions};
pub use prowess;
pub use server::SkillServer;
pub use stdio::StdioServer;
pub use transport::LineTransport;

/// The maximum length of a tool's description, in characters. Some vendors refuse a longer one.
const MOST_DESCRIPTION: usize = 1_024;

/// The maximum length of the instructions, in bytes. Clients that defer tools cut them there.
pub(crate) const MOST_INSTRUCTIONS: usize = 2_048;

/// The number of characters of a description that distinguish skills where there is little room.
const FIRST_WORDS: usize = 32;

/// Returns the standard policies, adapted to the protocol by [`adapt`].
pub fn policies() -> Policies {
    adapt(Policies::default())
}

/// Adapts policies to the protocol:
///
/// - Bodies are delivered in tool results, since instructions cannot change.
/// - The catalog is in the description of the tool that loads skills instead of the instructions,
///   which many clients drop. Clients cut or refuse a long description, so it has at most 1,024
///   characters: of a larger catalog, the first words or the names of the skills of the highest
///   layers. Clients that defer tools show the instructions alone, which have a short list of at
///   most 2,048 bytes. Policies with another place of the catalog keep it, and its budget.
/// - A connection is not a conversation: loads add skills and always return bodies, the oldest ones
///   are unloaded at the limit, and files of every visible skill can be read unless the policies
///   choose a read gate themselves. Some clients start one server per call.
pub fn adapt(policies: Policies) -> Policies {
    let mut policies = policies.with_body_delivery(BodyDelivery::ToolResult);
    policies.tools.read_gate.get_or_insert(ReadGate::Known);
    policies.tools.host = ToolHost::Foreign;
    policies.session.on_limit = OnLimit::UnloadOldest;
    let place = &mut policies.prompt.catalog_place;
    if *place == CatalogPlace::SystemPrompt && policies.tools.load_tool().is_some() {
        *place = CatalogPlace::ToolDescription;
        policies.prompt.max_characters = Some(MOST_DESCRIPTION);
        policies.prompt.min_description = FIRST_WORDS;
        if policies.prompt.on_overflow == Overflow::Shorten {
            // There is no message, and the skills of a project are fewer and nearer than others.
            policies.prompt.on_overflow = Overflow::Layer;
        }
    }
    policies
}
