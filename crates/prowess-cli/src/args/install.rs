//! The arguments of the commands that install skills.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use prowess::Digest;

/// The options of every command that installs.
#[derive(Debug, Args)]
pub(crate) struct InstallOptions {
    /// Lock file; defaults to the user's, whose skills are found by every command
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,
    /// Host that may be in a private network and may be reached by plain `http`; repeatable
    #[arg(long = "host", value_name = "HOST[:PORT]", hide_short_help = true)]
    pub(crate) hosts: Vec<String>,
}

/// The options of every command that installs new versions.
#[derive(Debug, Args)]
pub(crate) struct SignerOption {
    /// Signer that has to have signed what is installed: a `.pub` file of minisign, its last line,
    /// or `sigstore:ISSUER SUBJECT`
    ///
    /// By default, the signer of the first version stays the signer of a skill, and a version with
    /// another one is refused.
    #[arg(long, value_name = "SIGNER", hide_short_help = true)]
    pub(crate) signer: Option<String>,
    /// Root of trust for bundles of sigstore; defaults to that of the public sigstore. Needs a
    /// program with the feature `sigstore`
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) trusted_root: Option<PathBuf>,
}

/// The arguments of `add`.
#[derive(Debug, Args)]
pub(crate) struct Add {
    /// Site, archive, `SKILL.md` or git repository behind a URL, `owner/repo[/DIRECTORY][@REF]` of
    /// GitHub, `oci://HOST/NAME:TAG`, `s3://BUCKET/PATH`, or a local folder or file
    pub(crate) source: String,
    /// Names of skills; all skills of the source by default
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Branch, tag or commit of a repository
    #[arg(long = "ref", value_name = "REF")]
    pub(crate) reference: Option<String>,
    /// Link the skills into `~/.agents/skills`, where other clients find them; needs trust in the
    /// source or the signer
    #[arg(long, conflicts_with = "copy")]
    pub(crate) link: bool,
    /// Copy the skills into `~/.agents/skills`; as `--link`, for clients that follow no links
    #[arg(long)]
    pub(crate) copy: bool,
    /// Directory for `--link` and `--copy`
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) into: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) signer: SignerOption,
    #[command(flatten)]
    pub(crate) options: InstallOptions,
}

/// The arguments of `remove`.
#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// Ids of installed skills
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) options: InstallOptions,
}

/// The arguments of `sync`.
#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// Install nothing; exit with 1 if the store or a source differs from the lock file
    #[arg(long)]
    pub(crate) check: bool,
    /// Fail if there is no lock file
    #[arg(long)]
    pub(crate) frozen: bool,
    #[command(flatten)]
    pub(crate) options: InstallOptions,
}

/// The arguments of `update`.
#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Ids of installed skills; all of them by default
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Show what would change, without installing it
    #[arg(long)]
    pub(crate) preview: bool,
    /// Accept versions that can do more than the installed ones
    #[arg(long, conflicts_with = "preview")]
    pub(crate) accept: bool,
    #[command(flatten)]
    pub(crate) signer: SignerOption,
    #[command(flatten)]
    pub(crate) options: InstallOptions,
}

/// The arguments of `rollback`.
#[derive(Debug, Args)]
pub(crate) struct Rollback {
    /// Id of a skill
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) options: InstallOptions,
}

/// The commands of `quarantine`.
#[derive(Debug, Subcommand)]
pub(crate) enum Quarantine {
    /// List the artifacts in quarantine
    List,
    /// Take an artifact out of quarantine and write it to a file, to look at it or to add it
    Release {
        /// Digest of the artifact
        digest: Digest,
        /// File to create
        file: PathBuf,
    },
}

/// The commands of `lock`.
#[derive(Debug, Subcommand)]
pub(crate) enum LockCommand {
    /// Repair a lock file with conflict markers, or merge three versions as a merge driver of git
    ///
    /// As a driver: `git config merge.prowess.driver 'prowess lock merge --files %O %A %B'`, and
    /// `prowess.lock merge=prowess` in `.gitattributes`. Exits with 1 if one skill has two
    /// versions.
    Merge {
        /// The common version, ours, which is replaced by the result, and theirs
        #[arg(long, num_args = 3, value_names = ["BASE", "OURS", "THEIRS"])]
        files: Vec<PathBuf>,
        /// Lock file to repair; defaults to the user's
        #[arg(long, value_name = "FILE", conflicts_with = "files")]
        lock: Option<PathBuf>,
    },
    /// Install what the lock file of another tool names: `skills-lock.json`, `.skill-lock.json`,
    /// `toolhive.lock.yaml` or `apm.lock.yaml`
    Import {
        /// File with one of these names
        file: PathBuf,
        #[command(flatten)]
        signer: SignerOption,
        #[command(flatten)]
        options: InstallOptions,
    },
    /// Print the installed skills as a `skills-lock.json`
    Export {
        /// Lock file; defaults to the user's
        #[arg(long, value_name = "FILE")]
        lock: Option<PathBuf>,
    },
}

/// The arguments of `publish`.
#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Folder of a skill or of several ones
    pub(crate) folder: PathBuf,
    /// Folder of the site, where `.well-known/agent-skills` is written
    #[arg(required_unless_present = "to")]
    pub(crate) site: Option<PathBuf>,
    /// `oci://HOST/NAME:TAG` of a registry, with `/SKILL` after the name if the folder has several,
    /// or `s3://BUCKET/PATH` of a site
    #[arg(long, value_name = "TARGET", conflicts_with = "site")]
    pub(crate) to: Option<String>,
    /// Host that may be in a private network and may be reached by plain `http`; repeatable
    #[arg(long = "host", value_name = "HOST[:PORT]")]
    pub(crate) hosts: Vec<String>,
    /// Secret key of minisign that signs each package; a key with a password asks for it
    #[arg(long, value_name = "FILE")]
    pub(crate) sign: Option<PathBuf>,
}
