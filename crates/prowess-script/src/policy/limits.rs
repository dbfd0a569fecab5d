//! The limits of scripts that are keys of a file.

use prowess_sandbox::Limits;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The limits that two operators would set differently.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Keys {
    #[serde(deserialize_with = "prowess_core::positive")]
    processes: u64,
    memory_bytes: u64,
}

/// The least memory in which an interpreter starts: 16 MiB.
const LEAST_MEMORY: u64 = 16 << 20;

impl Default for Keys {
    fn default() -> Self {
        let Limits { processes, memory_bytes, .. } = default();
        Self { processes, memory_bytes }
    }
}

pub(super) fn default() -> Limits {
    Limits {
        processes: 64,
        memory_bytes: 4 << 30,
        // Some interpreters reserve more than they use.
        address_space: 16 << 30,
        cpu_seconds: 600,
        ..Limits::default()
    }
}

pub(super) fn serialize<S: Serializer>(limits: &Limits, serializer: S) -> Result<S::Ok, S::Error> {
    let Limits { processes, memory_bytes, .. } = *limits;
    Keys { processes, memory_bytes }.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Limits, D::Error> {
    let Keys { processes, memory_bytes } = Keys::deserialize(deserializer)?;
    if memory_bytes < LEAST_MEMORY {
        let message =
            format!("`memory_bytes` is {memory_bytes} and has to be at least {LEAST_MEMORY}");
        return Err(D::Error::custom(message));
    }
    let default = default();
    // Memory that is granted can be addressed.
    let address_space = default.address_space.max(memory_bytes);
    Ok(Limits { processes, memory_bytes, address_space, ..default })
}
