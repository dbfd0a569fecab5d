//! Giving skills to an agent of your own.
//!
//! An agent's loop has four places for skills: once at the start, once for each conversation, once
//! for each call of the model, and once for each call of a tool.
//!
//! ```
//! use std::sync::Arc;
//!
//! use prowess::{MemorySource, Runtime, ToolCall};
//! use serde_json::json;
//!
//! // At the start. A program for people also calls `discover`, or `skills_directory`.
//! let tea = "---\nname: tea\ndescription: Brews tea. Use when thirsty.\n---\nWarm the pot.\n";
//! let source = MemorySource::builder("drinks").file("tea/SKILL.md", tea).build()?;
//! let runtime = Runtime::builder().source("user", Arc::new(source)).build()?;
//!
//! // For each conversation.
//! let session = runtime.open_session()?;
//!
//! // For each call of the model: the text for its instructions, and the tools to offer.
//! let turn = runtime.turn(&session)?;
//! let instructions = turn.prompt().text.clone();
//! let tools = turn.tools();
//! assert!(instructions.contains("Brews tea."));
//! assert!(tools.iter().any(|tool| tool.name == "skills_load"));
//!
//! // For each tool call that the model answers with. A wrong call is a result, too.
//! let answer = turn.call(&ToolCall::new("skills_load", json!({ "names": ["tea"] })));
//! assert!(!answer.result.is_error);
//!
//! // The next turn has the loaded skill in its prompt.
//! assert!(runtime.turn(&session)?.prompt().text.contains("Warm the pot."));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Requests of a vendor
//!
//! The feature `vendor` writes the whole part of a request that skills concern, for OpenAI,
//! Anthropic and Gemini; `prowess prompt --vendor anthropic` prints one, and the example
//! `vendor-formats` goes through a conversation.
//!
//! # Tools that you run yourself
//!
//! The gate decides on calls of your own tools as well, by the `allowed-tools` of the loaded
//! skills, your rules and the approvals of a person. `decide` returns the decision, and `guard`
//! runs the call if it is allowed:
//!
//! ```
//! # use prowess::{Runtime, ToolCall, ToolResult};
//! # use serde_json::json;
//! # let runtime = Runtime::builder().default_skills().build()?;
//! # let session = runtime.open_session()?;
//! let call = ToolCall::new("Bash", json!({ "command": "rm -r build" }));
//! let answer = runtime.guard(&session, &call, || ToolResult::text("removed"))?;
//! assert!(answer.result.is_error, "no skill grants it and no person has approved it");
//! assert!(answer.approval.is_some(), "a person can");
//! # Ok::<(), prowess::Error>(())
//! ```
//!
//! # Policies
//!
//! Everything that systems disagree about is a field of [`Policies`](crate::Policies), and a preset
//! is a value of it: `Policies::preset("standard")`, with the feature `config`. An operator's file
//! is laid over a preset by [`Policies::from_yaml`](crate::Policies::from_yaml).
//!
//! # A small program
//!
//! With `default-features = false` the facade brings fewer than 80 crates: skills in memory or
//! compiled in, sessions, prompts and the tools of skills. Each crate can also be used alone.
