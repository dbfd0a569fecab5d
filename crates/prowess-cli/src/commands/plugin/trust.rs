//! `prowess plugin trust`: what may run with the user's rights.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prowess::plugin_host::{
    self, Key, Older, Origin, Pin, PluginPolicy, Revoked, TrustError, TrustStore, Witness,
};
use prowess::{Clock, Digest, SystemClock};
use serde::Serialize;

use super::{trusted, untrusted};
use crate::args::PluginTrust;
use crate::failure::Failure;
use crate::output::{DIM, ID, Output};
use crate::place::absolute;
use crate::plugins::{Places, failure};
use crate::terminal::plain;

/// The contract of `plugin trust --list --format json`.
#[derive(Serialize)]
struct Trusted {
    file: PathBuf,
    #[serde(flatten)]
    store: TrustStore,
}

pub(super) fn run(
    what: &PluginTrust,
    policy: &PluginPolicy,
    places: &Places,
    output: &Output,
) -> Result<(), Failure> {
    if let Some(file) = &what.file {
        let older = if what.allow_older { Older::Allow } else { Older::Refuse };
        let pin = pin(file, older, policy, places)?;
        return output.result(&serde_json::json!({ "pinned": pin }), |_| pin_text(&pin));
    }
    if let Some(file) = &what.key {
        let key = trust_key(file, places)?;
        let text = |_: &_| format!("what the key {} signs may run with your rights\n", key.id);
        return output.result(&serde_json::json!({ "trusted": key }), text);
    }
    if let Some(what) = &what.revoke {
        let revoked = revoke(what, places)?;
        return output
            .result(&serde_json::json!({ "revoked": revoked }), |_| revoked_text(&revoked));
    }
    let file = places.trust_file.clone();
    output.result(&Trusted { file, store: trusted(places)? }, list_text)
}

fn pin(file: &Path, older: Older, policy: &PluginPolicy, places: &Places) -> Result<Pin, Failure> {
    let file = absolute(file)?;
    let read = plugin_host::read(&file, Origin::Named, policy);
    let (bytes, inspection) = read.map_err(|error| failure(&error))?;
    // What cannot run here is not trusted here: a pin that nobody tried out is a trap.
    policy.judge(&file, &inspection).map_err(|error| failure(&error))?;
    let digest = Digest::of(&bytes);
    let pinned = TrustStore::update(&places.trust_file, |store| {
        Ok(store.pin(&file, digest, &inspection, &witness(), older)?)
    });
    pinned.map_err(|error: TrustError| untrusted(&error))
}

fn trust_key(file: &Path, places: &Places) -> Result<Key, Failure> {
    let help = "name the `.pub` file that `minisign -G` wrote";
    let text = std::fs::read_to_string(file).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", file.display());
        Failure::new("plugin-key-unreadable", message, help)
    })?;
    let key = Key::parse(&text, &witness()).map_err(|error| {
        let message = format!("`{}` cannot be used: {error}", file.display());
        Failure::new("plugin-key-invalid", message, help)
    })?;
    let trusted = TrustStore::update(&places.trust_file, |store| {
        store.trust_key(key.clone());
        Ok(key)
    });
    trusted.map_err(|error: TrustError| untrusted(&error))
}

fn revoke(what: &str, places: &Places) -> Result<Vec<Revoked>, Failure> {
    let now = SystemClock::default().now();
    let revoked = TrustStore::update(&places.trust_file, |store| Ok(store.revoke(what, now)));
    let revoked = revoked.map_err(|error: TrustError| untrusted(&error))?;
    if revoked.is_empty() {
        let message = format!("nothing is trusted under `{what}`");
        let help = "see `prowess plugin trust --list` for names, digests and keys";
        return Err(Failure::new("plugin-not-trusted", message, help));
    }
    Ok(revoked)
}

/// Who is at the terminal, as far as the environment says.
fn witness() -> Witness {
    let name = |variable: &str| std::env::var(variable).ok().filter(|name| !name.is_empty());
    let who = name("USER").or_else(|| name("LOGNAME")).unwrap_or_else(|| "unknown".into());
    Witness { who, when: SystemClock::default().now() }
}

fn pin_text(pin: &Pin) -> String {
    let (name, version, digest) = (plain(&pin.name), &pin.version, pin.digest);
    format!(
        "{ID}{name}{ID:#} {version} may run with your rights: {digest}\n\
         {DIM}next:{DIM:#} prowess --plugin '{}' list\n",
        plain(&pin.file)
    )
}

fn revoked_text(revoked: &[Revoked]) -> String {
    let line = |revoked: &Revoked| match revoked {
        Revoked::Pin { name, digest } => format!("`{}` may no longer run: {digest}\n", plain(name)),
        Revoked::Key { id } => format!("what the key {} signs may no longer run\n", plain(id)),
    };
    revoked.iter().map(line).collect()
}

fn list_text(trusted: &Trusted) -> String {
    let mut text = String::new();
    let state = |is_revoked| if is_revoked { "revoked" } else { "trusted" };
    for pin in &trusted.store.pins {
        let (name, file) = (plain(&pin.name), plain(&pin.file));
        let state = state(pin.revoked_at.is_some());
        let _ = writeln!(text, "{ID}{name}{ID:#} {}  {state}  {}", pin.version, pin.digest);
        let _ = writeln!(text, "  {DIM}{file}, by {}{DIM:#}", plain(&pin.pinned_by));
    }
    for key in &trusted.store.keys {
        let state = state(key.revoked_at.is_some());
        let _ = writeln!(text, "key {ID}{}{ID:#}  {state}", plain(&key.id));
    }
    if text.is_empty() {
        text.push_str("no plugin is trusted\n");
    }
    text
}
