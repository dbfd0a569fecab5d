//! `prowess plugin trust`: the plugins that may run with the user's rights.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prowess::plugin_host::{
    self, Key, KeyError, Older, Pin, Pinned, PluginErrorKind, PluginPolicy, Revoked, SignedOffBy,
    TrustError, TrustStore,
};
use prowess::{Clock, Digest, SystemClock, TrustAction};
use prowess_text::shell_path;
use serde::Serialize;

use super::trusted;
use crate::args::{Global, PluginTrust};
use crate::commands::trust::recorded;
use crate::failure::Failure;
use crate::output::{DIM, ID, Output};
use crate::paths::absolute;
use crate::plugins::{PluginPaths, untrusted};
use crate::terminal::marked;

/// The output of `plugin trust --list --format json`.
#[derive(Serialize)]
struct Trusted {
    file: PathBuf,
    #[serde(flatten)]
    store: TrustStore,
}

pub(super) fn run(
    what: &PluginTrust,
    policy: &PluginPolicy,
    paths: &PluginPaths,
    global: &Global,
    output: &Output,
) -> Result<(), Failure> {
    let granted = |file: &Path| (TrustAction::Granted, file.to_string_lossy().into_owned());
    if let Some(file) = &what.file {
        let older = if what.allow_older { Older::Allow } else { Older::Refuse };
        let (action, name) = granted(&absolute(file)?);
        let pinned = recorded(global, output, (action, &name), || pin(file, older, policy, paths))?;
        let Pinned { pin, replaced, others, restores_signed } = &pinned;
        let document = serde_json::json!({
            "pinned": pin,
            "replaced": replaced,
            "others": others,
            "restores_signed": restores_signed,
        });
        return output.result(&document, |_| pin_text(&pinned));
    }
    if let Some(file) = &what.key {
        let (action, name) = granted(&absolute(file)?);
        let key = recorded(global, output, (action, &name), || trust_key(file, paths))?;
        return output.result(&serde_json::json!({ "trusted": key }), |_: &_| {
            format!("plugins signed with key {} are trusted to run as you\n", key.id)
        });
    }
    if let Some(what) = &what.revoke {
        let revoked =
            recorded(global, output, (TrustAction::Revoked, what), || revoke(what, paths))?;
        return output
            .result(&serde_json::json!({ "revoked": revoked }), |_| revoked_text(&revoked));
    }
    let file = paths.trust_file.clone();
    output.result(&Trusted { file, store: trusted(paths)? }, list_text)
}

fn pin(
    file: &Path,
    older: Older,
    policy: &PluginPolicy,
    paths: &PluginPaths,
) -> Result<Pinned, Failure> {
    let file = absolute(file)?;
    let read = plugin_host::read(&file, policy);
    let (bytes, inspection) = read.map_err(|error| Failure::from(&error))?;
    // A plugin that cannot run here is not trusted: it could not be tried before it is pinned.
    policy.judge(&file, &inspection).map_err(|error| Failure::from(&error))?;
    let digest = Digest::of(&bytes);
    let pinned = TrustStore::update(&paths.trust_file, |store| {
        let pinned = store.pin(&file, digest, &inspection, &signed_off_by(), older);
        Ok(pinned.map_err(|mut error| {
            if error.kind == PluginErrorKind::Rollback {
                error.help += ", by `--allow-older`";
            }
            error
        })?)
    });
    pinned.map_err(|error: TrustError| untrusted(&error))
}

fn trust_key(file: &Path, paths: &PluginPaths) -> Result<Key, Failure> {
    let help = "name the `.pub` file written by `minisign -G`";
    let key = Key::read(file, &signed_off_by()).map_err(|error| {
        let code = match error {
            KeyError::Unreadable(_) => "plugin-key-unreadable",
            _ => "plugin-key-invalid",
        };
        Failure::new(code, format!("`{}` cannot be used: {error}", file.display()), help)
    })?;
    let trusted = TrustStore::update(&paths.trust_file, |store| {
        store.trust_key(key.clone());
        Ok(key)
    });
    trusted.map_err(|error: TrustError| untrusted(&error))
}

