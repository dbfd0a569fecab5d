//! The store, the lock file and the remote of a command.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
#[cfg(any(feature = "remotes", feature = "sigstore"))]
use std::sync::Arc;

use prowess::state::TrustFile;
use prowess::{Clock as _, HostCommands, SystemClock};
use prowess_signature::{PublicKey, SignatureError};
#[cfg(feature = "sigstore")]
use prowess_signature::{SigstoreRoot, public_sigstore};
use prowess_source_remote::{AnyRemote, GIT_VARIABLES, GitOptions, HttpOptions, LockRemote};
#[cfg(feature = "remotes")]
use prowess_source_remote::{S3Keys, S3Options};
use prowess_store::{
    Author, InstallError, Installer, LockFile, LockedSkill, Signer, SignerRules, Store, StoreError,
    StoreSource, VerifyBundle,
};

use crate::args::{InstallOptions, SignerOption};
use crate::credentials::credentials;
use crate::failure::Failure;
use crate::features;
use crate::lock_place::{LockPlace, NAME, directory, of_directory, of_user};
use crate::named_file;
use crate::terminal::plain;
use crate::user::user;

/// The store, a lock file and the remotes.
pub(crate) struct InstallPlace {
    pub(crate) store: Store,
    pub(crate) lock: LockPlace,
    remote: LockRemote,
    signers: SignerRules,
}

impl InstallPlace {
    /// Returns the place of a command on what is installed. Without trust in its folder, the lock
    /// file of a project reaches neither the hosts that it names nor what is outside of the folder.
    pub(crate) fn new(options: &InstallOptions) -> Result<Self, Failure> {
        let lock = LockPlace::of(options)?;
        let within = lock.folder.clone().filter(|_| !lock.is_trusted);
        Self::with(options, lock, within)
    }

    /// Returns the place of `add`, whose source the user names.
    pub(crate) fn to_add(options: &InstallOptions) -> Result<Self, Failure> {
        Self::with(options, LockPlace::to_write(options)?, None)
    }

    fn with(
        options: &InstallOptions,
        lock: LockPlace,
        within: Option<PathBuf>,
    ) -> Result<Self, Failure> {
        let http = http_options(&options.hosts)?;
        let mut hosts: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for skill in lock.file.load()?.skills.into_values().filter(|_| lock.is_trusted) {
            hosts.entry(skill.source).or_default().extend(skill.hosts);
        }
        let is_of_repository = lock.folder.is_some();
        let build = move |further: &BTreeSet<String>| {
            let mut http = http.clone();
            http.named_hosts.extend(further.iter().cloned());
            let remote = AnyRemote::new(http).with_git(git_options());
            #[cfg(feature = "remotes")]
            let remote = remote.with_s3(s3_options());
            let remote = match &within {
                Some(folder) => remote.within(folder),
                None => remote,
            };
            if is_of_repository { remote.for_repository() } else { remote }
        };
        let remote = LockRemote::new(lock.directory(), hosts, build);
        Ok(Self { store: store()?, lock, remote, signers: SignerRules::default() })
    }

    /// Requires the signer that the user has named, and verifies bundles of sigstore.
    pub(crate) fn signed_by(self, option: &SignerOption) -> Result<Self, Failure> {
        let required = option.signer.as_deref().map(signer).transpose()?;
        if let Some(identity @ Signer::Identity(_)) = &required {
            features::require("sigstore", &plain(&format!("--signer {identity}")))?;
        }
        let bundles = bundles(option.trusted_root.as_deref())?;
        Ok(Self { signers: SignerRules { required, bundles }, ..self })
    }

    /// Returns the skills of the lock file whose sources this build cannot reach.
    pub(crate) fn unreachable(&self) -> Result<Unreachable, Failure> {
        let skills = self.lock.file.load()?.skills.into_iter();
        Ok(skills.filter_map(|(id, skill)| Some((id, unreachable(&skill.source)?))).collect())
    }

    /// Returns those of these skills, or of all, that this build can fetch, and the others.
    ///
    /// # Errors
    ///
    /// It can fetch none of them.
    pub(crate) fn reachable(&self, ids: &[String]) -> Result<(Vec<String>, Unreachable), Failure> {
        let mut others = self.unreachable()?;
        let all = || self.lock.file.load().map(|lock| lock.skills.into_keys().collect());
        let mut ids = if ids.is_empty() { all()? } else { ids.to_vec() };
        others.retain(|id, _| ids.contains(id));
        ids.retain(|id| !others.contains_key(id));
        match others.pop_first() {
            Some((_, error)) if ids.is_empty() => Err(error.into()),
            first => {
                others.extend(first);
                Ok((ids, others))
            }
        }
    }

    pub(crate) fn installer(&self) -> Installer<'_> {
        let signers = &self.signers;
        Installer { store: &self.store, lock: &self.lock.file, remote: &self.remote, signers }
    }
}

/// Skills by their ids, each with the feature that fetching it needs.
pub(crate) type Unreachable = BTreeMap<String, InstallError>;

