//! Files that may hold credentials, or that only one machine needs: they are not published, and no
//! model sees them.

use std::collections::BTreeSet;

use crate::credentials::{is_scheme, secret_values};
use crate::known_tokens::{MIN_DIFFERENT, is_random, is_word, positions, private_key, token};

/// Directories of repositories, environments, dependencies and caches.
const MACHINE_DIRECTORIES: &str = ".cache .eggs .git .gradle .hg .ipynb_checkpoints .mypy_cache \
    .nox .pytest_cache .ruff_cache .svn .terraform .tox .venv __pycache__ node_modules venv";

/// Directories that hold nothing but credentials.
const SECRET_DIRECTORIES: &str = ".aws .azure .credentials .gcloud .gnupg .kube .password-store \
    .secrets .ssh";

/// Starts of paths of credentials whose names say nothing, in lower case.
const SECRET_PATHS: &str = ".docker/config.json .config/gcloud/ .config/gh/ .config/hub \
    .m2/settings .config/rclone/ .cargo/credentials .gem/credentials .terraform.d/credentials";

/// Files of credentials, by their whole names in lower case.
const SECRET_FILES: &str = ".bash_history .boto .dockercfg .dockerconfigjson .envrc \
    .git-credentials .htdigest .htpasswd .kubeconfig .my.cnf .mylogin.cnf .netrc .npmrc .pgpass \
    .pypirc .s3cfg .terraformrc .vault-pass .vault-token .vault_pass .yarnrc.yml .zsh_history \
    _netrc accesskeys.csv application_default_credentials.json auth.json credentials \
    credentials.tfrc.json kubeconfig local.settings.json master.key rclone.conf rootkey.csv \
    secrets wallet.dat";

/// The ends of names of files that hold keys or state with passwords, in lower case.
const SECRET_ENDS: &str = ".agekey .bks .jceks .jks .kdb .kdbx .keychain .keystore .keytab .ovpn \
    .p12 .p8 .pfx .pkcs12 .ppk .psafe3 .pvk .tfstate .tfvars";

/// The starts of the names of private keys of SSH, and the ends that such a file may have.
const SSH_KEYS: &str = "id_dsa id_ecdsa id_ed25519 id_rsa";
const SSH_ENDS: &str = "key pem priv private txt";

/// The first words of the names of documents of credentials, and the ends of such documents.
const SECRET_WORDS: &str = "credential credentials secret secrets service-account service_account";
const DOCUMENTS: &str = "cfg conf csv env ini json properties toml txt xml yaml yml";

/// The starts of the names of keys of a cloud's account in JSON.
const ACCOUNTS: &str = "client_secret service-account service_account serviceaccount";

/// The words that a copy or a variant of a file has behind its name.
const VARIANTS: &str = "1 2 backup copy dev development file key keys live local new old prod \
    production stage staging";

/// The ends that programs and people give to a copy of a file.
const COPIES: &str = ".1 .backup .bak .copy .old .orig .prev .save .swo .swp .tmp";

/// The words that make a file of variables one for readers: `.env.example`, `sample.env`.
const FOR_READERS: &str = "default defaults dist example sample schema template tmpl tpl";

/// The words in the name of a `.pem` file that is there for everyone.
const PUBLIC: &str = "bundle ca cacert cacerts cert certificate certs chain fullchain \
    intermediate issuer pub public root";

/// The addresses that are credentials themselves, and the length of the secret part.
const WEBHOOKS: [(&str, usize); 3] = [
    ("hooks.slack.com/services/T", 35),
    ("discord.com/api/webhooks/", 60),
    ("api.telegram.org/bot", 40),
];

/// Parts of a value that a reader replaces by an own one, or that a document has made up.
const PLACEHOLDERS: [&str; 15] = [
    "example", "your", "change", "placeholder", "xxx", "dummy", "redacted", "password", "***",
    "12345678", "abc123", "secret", "test", "demo", "...",
];

/// Why a file of credentials is withheld by its name, as the rest of a sentence.
pub const MAY_HOLD_CREDENTIALS: &str = "may hold credentials";

/// Returns why a file is withheld by its path in a package, as the rest of a sentence.
///
/// ```
/// use prowess_core::withheld_path;
///
/// assert_eq!(withheld_path("conf/.env"), Some("may hold credentials"));
/// assert_eq!(withheld_path("conf/.env.example"), None);
/// ```
pub fn withheld_path(path: &str) -> Option<&'static str> {
    let lower = path.to_ascii_lowercase();
    let (directories, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let withheld = directories.split('/').find_map(withheld_directory);
    let is_below = || {
        let whole = format!("/{lower}");
        SECRET_PATHS.split(' ').any(|start| whole.contains(&format!("/{start}")))
    };
    withheld
        .or_else(|| (is_secret_name(name) || is_below()).then_some(MAY_HOLD_CREDENTIALS))
        .or_else(|| {
            let is_machine = name == ".ds_store" || name.ends_with(".pyc") || name == ".git";
            is_machine.then_some("belongs to one machine")
        })
}

/// Returns why everything in a directory of this name is withheld.
pub fn withheld_directory(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    if has(SECRET_DIRECTORIES, &name) || (name.starts_with('.') && is_secret_name(&name)) {
        return Some(MAY_HOLD_CREDENTIALS);
    }
    has(MACHINE_DIRECTORIES, &name).then_some("belongs to one machine")
}

fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