fn revoke(what: &str, paths: &PluginPaths) -> Result<Vec<Revoked>, Failure> {
    let now = SystemClock::default().now();
    let file = absolute(what.as_ref())?;
    let revoked = TrustStore::update(&paths.trust_file, |store| {
        let is_it = |pin: &&Pin| Path::new(&*pin.file) == file && what.contains('/');
        let of_file: Vec<_> = store.pins.iter().filter(is_it).map(|pin| pin.digest).collect();
        let mut revoked = store.revoke(what, now);
        revoked.extend(of_file.iter().flat_map(|digest| store.revoke(&digest.to_string(), now)));
        Ok(revoked)
    });
    let revoked = revoked.map_err(|error: TrustError| untrusted(&error))?;
    if revoked.is_empty() {
        let message = format!("nothing is trusted under `{what}`");
        let help = "see `prowess plugin trust --list` for names, digests and keys";
        return Err(Failure::new("plugin-not-trusted", message, help));
    }
    Ok(revoked)
}

/// Returns the user of this terminal, according to the environment.
fn signed_off_by() -> SignedOffBy {
    let name = |variable: &str| std::env::var(variable).ok().filter(|name| !name.is_empty());
    let who = name("USER").or_else(|| name("LOGNAME")).unwrap_or_else(|| "unknown".into());
    SignedOffBy { who, when: SystemClock::default().now() }
}

fn pin_text(pinned: &Pinned) -> String {
    let Pinned { pin, replaced, others, restores_signed } = pinned;
    let name = marked(&pin.name);
    let mut text =
        format!("{ID}{name}{ID:#} {} is trusted to run as you: {}\n", pin.version, pin.digest);
    for Pin { version, digest, .. } in replaced {
        let _ = writeln!(text, "version {version} from the same path may no longer run: {digest}");
    }
    for Pin { version, digest, file, .. } in others {
        let file = marked(file);
        let _ = writeln!(text, "version {version} stays trusted: `{file}`, {digest}");
        let _ = writeln!(text, "  {DIM}to stop it:{DIM:#} prowess plugin trust --revoke {digest}");
    }
    if *restores_signed {
        let _ = writeln!(text, "builds of `{name}` that trusted keys sign may run again");
    }
    let _ = writeln!(text, "{DIM}next:{DIM:#} prowess --plugin {} list", shell_path(&pin.file));
    text
}

fn revoked_text(revoked: &[Revoked]) -> String {
    revoked
        .iter()
        .map(|revoked| match revoked {
            Revoked::Pin { name, digest } => {
                format!("`{}` may no longer run: {digest}\n", marked(name))
            }
            Revoked::Key { id } => {
                format!("plugins signed with key {} may no longer run\n", marked(id))
            }
            Revoked::Signed { name } => {
                format!("builds of `{}` that trusted keys sign may no longer run\n", marked(name))
            }
        })
        .collect()
}

fn list_text(trusted: &Trusted) -> String {
    let mut text = String::new();
    let state = |is_revoked| if is_revoked { "revoked" } else { "trusted" };
    for pin in &trusted.store.pins {
        let name = marked(&pin.name);
        let file = marked(&pin.file);
        let state = state(pin.revoked_at.is_some());
        let _ = writeln!(text, "{ID}{name}{ID:#} {}  {state}  {}", pin.version, pin.digest);
        let _ = writeln!(text, "  {DIM}{file}, by {}{DIM:#}", marked(&pin.pinned_by));
    }
    for key in &trusted.store.keys {
        let state = state(key.revoked_at.is_some());
        let _ = writeln!(text, "key {ID}{}{ID:#}  {state}", marked(&key.id));
    }
    for revoked in &trusted.store.revoked_names {
        let _ = writeln!(text, "signed builds of {ID}{}{ID:#}  revoked", marked(&revoked.name));
    }
    if text.is_empty() {
        text.push_str("no plugin is trusted\n");
    }
    text
}