/// Returns the error of a source that this build cannot reach.
pub(crate) fn unreachable(source: &str) -> Option<InstallError> {
    // Both features of the library are the one of this program.
    AnyRemote::needed_feature(source)?;
    let missing = InstallError::MissingFeature { what: source.to_owned(), feature: "remotes" };
    (!features::is_on("remotes")).then_some(missing)
}

/// Returns an error if this build cannot reach a source that the user names, with the spelling in
/// which it is a repository, which needs no feature.
pub(crate) fn check_named(source: &str) -> Result<(), Failure> {
    let Some(error) = unreachable(source) else { return Ok(()) };
    let failure = Failure::from(error);
    let Some(repository) = AnyRemote::as_repository(source) else { return Err(failure) };
    let [site, repository] = [source, &repository].map(plain);
    let message = format!(
        "`{site}` is read as a site, which needs the feature `remotes`; if it is a repository of \
         git, write `{repository}`"
    );
    let help = format!("for a site, {}", features::install_step(&["remotes"]));
    Err(Failure { message, help, ..failure })
}

/// Returns the next step for a package that is not there and that `sync` cannot fetch.
pub(crate) fn other_than_sync(skill: &LockedSkill) -> Option<String> {
    unreachable(&skill.source).map(|error| reason(&error))
}

/// Returns the sentence about an error, with the command that installs a missing feature.
pub(crate) fn reason(error: &InstallError) -> String {
    match error {
        InstallError::MissingFeature { .. } => Failure::from(error.clone()).message,
        _ => error.to_string(),
    }
}

/// The maximum size of a file with the certificates of authorities, in bytes.
const MOST_CERTIFICATES: u64 = 16 << 20;

/// Returns the options of requests, with the user's credentials. The variable of other programs
/// names the certificates of authorities.
pub(crate) fn http_options(named_hosts: &[String]) -> Result<HttpOptions, Failure> {
    let roots = std::env::var_os("SSL_CERT_FILE").map(|file| {
        named_file::bytes(file.as_ref(), MOST_CERTIFICATES).map_err(|error| {
            let message = format!("`{}` cannot be read: {error}", file.display());
            Failure::new("certificates-unreadable", message, "correct or unset `SSL_CERT_FILE`")
        })
    });
    Ok(HttpOptions {
        named_hosts: named_hosts.to_vec(),
        roots: roots.transpose()?,
        credentials: Some(credentials()),
        ..HttpOptions::default()
    })
}

/// Returns the host of a URL, with its port if that is written.
#[cfg(feature = "remotes")]
pub(crate) fn host_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().to_owned()
}

/// Returns the options of buckets, from the variables of the vendor's programs.
#[cfg(feature = "remotes")]
pub(crate) fn s3_options() -> S3Options {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let keys = variable("AWS_ACCESS_KEY_ID").zip(variable("AWS_SECRET_ACCESS_KEY"));
    let token = variable("AWS_SESSION_TOKEN");
    let options = S3Options::new(Arc::new(SystemClock::default()));
    S3Options {
        endpoint: variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL")),
        region: variable("AWS_REGION").unwrap_or_else(|| options.region.clone()),
        keys: keys.map(|(id, secret)| S3Keys { id, secret, token }),
        ..options
    }
}

/// Returns the options of git, with what the user's credential helpers need of the environment.
fn git_options() -> GitOptions {
    let variable = |name: &str| Some((name.into(), std::env::var_os(name)?));
    let environment = GIT_VARIABLES.into_iter().filter_map(variable).collect();
    GitOptions { environment, ..GitOptions::default() }
}

/// Returns what verifies bundles of sigstore: with a root of trust that the user has named, or else
/// with that of the public sigstore.
#[cfg(feature = "sigstore")]
fn bundles(root: Option<&Path>) -> Result<Option<VerifyBundle>, Failure> {
    let Some(path) = root else { return Ok(Some(Arc::new(public_sigstore()))) };
    let invalid = |reason: String| {
        let message = format!("`{}` cannot be used: {reason}", path.display());
        Failure::usage("signer-invalid", message, "name a `trusted_root.json` of sigstore")
    };
    let text = named_file::text(path).map_err(invalid)?;
    let root = SigstoreRoot::parse(&text).map_err(|error| invalid(error.to_string()))?;
    Ok(Some(Arc::new(move |bytes, bundle| root.signer(bytes, bundle))))
}

/// Returns nothing: an artifact with such a bundle is refused.
#[cfg(not(feature = "sigstore"))]
fn bundles(root: Option<&Path>) -> Result<Option<VerifyBundle>, Failure> {
    root.map_or(Ok(None), |_| Err(features::lacks("sigstore", "--trusted-root")))
}

