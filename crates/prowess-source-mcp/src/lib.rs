//! The skills of MCP servers as a [`SkillSource`](prowess_core::SkillSource): over the standard
//! input and output of a program, or over Streamable HTTP.
//!
//! ```
//! use std::sync::Arc;
//!
//! use prowess_core::SkillSource;
//! use prowess_source_mcp::{Label, McpOptions, McpServer, McpSource};
//! use prowess_source_remote::HttpOptions;
//! # use prowess_core::{Clock, Timestamp};
//! # #[derive(Default)]
//! # struct Fixed;
//! # impl Clock for Fixed {
//! #     fn now(&self) -> Timestamp { Timestamp(0) }
//! #     fn elapsed(&self) -> std::time::Duration { std::time::Duration::ZERO }
//! # }
//! # let clock = Arc::new(Fixed);
//!
//! let url = "https://skills.example.com/mcp".to_owned();
//! let server = McpServer::Url { url, http: HttpOptions::default() };
//! let source = McpSource::new(&Label::new("team")?, server, clock, McpOptions::default())?;
//! assert_eq!(source.root(), "mcp://team");
//! # Ok::<_, prowess_source_mcp::Error>(())
//! ```
//!
//! A server lists its skills with the [skills extension]: the frontmatter of each, and the size and
//! the digest of each file. A scan reads that listing and no file. A file is read when a skill is
//! loaded or when a model asks for it, and it is returned only if it is the listed one: its size,
//! its digest and, of a `SKILL.md`, every field of the frontmatter. The digest of a package is
//! computed from the listing, so that an approval is bound to exactly these files. Of a server
//! without the extension, the resources below `skill://` are used, whose `SKILL.md` a scan has to
//! read.
//!
//! Servers are untrusted. The identity of a skill is the label that the host gives the server, and
//! the URI. Every list, message and wait has a limit, and a URI is a name and never a path of a
//! disk. A server that fails leaves its last good listing in use, with its age, as long as the host
//! runs. Requests over HTTP follow the rules of `prowess-source-remote`.
//!
//! The listing is read again when it is old, and when a program reports a change with its other
//! messages. A skill that the listing leaves out is used if the host names its URI
//! ([`McpOptions::named_skills`]).
//!
//! The client is a small one of its own: a source makes seven kinds of requests, one at a time and
//! without an async runtime, which the protocol's SDK would bring.
//!
//! [skills extension]: https://modelcontextprotocol.io/seps/2640-skills-extension
#![forbid(unsafe_code)]

mod call;
mod changes;
pub mod codes;
mod connection;
mod contents;
mod entry;
mod error;
mod frontmatter;
mod http;
mod label;
mod link;
mod lister;
mod listing;
mod message;
mod options;
mod pages;
mod place;
mod reader;
mod resources;
mod shared;
mod skill;
mod source;
mod sse;
mod stdio;
mod stdio_reader;
mod transport;
mod watch_thread;

pub use error::Error;
pub use label::Label;
pub use options::{McpOptions, McpServer, ServerCommand};
pub use prowess_core;
pub use prowess_source_remote;
pub use source::McpSource;
