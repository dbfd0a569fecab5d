//! The arguments of the commands that install skills.

use std::path::PathBuf;

use clap::Args;

/// The options of every command that installs.
#[derive(Clone, Debug, Args)]
pub(crate) struct InstallOptions {
    /// Lock file; by default that of the repository, or else your own
    ///
    /// That of the repository is the nearest `prowess.lock` from the working directory up to its
    /// root; `add` creates it there. The skills of your own are found in every directory.
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,
    /// Use your own lock file, in a repository too
    #[arg(long, conflicts_with = "lock")]
    pub(crate) user: bool,
    /// Host that may be in a private network and may be reached by plain `http`; repeatable
    #[arg(long = "host", value_name = "HOST[:PORT]", hide_short_help = true)]
    pub(crate) hosts: Vec<String>,
}

/// The options of every command that installs new versions.
#[derive(Clone, Debug, Args)]
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
    /// List the skills of the source, and install nothing
    #[arg(long, conflicts_with_all = ["names", "link", "copy", "agents", "into", "agents_md"])]
    pub(crate) list: bool,
    /// Branch, tag or commit of a repository
    #[arg(long = "ref", value_name = "REF")]
    pub(crate) reference: Option<String>,
    /// Link the skills into `.agents/skills`, where other clients find them
    ///
    /// The directory is that of the repository or, with your own lock file, of your home. You have
    /// to trust the repository, the source or the signer.
    #[arg(long, conflicts_with = "copy")]
    pub(crate) link: bool,
    /// Copy the skills into that directory; as `--link`, for clients that follow no links
    #[arg(long)]
    pub(crate) copy: bool,
    /// Place them where this client looks, such as `codex`
    ///
    /// The option is repeatable, and takes several names with commas between them.
    ///
    /// In a repository they are copied, so that clones have them, and else linked, unless `--link`
    /// or `--copy` is given.
    #[arg(long = "agent", value_name = "NAME", value_delimiter = ',', conflicts_with = "into")]
    pub(crate) agents: Vec<String>,
    /// List the skills of the repository in its `AGENTS.md`, for clients that read nothing else
    ///
    /// The list is a block between two comments, next to the lock file. Later changes of the lock
    /// file update it; nothing else of the file is touched.
    #[arg(long, conflicts_with = "user", hide_short_help = true)]
    pub(crate) agents_md: bool,
    /// Place them in this directory, as `--agent` does, such as `.claude/skills`; the lock file
    /// names it, and `sync` restores what is missing
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
    /// Ids of installed skills; a copy that was changed where it was placed stays and is named,
    /// with exit code 3
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
    pub(crate) work: LockWork,
    #[command(flatten)]
    pub(crate) signer: SignerOption,
    #[command(flatten)]
    pub(crate) options: InstallOptions,
}

/// What `sync` does instead of installing the skills of the lock file: one of these.
#[derive(Debug, Args)]
#[group(multiple = false, conflicts_with_all = ["check", "frozen"])]
pub(crate) struct LockWork {
    /// Install what the lock file of another tool names: `skills-lock.json`, `.skill-lock.json`,
    /// `toolhive.lock.yaml` or `apm.lock.yaml`
    #[arg(long, value_name = "FILE")]
    pub(crate) import: Option<PathBuf>,
    /// Print the installed skills as a `skills-lock.json`
    #[arg(long, conflicts_with = "SignerOption", hide_short_help = true)]
    pub(crate) export: bool,
    /// List the artifacts in quarantine
    #[arg(long, conflicts_with = "SignerOption", hide_short_help = true)]
    pub(crate) quarantine: bool,
    /// Take an artifact out of quarantine and write it to a new file, to look at it or to add it
    #[arg(long, conflicts_with = "SignerOption", num_args = 2, value_names = ["DIGEST", "FILE"], hide_short_help = true)]
    pub(crate) release: Option<Vec<String>>,
}

/// The arguments of `update`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Update {
    /// Ids of installed skills; all of them by default
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// List the skills whose source has another version, and install nothing
    #[arg(long, conflicts_with_all = ["preview", "accept", "rollback"])]
    pub(crate) check: bool,
    /// Show what would change, without installing it
    #[arg(long)]
    pub(crate) preview: bool,
    /// Accept versions that can do more than the installed ones, or do not follow them
    ///
    /// `--preview` prints this with `ID@DIGEST` of the files that it shows: others are refused.
    #[arg(long, conflicts_with = "preview")]
    pub(crate) accept: bool,
    /// Return these skills to their previous versions, or to one of `--versions` with `--to`
    #[arg(long, requires = "ids", conflicts_with_all = ["preview", "accept", "SignerOption"])]
    pub(crate) rollback: bool,
    /// With `--rollback`, the version: the start of its revision, or of the digest of its files
    #[arg(long, value_name = "VERSION", requires = "rollback", hide_short_help = true)]
    pub(crate) to: Option<String>,
    /// List the versions to which skills can return
    #[arg(long, conflicts_with_all = ["check", "preview", "accept", "rollback", "SignerOption"], hide_short_help = true)]
    pub(crate) versions: bool,
    #[command(flatten)]
    pub(crate) signer: SignerOption,
    #[command(flatten)]
    pub(crate) options: InstallOptions,
}

/// The arguments of `publish`.
#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Folder of a skill or of several ones
    pub(crate) folder: PathBuf,
    /// Folder of the site, where `.well-known/agent-skills` is written; `add` installs from the
    /// folder, or from its URL once a server has it
    #[arg(required_unless_present = "to")]
    pub(crate) site: Option<PathBuf>,
    /// Directory of the site, `oci://HOST/NAME:TAG` of a registry, with `/SKILL` after the name if
    /// the folder has several, or `s3://BUCKET/PATH` of a site
    #[arg(long, value_name = "TARGET", conflicts_with = "site")]
    pub(crate) to: Option<String>,
    /// Host that may be in a private network and may be reached by plain `http`; repeatable
    #[arg(long = "host", value_name = "HOST[:PORT]")]
    pub(crate) hosts: Vec<String>,
    /// File or directory to publish though it may hold credentials, such as `.env`; repeatable
    ///
    /// Files that may hold credentials, by their names or contents, and caches are left out and
    /// named. A name that means several of them is an error; `./` stands for the folder. A skill
    /// that is not valid, or whose `SKILL.md` has a credential, is left out, with exit code 3.
    #[arg(long, value_name = "NAME")]
    pub(crate) include: Vec<String>,
    /// Secret key of minisign that signs each package; a key with a password asks for it
    #[arg(long, value_name = "FILE")]
    pub(crate) sign: Option<PathBuf>,
}
