//! This machine and its user, as the process sees them.

#[cfg(feature = "state")]
use std::sync::Arc;

#[cfg(feature = "state")]
use prowess_core::{FolderTrust, NoFolderTrust};
use prowess_source_fs::Surroundings;
#[cfg(feature = "state")]
use prowess_state::{CurrentTrust, TrustFile};

#[cfg(feature = "state")]
use crate::{Error, Runtime, RuntimeBuilder};

/// Returns the directories of this machine and its user: the home, the working directory and those
/// that the environment names.
pub fn this_machine() -> Surroundings {
    let machine = Surroundings::new(std::env::home_dir(), std::env::current_dir().ok());
    machine.with_environment(|name| std::env::var_os(name))
}

/// Returns the file of the folders that the user of a machine trusts; `None` for a user without a
/// home. The program `prowess` and each host that uses this file share its answers.
#[cfg(feature = "state")]
pub fn trust_file(machine: &Surroundings) -> Option<TrustFile> {
    Some(TrustFile::new(machine.state_home()?.join("prowess/trust.json")))
}

/// Returns the trust in folders by [`trust_file`], whose changes a running program sees. Without
/// such a file, no folder is trusted.
#[cfg(feature = "state")]
pub fn folder_trust(machine: &Surroundings) -> Arc<dyn FolderTrust> {
    match trust_file(machine) {
        Some(file) => Arc::new(CurrentTrust::new(file)),
        None => Arc::new(NoFolderTrust),
    }
}

#[cfg(feature = "state")]
impl Runtime {
    /// Builds a runtime with the skills of this machine's user and of the project in the working
    /// directory, where every client looks for them. The skills of a project are hidden until
    /// [`trust_file`] has its folder: [`HiddenProject::all`](prowess_registry::HiddenProject::all)
    /// returns what to ask the user, and the next turn sees the answer. The example
    /// `ask_the_person` does so.
    ///
    /// Nothing is configured: [`RuntimeBuilder::discover_here`] has the same directories beside
    /// policies, sources and services of the host.
    ///
    /// # Errors
    ///
    /// As [`RuntimeBuilder::build`].
    pub fn for_this_machine() -> Result<Self, Error> {
        Self::builder().discover_here().build()
    }
}

#[cfg(feature = "state")]
impl RuntimeBuilder {
    /// Adds the skill directories of [`this_machine`] by [`Self::discover`], with its
    /// [`folder_trust`]. For a project in another directory, change the field `working_directory`
    /// of [`this_machine`] and call [`Self::discover`].
    #[must_use]
    pub fn discover_here(self) -> Self {
        let machine = this_machine();
        let trust = folder_trust(&machine);
        self.discover(machine, trust)
    }
}
