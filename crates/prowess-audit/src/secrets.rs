//! Secrets of the host, for its tools.

use std::fmt;

use crate::Redactor;

/// Returns the secret with a name.
type Provider = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Provides secrets of the host by name, and removes each that was provided from the audit.
///
/// A tool of the host takes its credentials from here, so that none is in a skill, in an argument
/// or in the code.
///
/// ```
/// use prowess_audit::{Redactor, Secrets};
///
/// let redactor = Redactor::default();
/// let keychain = |name: &str| (name == "crm").then(|| "hunter2-of-the-host".to_owned());
/// let secrets = Secrets::new(keychain, redactor.clone());
///
/// let secret = secrets.get("crm").expect("the keychain has it");
/// assert_eq!(secret.expose(), "hunter2-of-the-host");
/// assert_eq!(redactor.redact("sent hunter2-of-the-host"), "sent [REDACTED]");
/// assert!(secrets.get("unknown").is_none());
/// ```
pub struct Secrets {
    provider: Box<Provider>,
    redactor: Redactor,
}

/// The value of a secret. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secrets {
    /// Creates the secrets that `provider` returns by name, such as from a keychain. `redactor` is
    /// that of the log.
    pub fn new(
        provider: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
        redactor: Redactor,
    ) -> Self {
        Self { provider: Box::new(provider), redactor }
    }

    /// Returns a secret; `None` if the host has none of this name.
    pub fn get(&self, name: &str) -> Option<Secret> {
        let value = (self.provider)(name)?;
        // Before the caller has it, so that nothing is logged in between.
        self.redactor.register(value.as_str());
        Some(Secret(value))
    }
}

impl Secret {
    /// Returns the value.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret([REDACTED])")
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secrets({:?})", self.redactor)
    }
}
