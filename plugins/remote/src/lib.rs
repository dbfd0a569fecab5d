//! Skills of sites, archives and folders as a live source: it asks for new versions in its own
//! interval, and keeps the last good ones while a source is away.
//!
//! ```json
//! {"sources": ["https://example.com"], "directory": "/var/cache/prowess/remote"}
//! ```
//!
//! In a process of its own the plugin needs the right to write to the directory, and to use the
//! network: `rights: { write: [/var/cache/prowess/remote], network: true }`.
#![forbid(unsafe_code)]

mod bundles;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use prowess_signature::PublicKey;
use prowess_source_remote::{AnyRemote, HttpOptions};
use prowess_store::{Growth, LiveOptions, LiveSource, LockFile, Signer, SignerRules, Store};
use serde::Deserialize;

/// The operator's configuration.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The sources: sites, archives and `SKILL.md` files behind a URL, and folders, absolute.
    sources: Vec<String>,
    /// The directory for packages and their versions, absolute. It belongs to this plugin alone.
    directory: PathBuf,
    /// The number of seconds between two requests for the versions of a source.
    #[serde(default = "five_minutes")]
    interval_seconds: u64,
    /// The number of seconds that one request may take.
    #[serde(default = "ten_seconds")]
    timeout_seconds: u64,
    /// Whether a version that can do more than the last one replaces it: `refuse` or `accept`.
    #[serde(default)]
    growth: OnGrowth,
    /// Who has to have signed everything: a public key of minisign in base64, or an identity as
    /// `sigstore:ISSUER SUBJECT`. By default, the signer of a skill stays the one of its first
    /// version.
    #[serde(default)]
    signer: Option<String>,
    /// The `trusted_root.json` that bundles of sigstore are verified with. By default, that of the
    /// public sigstore. Needs a plugin that was built with the feature `sigstore`; without it,
    /// artifacts with bundles are refused.
    #[serde(default)]
    trusted_root: Option<PathBuf>,
    /// The hosts that may be in a private network and may be reached by plain `http`.
    #[serde(default)]
    hosts: Vec<String>,
}

/// The policy for a version that can do more than the last one.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OnGrowth {
    /// Keep the last version, with a warning.
    #[default]
    Refuse,
    /// Use the new version.
    Accept,
}

fn five_minutes() -> u64 {
    300
}

fn ten_seconds() -> u64 {
    10
}

struct Remote;

impl Plugin for Remote {
    type Config = Config;

    fn init(host: Host, config: Config) -> Result<Registration, Error> {
        if !config.directory.is_absolute() {
            let named = config.directory.display();
            return Err(Error::config(format!("`directory` is `{named}`, which is not absolute")));
        }
        let signers = SignerRules {
            required: config.signer.as_deref().map(signer).transpose()?,
            bundles: bundles::verifier(config.trusted_root.as_deref())?,
        };
        let http = HttpOptions {
            timeout: Duration::from_secs(config.timeout_seconds),
            named_hosts: config.hosts,
            naming: Some("the key `hosts`".to_owned()),
            ..HttpOptions::default()
        };
        let options = LiveOptions {
            sources: config.sources,
            interval: Duration::from_secs(config.interval_seconds.max(1)),
            growth: match config.growth {
                OnGrowth::Refuse => Growth::Refuse,
                OnGrowth::Accept => Growth::Accept,
            },
            signers,
        };
        let store = Store::new(config.directory.join("store"));
        let lock = LockFile::new(config.directory.join("prowess.lock"));
        let remote = Arc::new(AnyRemote::new(http));
        let source = LiveSource::new(store, lock, remote, Arc::new(host), options);
        Ok(Registration::new().source(source))
    }
}

/// Returns the signer that is written in the configuration.
fn signer(written: &str) -> Result<Signer, Error> {
    let parsed = if written.starts_with("sigstore:") {
        Signer::parse(written)
    } else {
        PublicKey::parse(written).map(Signer::Key)
    };
    parsed.map_err(|error| Error::config(format!("`signer`: {error}")))
}

/// The schema of [`Config`]; the tests of the plugin host compare its fields.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Remote, kinds = ["source"], config_schema = SCHEMA);