fn is_secret_name(name: &str) -> bool {
    // Editors write `NAME~`, `#NAME#` and `.NAME.swp` next to a file.
    let name = name.trim_start_matches('#').trim_end_matches(['#', '~', ' ', '.']);
    if let Some(original) = COPIES.split(' ').find_map(|end| name.strip_suffix(end)) {
        let shown = original.strip_prefix('.').unwrap_or(original);
        return is_secret_name(original) || is_secret_name(shown);
    }
    let is_key = SECRET_ENDS.split(' ').any(|end| name.ends_with(end) && name.len() > end.len());
    is_key || has(SECRET_FILES, name) || is_ssh_key(name) || is_secret_document(name)
}

fn is_ssh_key(name: &str) -> bool {
    let (stem, end) = name.split_once('.').unwrap_or((name, ""));
    let is_key = |start: &str| {
        let rest = stem.strip_prefix(start);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
    };
    SSH_KEYS.split(' ').any(is_key) && (end.is_empty() || has(SSH_ENDS, end))
}

/// Returns whether a file has variables, credentials or a key of PEM, and is not for readers.
fn is_secret_document(name: &str) -> bool {
    let words = || name.split(|c: char| !c.is_ascii_alphanumeric());
    let is_environment = name
        .strip_prefix(".env")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']));
    let is_environment = is_environment || name.ends_with(".env") && name.len() > 4;
    let (start, end) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut stem = start.split('.').next().unwrap_or_default();
    while let Some((before, word)) = stem.rsplit_once(['-', '_', ' ', '('])
        && (has(VARIANTS, word.trim_end_matches(')')) || word.is_empty())
        && !has(SECRET_WORDS, stem)
    {
        stem = before;
    }
    let is_account = || ACCOUNTS.split(' ').any(|it| start.starts_with(it) && end == "json");
    let is_named = (has(SECRET_WORDS, stem) && has(DOCUMENTS, end))
        || is_account()
        || (start.contains("firebase-adminsdk") && end == "json");
    let is_key = end == "pem" && !words().any(|word| has(PUBLIC, word));
    (is_environment || is_named || is_key) && !words().any(|word| has(FOR_READERS, word))
}

/// Returns why a file is withheld by its content, as the rest of a sentence. Headers without a key
/// and placeholders are documentation; a file for keys has to have a public one.
pub fn withheld_content(path: &str, content: &[u8]) -> Option<&'static str> {
    let path = path.to_ascii_lowercase();
    let has = |text: &str| positions(content, text.as_bytes()).next().is_some();
    // Presentations have the same end as keys, and are archives.
    let is_for_keys =
        path.ends_with(".pem") || (path.ends_with(".key") && !content.starts_with(b"PK"));
    if is_for_keys && !has("BEGIN CERTIFICATE") && !has("PUBLIC KEY-----") {
        return Some(MAY_HOLD_CREDENTIALS);
    }
    secret_in(content).map(|(_, reason)| reason)
}

/// Returns where a content has a secret, and what, as the rest of a sentence: a private key, a
/// token or a password that no placeholder is.
pub fn secret_in(content: &[u8]) -> Option<(usize, &'static str)> {
    const CREDENTIAL: &str = "has a credential";
    if let Some(at) = private_key(content) {
        return Some((at, "has a private key"));
    }
    if let Some(at) = token(content, 0).map(|range| range.start).or_else(|| webhook(content)) {
        return Some((at, CREDENTIAL));
    }
    // A compiled file has no passwords that people have written.
    let text = str::from_utf8(content).ok().filter(|text| !text.contains('\0'))?;
    let strong = secret_values(text).find(|range| {
        let is_quoted = text[..range.start].ends_with(['"', '\'', '`']);
        is_strong(&text[range.clone()], is_quoted)
    });
    strong.map(|range| (range.start, CREDENTIAL))
}

/// Returns whether a value is a password or a key of a person, not a placeholder, a variable or an
/// expression that has it.
fn is_strong(value: &str, is_quoted: bool) -> bool {
    let value = match value.split_once(' ') {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        _ => value,
    };
    let lower = value.to_ascii_lowercase();
    let code = if is_quoted { "{}<> " } else { "(){}<>[]|\\ " };
    let is_expression = value.starts_with(['$', '%', '/', '.', '@', '#'])
        || value.contains("/$")
        || value.contains(|c: char| code.contains(c) || c.is_control());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let has = |of: fn(&char) -> bool| value.chars().any(|c| of(&c));
    // Those between words say nothing about the words.
    let is_sign = |c: char| c.is_ascii_punctuation() && !"-_./:".contains(c);
    let kinds = usize::from(has(char::is_ascii_lowercase))
        + usize::from(has(char::is_ascii_uppercase))
        + usize::from(value.contains(is_sign))
        + usize::from(digits > 0);
    let different = value.bytes().collect::<BTreeSet<_>>().len();
    let is_long =
        (value.len() >= 20 && kinds >= 2 && digits >= 5) || (value.len() >= 10 && kinds >= 3);
    is_long
        && digits >= if is_quoted { 1 } else { 2 }
        && different >= MIN_DIFFERENT - 1
        && !is_expression
        && !PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// Returns where an address begins whose secret part is all that a writer needs.
fn webhook(content: &[u8]) -> Option<usize> {
    WEBHOOKS.iter().find_map(|(start, least)| {
        positions(content, start.as_bytes()).find(|at| {
            let secret = &content[at + start.len()..];
            let is_secret = |byte: &&u8| is_word(**byte) || matches!(byte, b'/' | b':');
            let length = secret.iter().take_while(is_secret).count();
            length >= *least && is_random(&secret[..length])
        })
    })
}
