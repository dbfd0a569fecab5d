//! A process to start and how far it is confined, as data.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A process to start and how far it is confined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The program that is started. It calls [`enter`](crate::enter) or
    /// [`run_stage`](crate::run_stage) before it starts a thread.
    pub stage: Program,
    /// The program that [`run_stage`](crate::run_stage) replaces itself with. By default, `None`:
    /// the stage itself goes on inside.
    pub exec: Option<Program>,
    /// The environment of the process. Nothing of the host's is added. By default, empty.
    pub environment: Vec<(OsString, OsString)>,
    /// The working directory. By default, `/`.
    pub directory: PathBuf,
    /// The layers and limits of the process.
    pub confinement: Confinement,
    /// The port of `127.0.0.1` at which the process reaches a proxy of the host, in a network of
    /// its own that leads nowhere else. It needs [`Level::Namespaces`](crate::Level::Namespaces),
    /// and the host accepts its connections from
    /// [`Running::listener`](crate::Running::listener). By default, `None`: [`Rights::network`]
    /// decides.
    pub proxy_port: Option<u16>,
    /// Milliseconds that the stage may take to confine itself. By default, 10,000.
    pub start_ms: u64,
}

/// A program and its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The path of the program. A name without a slash is searched for in `PATH` for a stage, and
    /// not at all inside.
    pub path: PathBuf,
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
}

/// The rights, limits and isolation level of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Confinement {
    /// The level that is demanded. By default, the highest that the machine offers.
    pub level: DemandedLevel,
    /// The rights of the process. By default, none.
    pub rights: Rights,
    /// The resources that the process may consume.
    pub limits: Limits,
}

/// The isolation level that a plan demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DemandedLevel {
    /// The highest level that the machine offers, and at least
    /// [`Level::Floor`](crate::Level::Floor).
    #[default]
    Best,
    /// Exactly [`Level::Floor`](crate::Level::Floor).
    Floor,
    /// Exactly [`Level::Namespaces`](crate::Level::Namespaces).
    Namespaces,
    /// Exactly [`Level::Unconfined`](crate::Level::Unconfined): for programs that the operator
    /// trusts as much as the host itself.
    Unconfined,
}

/// The rights of a process. Libraries of the system, its time zones and its sources of randomness
/// can always be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rights {
    /// Files, and directories with everything below them, that may be read. A missing one is
    /// skipped.
    pub read: Vec<PathBuf>,
    /// Files, and directories with everything below them, that may be read, written, created and
    /// removed. A missing one is skipped.
    pub write: Vec<PathBuf>,
    /// Files and directories below those of `write` that are only read, unless `write` names them
    /// or what is in them. Without namespaces, nothing is created in a directory above one.
    pub keep: Vec<PathBuf>,
    /// Programs, and directories with everything below them, that may be run.
    pub execute: Vec<PathBuf>,
    /// Whether the process may open network connections. By default, `false`.
    pub network: bool,
    /// Whether the process may start processes. By default, `false`: threads only.
    pub processes: bool,
    /// Whether the process has an empty `/tmp` of its own where it is in namespaces, which it may
    /// write to. By default, `false`.
    pub private_tmp: bool,
}

/// The resources that a process and its descendants may consume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Threads and processes at the same time. By default, 256.
    pub processes: u64,
    /// The maximum size of a written file, in bytes. By default, 64 MiB.
    pub file_bytes: u64,
    /// Seconds of processor time of each process. By default, 3,600.
    pub cpu_seconds: u64,
    /// Bytes of memory of all processes together, where a control group counts it. By default, 2
    /// GiB.
    pub memory_bytes: u64,
    /// Bytes of address space of each process. By default, 2 GiB.
    pub address_space: u64,
    /// Open files of each process. By default, 256.
    pub open_files: u64,
    /// The limits that a control group must keep for all processes together: where none can,
    /// nothing is started. By default, none: then resource limits count the processes of the user
    /// and the memory of each process.
    pub demanded: Vec<GroupLimit>,
}

/// A limit that a control group can keep for all processes of a sandbox together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GroupLimit {
    /// [`Limits::processes`].
    Processes,
    /// [`Limits::memory_bytes`].
    Memory,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: 256,
            file_bytes: 64 << 20,
            cpu_seconds: 3_600,
            memory_bytes: 2 << 30,
            address_space: 2 << 30,
            open_files: 256,
            demanded: Vec::new(),
        }
    }
}

impl Program {
    /// Creates a program without arguments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), arguments: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }
}

impl Plan {
    /// Creates a plan for a program that confines itself with [`enter`](crate::enter).
    pub fn enter(stage: Program) -> Self {
        Self {
            stage,
            exec: None,
            environment: Vec::new(),
            directory: "/".into(),
            confinement: Confinement::default(),
            proxy_port: None,
            start_ms: 10_000,
        }
    }

    /// Creates a plan for `program`, which `stage` replaces itself with.
    pub fn run(stage: &Program, program: Program) -> Self {
        Self { exec: Some(program), ..Self::enter(stage.clone()) }
    }
}
