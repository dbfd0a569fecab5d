//! Starts a process that can do no more than a [`Plan`] grants.
//!
//! A plan is data: which program to start, which files it may read and write, whether it may use
//! the network or start processes, and how much it may consume. The first isolation level,
//! [`Level::Floor`], needs no special rights and no namespaces; [`Level::Namespaces`] adds a
//! process tree and a root directory of its own to it, which has the granted paths and the system's
//! libraries alone. [`Isolation::probe`] reports what this machine offers, and a
//! layer that the plan demands and the machine does not offer means that nothing is started.
//!
//! ```no_run
//! use prowess_sandbox::{Confinement, Isolation, Native, Plan, Program, Streams};
//!
//! # fn main() -> Result<(), prowess_sandbox::SandboxError> {
//! let isolation = Native::new(Program::new("/usr/libexec/prowess-sandbox-stage"));
//! let mut plan = Plan::run(isolation.stage(), Program::new("/usr/bin/wc").argument("/srv/text"));
//! plan.confinement.rights.execute.push("/usr/bin/wc".into());
//! plan.confinement.rights.read.push("/srv/text".into());
//! let mut running = isolation.spawn(&plan, &Streams::inherit(), &[])?;
//! println!("{:?} at {:?}", running.child.wait(), running.report.level);
//! # Ok(())
//! # }
//! ```
//!
//! The child does the work: the program that is started is a *stage*, which confines itself while
//! it has a single thread, checks each layer, and only then goes on ([`enter`]) or replaces itself
//! with another program ([`run_stage`]). Nothing of the host runs between `fork` and `exec`, and
//! the host needs no `unsafe` code.
//!
//! `cargo xtask bench --start` measures what a start costs.
//!
//! This crate knows nothing of skills, plugins or scripts.
#![deny(unsafe_code)]

mod error;
mod isolation;
mod launch;
mod native;
mod plan;
mod report;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(not(target_os = "linux"))]
#[path = "stage_elsewhere.rs"]
mod stage;
mod wire;

pub use error::{SandboxError, SandboxErrorKind};
pub use isolation::{Isolation, Running, Stream, Streams};
pub use native::Native;
pub use plan::{Confinement, DemandedLevel, GroupLimit, Limits, Plan, Program, Rights};
pub use report::{Level, LimitKeeper, LimitKeepers, MissingLayer, Report};
pub use stage::{EXIT_NOT_CONFINED, Inside, enter, remove_ended_groups, run_stage};
#[cfg(target_os = "linux")]
pub use stage::{ProcessCopy, limit_address_space, peak_memory};
pub use wire::{receive, send};
