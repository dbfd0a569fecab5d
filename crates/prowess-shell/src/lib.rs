//! A shell over a virtual file system in which skills are mounted.
//!
//! ```
//! use std::sync::Arc;
//!
//! use prowess_core::{Cancel, Catalog, SessionId, ShellRequest, VirtualShell};
//! use prowess_shell::{InMemoryShell, ShellPolicy};
//!
//! let shell = InMemoryShell::new(ShellPolicy::default());
//! let session = SessionId::new("conversation")?;
//! let catalog = Arc::new(Catalog::empty());
//! let command = "echo hello";
//! let request = ShellRequest { catalog: &catalog, session: &session, command, rule: None };
//! let outcome = shell.execute(&request, &Cancel::default())?;
//! assert_eq!(outcome.stdout, "hello\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`InMemoryShell`] implements [`VirtualShell`](prowess_core::VirtualShell). Each session has a
//! sandbox: files in memory, a working directory, variables and functions, which its commands
//! share.
//!
//! # Mounted skills
//!
//! - Each skill of the catalog is at `/.sandbox/skills/ID`. Its files are copied from the source
//!   when they are first read, or all at once, depending on the [policy](ShellPolicy).
//! - A command may change or remove such a file: the change is of its sandbox alone, and never
//!   reaches the source. A file that a command writes at such a path replaces the skill's.
//! - The [rule](prowess_core::ReadRule) of a command is applied when a file is opened: by `sh`,
//!   `bash`, `.`, `source` and its path, a script that is only run runs, and no program reads it.
//! - A skill is not mounted if its id cannot be the name of a directory, or one of its files has a
//!   path that cannot be used. [`VirtualShell::mount_path`](prowess_core::VirtualShell::mount_path)
//!   returns the reason, and no file of it is there.
//!
//! # Scripts
//!
//! Commands and scripts are in the language of `bash`, run by an interpreter, with the common
//! programs for files and text. `sh FILE` and `./FILE` run a script with its arguments,
//! which ends at its first failing command. A file whose name ends with `.sh` can always be run,
//! and is read without the carriage returns of an editor of Windows. The shell knows nothing of
//! skills. Scripts in other languages, such as Python, do not run: those need `prowess-script`.
//!
//! # Isolation
//!
//! No command reaches a file, a process, a variable or a network of the host. `/proc`, `/etc` and
//! `/bin` have made-up content. Time, steps, output, files and nesting are limited, and a command
//! that a limit ends has an outcome with the output so far. So does one whose program reaches a
//! limit of its own, such as the lines of `seq`, also in a pipe: its result is never a part.
//!
//! With [`InMemoryShell::in_processes`], each sandbox has a process, confined by `prowess-sandbox`,
//! whose memory the kernel limits: the interpreter does not count all that a command takes. A
//! command runs in a copy of that process, which goes on for it if the command ends. One that takes
//! too much memory, ends the interpreter or does not end is undone, and leaves the files and
//! variables as they were. All sandboxes of a host have 1 GiB together: over it, those that were
//! used the longest time ago are dropped, and the next command of their sessions is the error
//! `sandbox-dropped`. `cargo xtask bench --start` shows the costs beside those
//! of [`InMemoryShell::new`], whose commands run in the host's process.
//!
//! There, and on systems without such processes, a command runs on a thread with a stack of its
//! own, and its memory is limited as far as the interpreter counts it. One that does not end at its
//! deadline is cancelled and left alone, and its sandbox is dropped. While too many such threads
//! still run, no further command starts.
//!
//! This crate reads neither the environment nor a clock of the system other than the time that
//! passes during a command; the program `date` and the times of files are those of the system.
#![forbid(unsafe_code)]

pub mod codes;
mod error;
mod interpreter;
mod lost;
mod memory;
mod messages;
mod mounts;
mod opened;
mod output;
mod policy;
mod process;
mod sandbox;
mod shallow;
mod shell;
mod skill_files;
mod tree;
mod unseen;
#[cfg(target_os = "linux")]
mod worker;
#[cfg(not(target_os = "linux"))]
#[path = "worker_elsewhere.rs"]
mod worker;

pub use error::MountDirectoryError;
pub use mounts::MountedSkill;
pub use policy::{Materialize, MountDirectory, ShellLimits, ShellPolicy};
pub use prowess_core;
pub use prowess_sandbox;
pub use prowess_sandbox::Program;
pub use shell::InMemoryShell;
pub use worker::run_worker;
