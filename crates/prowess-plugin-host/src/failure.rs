//! The error of a call of a plugin in this process.

use prowess_plugin_abi::{AbiError, codes};

use crate::PluginErrorKind;

/// The error of a call.
#[derive(Debug)]
pub(crate) struct Failure {
    /// An error code of the ABI.
    pub(crate) code: u32,
    /// The kind of the plugin's fault; `None` if the plugin returned the error itself.
    pub(crate) kind: Option<PluginErrorKind>,
    pub(crate) message: String,
}

impl Failure {
    /// Creates the error of a call that failed through a fault of the plugin.
    pub(crate) fn new(kind: PluginErrorKind, code: u32, message: String) -> Self {
        Self { code, kind: Some(kind), message }
    }

    /// Converts an error that the plugin returned. A panic is a fault of the plugin.
    pub(crate) fn reported_by(plugin: &str, error: &AbiError) -> Self {
        let is_panic = matches!(error.code, codes::PANIC | codes::POISONED);
        Self {
            code: error.code,
            kind: is_panic.then_some(PluginErrorKind::Panicked),
            message: format!("the plugin `{plugin}`: {}", error.message),
        }
    }
}
