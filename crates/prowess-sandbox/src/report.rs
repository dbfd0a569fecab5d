//! The layers around a process.

use serde::{Deserialize, Serialize};

/// An isolation level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Limits on resources and no new privileges, but every right of the host's user.
    Unconfined,
    /// Landlock, a system call filter, no capabilities, no new privileges and limits.
    Floor,
    /// The same in namespaces for processes, mounts, inter-process communication and host names.
    Namespaces,
}

impl Level {
    /// Returns the name that users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unconfined => "unconfined",
            Self::Floor => "floor",
            Self::Namespaces => "namespaces",
        }
    }
}

/// The layers that were built around a process, each checked by the process itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The level that the layers add up to.
    pub level: Level,
    /// The layers, for people.
    pub layers: Vec<String>,
    /// The parts of the kernel that keep the limits of all processes together.
    pub limits: LimitKeepers,
    /// Layers that this machine does not offer and that the plan does not demand.
    pub missing: Vec<MissingLayer>,
}

/// The parts of the kernel that keep the limits of all processes of a sandbox together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitKeepers {
    /// The part that counts processes and threads.
    pub processes: LimitKeeper,
    /// The part that counts memory.
    pub memory: LimitKeeper,
}

/// A part of the kernel that keeps a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitKeeper {
    /// Resource limits: the memory of each process, and the processes of the user.
    #[default]
    ResourceLimits,
    /// A control group of the first version, for all processes of the sandbox together.
    ControlGroupV1,
    /// A control group of the second version, for all processes of the sandbox together.
    ControlGroupV2,
}

impl LimitKeeper {
    /// Returns the name that users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ResourceLimits => "resource limits",
            Self::ControlGroupV1 => "control group v1",
            Self::ControlGroupV2 => "control group v2",
        }
    }
}

/// A layer that could not be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingLayer {
    /// The layer's name.
    pub layer: String,
    /// The reason, as the operating system reports it.
    pub reason: String,
}
