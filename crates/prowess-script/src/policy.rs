//! The script policy.

mod limits;

use std::collections::BTreeMap;
use std::path::PathBuf;

use prowess_core::{HostCommands, Trust};
use prowess_egress::{HostPattern, TrafficLimits};
use prowess_sandbox::{DemandedLevel, Limits};
use serde::{Deserialize, Serialize};

use crate::{InlineMetadata, Interpreters, SecretGrant};

/// How scripts run and what they may do. Every field is optional in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptPolicy {
    /// How programs that serve skills run scripts. By default, [`ScriptExecution::Off`].
    pub exec: ScriptExecution,
    /// The least trust of a skill whose scripts run without the approval of a person. By default,
    /// [`Trust::Trusted`].
    pub trust: Trust,
    /// The grants with which every script needs the approval of a person. By default, none: what
    /// the operator grants is granted.
    pub ask: Vec<AskedGrant>,
    /// The interpreters by the extension of a file.
    pub interpreters: Interpreters,
    /// How Python scripts run that list their dependencies. By default, like all others.
    pub inline_metadata: InlineMetadata,
    /// The directories that hold interpreters and the programs that scripts may start. By default
    /// `/usr/local/bin`, `/usr/bin` and `/bin`.
    pub search_path: Vec<PathBuf>,
    /// The isolation level that is demanded. By default, the highest that the machine offers.
    pub level: DemandedLevel,
    /// The resources that a script may consume. By default 64 processes, 4 GiB of memory where a
    /// control group counts it, 16 GiB of address space, since some interpreters reserve more than
    /// they use, 600 seconds of processor time, 64 MiB for a file and 256 open files. Processes and
    /// memory are keys of a file; the others protect the host.
    #[serde(with = "limits")]
    pub limits: Limits,
    /// Files and directories that scripts may read besides their package and the system. By
    /// default, none.
    pub read: Vec<PathBuf>,
    /// Directories that scripts may change. By default, none.
    pub write: Vec<PathBuf>,
    /// The directory in which a script starts if the call names none. By default, `None`: the
    /// directory of its package. No key of a file: paths of a script are those of its package.
    #[serde(skip)]
    pub directory: Option<PathBuf>,
    /// The hosts that scripts may reach, by a proxy of this process: `api.example.com`,
    /// `*.example.com`, `example.com:8443`, or `*` for every public host. By default, none. A
    /// machine that offers no network of its own to a script runs none with such a grant.
    pub network: Vec<HostPattern>,
    /// Those of the granted hosts that may have an address of a private network. By default, none.
    pub private_hosts: Vec<HostPattern>,
    /// A file with the certificates of authorities, in PEM, that servers are checked with where the
    /// proxy sends a secret. By default, `None`: Mozilla's list.
    pub authorities: Option<PathBuf>,
    /// The limits of a script's traffic. No key of a file: it protects the host.
    #[serde(skip)]
    pub traffic: TrafficLimits,
    /// The secrets that scripts of certain packages use. By default, none.
    pub secrets: Vec<SecretGrant>,
    /// Variables of every script, such as `TZ`. By default, none.
    pub environment: BTreeMap<String, String>,
    /// The bytes that are kept of each output stream: the first and the last half. By default
    /// 65,536 (64 KiB). No key of a file: it bounds the size of a result.
    #[serde(skip)]
    pub output_bytes: usize,
    /// The number of scripts that run at the same time. By default 4. No key of a file: it protects
    /// the host.
    #[serde(skip)]
    pub concurrent: usize,
    /// The largest package that is copied for a script, in bytes. By default 67,108,864 (64 MiB).
    /// No key of a file: it protects the disk.
    #[serde(skip)]
    pub package_bytes: usize,
    /// The most files and directories in a script's own directory (`TMPDIR`): one that creates more
    /// is ended. They are counted from time to time, so there may be more for a moment. By default
    /// 100,000. No key of a file: it protects the disk.
    #[serde(skip)]
    pub scratch_files: u64,
    /// The most bytes on the disk of the files in a script's own directory, counted as
    /// [`Self::scratch_files`] are. By default 1,073,741,824 (1 GiB). No key of a file: it protects
    /// the disk.
    #[serde(skip)]
    pub scratch_bytes: u64,
    /// The words for what a person does in the host. No key of a file: the host has them.
    #[serde(skip)]
    pub commands: HostCommands,
}

impl Default for ScriptPolicy {
    fn default() -> Self {
        Self {
            exec: ScriptExecution::default(),
            trust: Trust::Trusted,
            ask: Vec::new(),
            interpreters: Interpreters::default(),
            inline_metadata: InlineMetadata::default(),
            search_path: ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from).into(),
            level: DemandedLevel::default(),
            limits: limits::default(),
            read: Vec::new(),
            write: Vec::new(),
            directory: None,
            network: Vec::new(),
            private_hosts: Vec::new(),
            authorities: None,
            traffic: TrafficLimits::default(),
            secrets: Vec::new(),
            environment: BTreeMap::new(),
            output_bytes: 64 * 1024,
            concurrent: 4,
            package_bytes: 64 << 20,
            scratch_files: 100_000,
            scratch_bytes: 1 << 30,
            commands: HostCommands::default(),
        }
    }
}

/// A grant of the policy with which every script needs the approval of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AskedGrant {
    /// The network, if [`ScriptPolicy::network`] grants hosts.
    Network,
    /// Changing and deleting files, if [`ScriptPolicy::write`] grants it.
    Write,
}

impl ScriptPolicy {
    /// Returns why scripts of a skill of this trust need the approval of a person, as a clause;
    /// `None` if they need none.
    pub fn consent(&self, trust: Trust) -> Option<String> {
        let asks = |grant| self.ask.contains(&grant);
        if trust < self.trust {
            let trust = trust.as_str();
            return Some(format!("the script is from a source that is `{trust}`"));
        }
        if !self.network.is_empty() && asks(AskedGrant::Network) {
            return Some("the script may use the network".to_owned());
        }
        let may_write = !self.write.is_empty() && asks(AskedGrant::Write);
        may_write.then(|| "the script may change and delete files".to_owned())
    }
}

/// How programs that serve skills run scripts. A host of the library sets its own runner instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScriptExecution {
    /// They run none.
    #[default]
    Off,
    /// By the tool `skills.run`, in the sandbox.
    Tool,
}