/// Returns the signer with a name as in a lock file, or with the public key in a file.
pub(crate) fn signer(written: &str) -> Result<Signer, Failure> {
    let invalid = |reason: String| {
        let help = "name the `.pub` file written by `minisign -G`, its last line, or \
                    `sigstore:ISSUER SUBJECT`";
        let key = plain(written);
        Failure::usage("signer-invalid", format!("`{key}` cannot be used: {reason}"), help)
    };
    match Signer::parse(written) {
        Ok(signer) => Ok(signer),
        Err(SignatureError::Identity(reason)) => Err(invalid(reason)),
        Err(_) => {
            let text = named_file::text(written.as_ref()).map_err(invalid)?;
            let key = PublicKey::parse(&text).map_err(|error| invalid(error.to_string()))?;
            Ok(Signer::Key(key))
        }
    }
}

/// Returns the store of the user.
pub(crate) fn store() -> Result<Store, Failure> {
    let author = Author { by: user(), at: SystemClock::default().now() };
    Ok(Store::new(of_user()?.join("store")).by(author))
}

/// Returns the skills of a project's lock file.
pub(crate) fn of_project(file: LockFile) -> Option<StoreSource> {
    let store = Store::new(directory()?.join("store"));
    Some(source_of(store, file))
}

/// Returns the lock files that may place skills below a directory, as sources without skills: they
/// say what was changed there.
pub(crate) fn placing(below: &Path) -> Vec<StoreSource> {
    let locks = of_directory(below).unwrap_or_default().into_iter();
    let sources = locks.filter(|lock| lock.path().exists()).filter_map(of_project);
    sources.map(|it| it.part("places", || Box::new(|_: &LockedSkill| false))).collect()
}

fn source_of(store: Store, lock: LockFile) -> StoreSource {
    let source = StoreSource::new(store, lock).commands(HostCommands::PROWESS);
    source.next_step(other_than_sync)
}

/// The skills that the user has installed, in two parts.
pub(crate) struct Installed {
    /// Those of sources and signers that the user trusts.
    pub(crate) trusted: StoreSource,
    /// The others.
    pub(crate) others: StoreSource,
}

/// Returns the skills that the user has installed; `None` if there is no lock file, unless a server
/// waits for it.
pub(crate) fn installed(trust: Option<&TrustFile>, waits: bool) -> Option<Installed> {
    let directory = directory()?;
    let lock = directory.join(NAME);
    if !waits && !lock.exists() {
        return None;
    }
    let store = Store::new(directory.join("store"));
    let source = source_of(store, LockFile::new(lock));
    let part = |name, is_trusted| {
        let trust = trust.cloned();
        source.clone().part(name, move || {
            let origins = trust.as_ref().map(TrustFile::origins).unwrap_or_default();
            Box::new(move |skill| origins.trusts(&skill.source, &skill.signer) == is_trusted)
        })
    };
    Some(Installed { trusted: part("trusted", true), others: part("untrusted", false) })
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        use prowess::RemoteErrorKind::{Invalid, TooLarge};
        let help = match &error {
            InstallError::MissingFeature { what, feature } => {
                return features::lacks(feature, &plain(what));
            }
            InstallError::SurfaceGrown { .. } | InstallError::StepBack { .. } => {
                "look at `prowess update --preview`, then run the command that it prints, both with \
                 the options of this command"
            }
            InstallError::ArtifactChanged { .. } => {
                "look at `prowess update --preview` again, or report it to the publisher"
            }
            InstallError::OtherSigner { .. } => {
                "if its publisher has announced the new key, name it with `--signer`"
            }
            InstallError::OtherSource { .. } => {
                "write its source in the same way, or remove the installed skill first"
            }
            InstallError::NotInstalled(_) => "`prowess list` shows the installed skills",
            InstallError::Store(StoreError::PlaceOccupied(_)) => {
                "move it away, or name another directory with `--into`"
            }
            InstallError::Store(StoreError::NotPlaceable(_)) => {
                "add it without a place for it, or ask its author for a name that is no path"
            }
            InstallError::Store(StoreError::PlaceBlocked(_)) => {
                "replace that by a directory, or name another directory with `--into`"
            }
            InstallError::Store(StoreError::PlaceRefused(..)) => {
                "name a directory below the lock file, or add `--user`"
            }
            InstallError::Store(StoreError::SeveralVersions(_)) => {
                "write more of its revision; `prowess update --versions ID` lists them"
            }
            InstallError::Store(StoreError::NoEarlierVersion(..)) => {
                "a skill has an earlier version after an update or a removal; `prowess update \
                 --versions ID` lists them"
            }
            InstallError::Store(StoreError::Lock(_)) => "restore or repair the lock file",
            InstallError::Store(_) => "`prowess verify` shows the state of the store",
            InstallError::NoSkill(_) => {
                "check the names; `prowess remove` takes away what a source no longer has"
            }
            InstallError::Remote(error) if matches!(error.kind, Invalid | TooLarge) => {
                "report it to the publisher, or name other skills of the source"
            }
            InstallError::Remote(_) | InstallError::NotAlone(_) => {
                "check the source; what is installed keeps working"
            }
            InstallError::SeveralSkills { .. } => "name the directory of one of them",
            _ => "report it to the publisher",
        };
        Self::new(error.code().as_str(), error.to_string(), help)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        InstallError::from(error).into()
    }
}
