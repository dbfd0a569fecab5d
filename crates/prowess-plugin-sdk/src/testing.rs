//! A fake host for tests of plugins.
//!
//! ```
//! use prowess_plugin_sdk::prowess_core::MemorySource;
//! use prowess_plugin_sdk::testing::FakeHost;
//! use prowess_plugin_sdk::{Error, Host, Level, Plugin, Registration};
//!
//! struct Notes;
//!
//! impl Plugin for Notes {
//!     type Config = ();
//!
//!     fn init(host: Host, (): ()) -> Result<Registration, Error> {
//!         host.log(Level::Info, "notes", "started");
//!         Ok(Registration::new().source(MemorySource::builder("notes").build()?))
//!     }
//! }
//!
//! let host = FakeHost::default();
//! let instance = host.init::<Notes>(&serde_json::Value::Null)?;
//! assert_eq!(instance.sources().len(), 1);
//! assert_eq!(host.log_lines(), ["info notes: started"]);
//! # Ok::<(), Error>(())
//! ```

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::{RArc, RStr};
use prowess_plugin_abi::{Change, HostApi, HostApi_TO, HostBox, levels};
use serde::Serialize;
use serde_json::Value;

use crate::{Error, Host, Plugin, Registration, config};

/// A host that records every message. Clones refer to the same host. Its clock is 0 until
/// [`Self::advance`] is called.
#[derive(Clone, Debug, Default)]
pub struct FakeHost(Arc<State>);

#[derive(Debug, Default)]
struct State {
    log: Mutex<Vec<String>>,
    events: Mutex<Vec<(String, Value)>>,
    now_ms: AtomicU64,
}

impl FakeHost {
    /// Creates an instance of a plugin with this configuration; `Value::Null` for none. The
    /// instance is not wrapped by the ABI, so a panic of the plugin fails the test.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration is invalid, or the error of the plugin.
    pub fn init<P: Plugin>(&self, configuration: &Value) -> Result<Registration, Error> {
        let text = if configuration.is_null() { String::new() } else { configuration.to_string() };
        P::init(self.host(), config::decode(&text)?)
    }

    /// Returns the host interface for a plugin.
    pub fn host(&self) -> Host {
        Host::new(self.object(), [])
    }

    pub(crate) fn object(&self) -> HostBox {
        HostApi_TO::from_ptr(RArc::new(self.clone()), TD_Opaque)
    }

    /// Returns the log lines as `level target: message`.
    pub fn log_lines(&self) -> Vec<String> {
        lock(&self.0.log).clone()
    }

    /// Returns the reported events.
    pub fn events(&self) -> Vec<(String, Value)> {
        lock(&self.0.events).clone()
    }

    /// Advances the clock.
    pub fn advance(&self, milliseconds: u64) {
        self.0.now_ms.fetch_add(milliseconds, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostApi for FakeHost {
    fn log(&self, level: u32, target: RStr<'_>, message: RStr<'_>) {
        let level = match level {
            levels::ERROR => "error",
            levels::WARN => "warn",
            levels::INFO => "info",
            _ => "debug",
        };
        lock(&self.0.log).push(format!("{level} {target}: {message}"));
    }

    fn emit(&self, name: RStr<'_>, data: RStr<'_>) {
        let data = serde_json::from_str(data.as_str()).unwrap_or_default();
        lock(&self.0.events).push((name.to_string(), data));
    }

    fn is_cancelled(&self, _: u64) -> u32 {
        0
    }

    fn changed(&self, _: u64, _: Change<'_>) {}

    fn now_ms(&self) -> u64 {
        self.0.now_ms.load(Ordering::Relaxed)
    }

    fn elapsed_ns(&self) -> u64 {
        self.0.now_ms.load(Ordering::Relaxed).saturating_mul(1_000_000)
    }
}

/// Checks that the schema in the manifest equals the one that was generated from the type of the
/// configuration, for example by schemars. The order of keys does not matter.
///
/// # Panics
///
/// Panics if they differ. The message contains the generated schema.
#[track_caller]
pub fn assert_schema(declared: &str, generated: &impl Serialize) {
    let generated = serde_json::to_value(generated).expect("a schema is serializable");
    let declared: Value = serde_json::from_str(declared).expect("the schema is JSON");
    assert_eq!(
        declared, generated,
        "the schema in the manifest differs from the generated one:\n{generated:#}\n"
    );
}
