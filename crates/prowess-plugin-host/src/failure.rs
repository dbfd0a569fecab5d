//! Why a call of a plugin has no answer.

use prowess_plugin_abi::{AbiError, codes};

use crate::PluginErrorKind;

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    /// One of the boundary's numbers.
    pub(crate) code: u32,
    /// The plugin's fault; `None` where the plugin itself returned the error.
    pub(crate) kind: Option<PluginErrorKind>,
    pub(crate) message: String,
}

impl Failure {
    /// The plugin did wrong.
    pub(crate) fn of(kind: PluginErrorKind, code: u32, message: String) -> Self {
        Self { code, kind: Some(kind), message }
    }

    /// The plugin returned this error, unless it panicked.
    pub(crate) fn reported_by(plugin: &str, error: &AbiError) -> Self {
        let is_panic = matches!(error.code, codes::PANIC | codes::POISONED);
        Self {
            code: error.code,
            kind: is_panic.then_some(PluginErrorKind::Panicked),
            message: format!("the plugin `{plugin}`: {}", error.message),
        }
    }
}
