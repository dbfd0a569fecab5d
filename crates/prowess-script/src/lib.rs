//! Runs the scripts of skills in confined processes.
//!
//! [`SandboxedScripts`] implements [`ScriptRunner`](prowess_core::ScriptRunner): it copies the
//! package from its source into a private directory, chooses the interpreter of the script, and
//! starts it inside an isolation level of `prowess-sandbox`.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use prowess_sandbox::{Native, Program};
//! use prowess_script::{SandboxedScripts, ScriptPolicy};
//!
//! let stage = Program::new("/usr/libexec/prowess-sandbox-stage");
//! let isolation = Arc::new(Native::new(stage.clone()));
//! let runner = SandboxedScripts::new(isolation, stage, "/run/user/1000", ScriptPolicy::default());
//! ```
//!
//! A host can be its own stage, as `Program::new(std::env::current_exe()?).argument("--stage")`:
//! with this argument, its `main` begins with [`run_stage`](prowess_sandbox::run_stage).
//! `Isolation::probe` returns at the start whether scripts can run; later, the cause of a failure
//! that names a path of the host is in the event `script_not_started`, and not in the result.
//!
//! # How a script runs
//!
//! - The interpreter is chosen by the extension: `.py` runs with `python3`, `.sh` and `.bash` with
//!   `bash`, `.js`, `.cjs` and `.mjs` with `node`, `.pl` with `perl`, `.rb` with `ruby`. A file
//!   with another extension runs with the interpreter of its `#!` line, or directly if it is a
//!   program.
//! - Arguments reach the script byte for byte, and no shell reads them. Standard input is empty.
//! - The environment has `PATH`, `HOME`, `TMPDIR` and `LANG`, the variables that the host passes
//!   on, and those of the call. Variables that choose which code a program loads are refused.
//! - The script can read its package and the system's programs and libraries. It can write to a
//!   directory of its own, which is removed when it ends, and to those of the policy, except to
//!   what programs outside of the sandbox take orders from, such as `.git` and `.envrc`, unless it
//!   is named itself.
//! - There is no network unless the policy grants hosts. Then the script has a network of its own,
//!   which leads to a proxy of this process alone: see `prowess-egress`. The usual variables, such
//!   as `HTTPS_PROXY`, name it.
//! - A secret is granted to a package by its digest. A script that asks for `http://HOST` of a
//!   grant uses the secret without holding it: the proxy adds it and continues by `https`. A secret
//!   in a variable is held by the script, and is replaced in its output.
//! - Its package is a copy, so that no file changes while it runs.
//!
//! This crate reads neither the environment nor a clock of the system other than the time that
//! passes during a run.
#![forbid(unsafe_code)]

pub mod codes;
mod environment;
mod explanation;
mod input;
mod interpreter;
mod kept;
mod network;
mod output;
mod own_files;
mod policy;
mod process;
mod runner;
mod secrets;
mod slots;
mod staged;

pub use explanation::ScriptExplanation;
pub use interpreter::{InlineMetadata, Interpreters};
pub use policy::{AskedGrant, ScriptExecution, ScriptPolicy};
pub use prowess_core;
pub use prowess_egress;
pub use prowess_egress::{HostPattern, TrafficLimits};
pub use prowess_sandbox;
pub use prowess_sandbox::DemandedLevel;
pub use runner::SandboxedScripts;
pub use secrets::{ReadSecret, SecretGrant, SecretSource};
pub use staged::sweep;
