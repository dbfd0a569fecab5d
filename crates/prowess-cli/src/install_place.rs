//! The store, the lock file and the remote of a command.

use std::path::PathBuf;

use prowess_source_remote::{AnyRemote, GIT_VARIABLES, GitOptions, HttpOptions};
use prowess_store::{InstallError, Installer, LockFile, Store, StoreError, StoreSource};

use crate::args::InstallOptions;
use crate::failure::Failure;
use crate::paths::machine;

/// The store, a lock file and the remotes.
pub(crate) struct InstallPlace {
    pub(crate) store: Store,
    pub(crate) lock: LockFile,
    remote: AnyRemote,
}

impl InstallPlace {
    pub(crate) fn new(options: &InstallOptions) -> Result<Self, Failure> {
        let named_hosts = options.hosts.clone();
        let http = HttpOptions { named_hosts, ..HttpOptions::default() };
        let remote = AnyRemote::new(http).with_git(git_options());
        Ok(Self { store: store()?, lock: lock_file(options.lock.as_ref())?, remote })
    }

    pub(crate) fn installer(&self) -> Installer<'_> {
        Installer { store: &self.store, lock: &self.lock, remote: &self.remote }
    }
}

/// Returns the options of git, with what the user's credential helpers need of the environment.
fn git_options() -> GitOptions {
    let variable = |name: &str| Some((name.into(), std::env::var_os(name)?));
    let environment = GIT_VARIABLES.into_iter().filter_map(variable).collect();
    GitOptions { environment, ..GitOptions::default() }
}

/// Returns the store of the user.
pub(crate) fn store() -> Result<Store, Failure> {
    Ok(Store::new(directory().ok_or_else(without_home)?.join("store")))
}

/// Returns the named lock file, or that of the user.
pub(crate) fn lock_file(named: Option<&PathBuf>) -> Result<LockFile, Failure> {
    let path = match named {
        Some(path) => path.clone(),
        None => directory().ok_or_else(without_home)?.join("prowess.lock"),
    };
    Ok(LockFile::new(path))
}

/// Returns the skills that the user has installed; `None` if there is no lock file.
pub(crate) fn installed() -> Option<StoreSource> {
    let directory = directory()?;
    let lock = directory.join("prowess.lock");
    let store = Store::new(directory.join("store"));
    lock.exists().then(|| StoreSource::new(store, LockFile::new(lock)))
}

fn directory() -> Option<PathBuf> {
    Some(machine(None).state_home()?.join("prowess"))
}

fn without_home() -> Failure {
    let message = "the store of skills cannot be located: the user has no home directory";
    Failure::new("state-directory-unknown", message, "set `HOME` or `XDG_STATE_HOME`")
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        let help = match &error {
            InstallError::SurfaceGrown { .. } => {
                "look at `prowess update --preview`, then run `prowess update --accept`"
            }
            InstallError::OtherSource { .. } => "remove the installed skill first",
            InstallError::NotInstalled(_) => "`prowess list` shows the installed skills",
            InstallError::Store(StoreError::Lock(_)) => "restore or repair the lock file",
            InstallError::Store(_) => "`prowess verify` shows the state of the store",
            InstallError::Remote(_) => "check the source; what is installed keeps working",
            _ => "report it to the publisher; nothing was installed",
        };
        Self::new(error.code().as_str(), error.to_string(), help)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        InstallError::from(error).into()
    }
}
