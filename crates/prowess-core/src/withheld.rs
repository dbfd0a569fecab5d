//! Files that may hold credentials, or that only one machine needs: they are not published, and no
//! model sees them.

mod content;

use crate::credentials::is_secret_name;
use crate::known_tokens::find_credential;

pub use content::{foreign_text, secret_in, withheld_content};

/// Directories of repositories, environments, dependencies and caches. Others are known by a file
/// in them; see [`MachineDirectories`].
const MACHINE_DIRECTORIES: &str = include_str!("withheld/machine-directories.txt");

/// Files of one machine, in lower case, and the ends of such names.
const MACHINE_FILES: &str = ".coverage .ds_store .eslintcache .git .stylelintcache thumbs.db";
const MACHINE_ENDS: [&str; 2] = [".pyc", ".pyo"];

/// The files that environments and caches have at their top.
const MARKS: [&str; 3] = ["pyvenv.cfg", "conda-meta/history", "CACHEDIR.TAG"];

/// Directories with a parent, of which the last has a common name.
const MACHINE_PATHS: &str =
    "/.claude/settings.local.json /.nx/cache/ /.yarn/cache/ /.yarn/unplugged/";
const BUNDLE: &str = "/vendor/bundle/";

/// Directories that hold nothing but credentials.
const SECRET_DIRECTORIES: &str = include_str!("withheld/secret-directories.txt");

/// Directories in which data are credentials, and the ends of such data next to documents.
const SECRET_FOLDERS: &str = "credentials creds secret secrets";
const KEYS: &str = "crt jwk key p7b token";

/// Starts of paths of credentials whose names say nothing, in lower case.
const SECRET_PATHS: &str = include_str!("withheld/secret-paths.txt");

/// Files of credentials, by their names in lower case without a dot or `_` in front and without
/// `.txt`: configurations of tools, and what browsers and services write.
const SECRET_FILES: &str = include_str!("withheld/secret-files.txt");

/// The ends of names that begin with a dot: variables, histories and passwords of a person.
const HIDDEN_ENDS: &str =
    ".anthropic .claude.json .cnf .openai env environ history histfile lesshst pass viminfo vars";

/// The programs whose history may have a name without a dot.
const HISTORIES: &str = "bash fish mysql node_repl psql python sh sqlite zsh";

/// The ends of names of files that hold keys or state with passwords, in lower case.
const SECRET_ENDS: &str = include_str!("withheld/secret-ends.txt");

/// The starts of the names of private keys of SSH, and the ends that such a file may have.
const SSH_KEYS: &str = "id_dsa id_ecdsa id_ed25519 id_rsa ssh_host_dsa_key ssh_host_ecdsa_key \
    ssh_host_ed25519_key ssh_host_rsa_key";
const SSH_ENDS: &str = "key pem priv private txt";

/// The kinds of keys with which a name without an end may end, as in `deploy_rsa`, and the words
/// before them that make it a program.
const KEY_KINDS: &str = "dsa ecdsa ed25519 rsa";
const PROGRAMS: &str = "check create gen generate make new sign test verify";

/// The last words of the names of documents of credentials, next to those of secret variables, and
/// the ends of such documents.
const SECRET_WORDS: &str = "backup-code backup_code credential creds passcode recovery-code \
    recovery_code service-account service_account";
const DOCUMENTS: &str = "asc cfg conf csv docx enc env gpg ini json ods pickle pkl properties toml tsv \
    txt xlsx xml yaml yml";

/// The owners of accounts whose keys are documents, as in `gcp-key.json`.
const OWNERS: &str = include_str!("withheld/owners.txt");

/// The words before such a word that make it a form, a kind of Kubernetes or a token of a text.
const NO_SECRETS: &str = "added change color create design eos external forgot get pad reset rotate \
    sealed special unk update verify";

/// The starts of the names of keys of an account in JSON.
const ACCOUNTS: &str =
    "bitwarden_export client_secret gha-creds service-account service_account serviceaccount";

/// The words that a copy or a variant of a file has behind its name.
const VARIANTS: &str = "1 2 backup copy dev development file key keys live local new old prod \
    production stage staging";

/// The ends that programs and people give to a copy of a file.
const COPIES: &str = ".1 .backup .bak .copy .old .orig .prev .save .swo .swp .tmp";

/// The words that make a file of variables one for readers: `.env.example`, `sample.env`.
const FOR_READERS: &str = "default defaults dist example sample schema template tmpl tpl";

/// The names of further such files, and of programs without an end.
const FILES_FOR_READERS: &str = "changelog codeowners copying dockerfile justfile license licence \
    makefile notice readme schemas skill";

/// The words in the name of a `.pem` file that is there for everyone.
const PUBLIC: &str = "bundle ca cacert cacerts cert certificate certs chain fullchain \
    intermediate issuer pub public root";

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
    withheld_part(path).map(|(_, reason)| reason)
}

/// Returns the file, or the directory that it is in, for which it is withheld, and the reason.
pub(crate) fn withheld_part(path: &str) -> Option<(&str, &'static str)> {
    let lower = path.to_ascii_lowercase();
    let (directories, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let whole = format!("/{lower}");
    // Nearly all of these paths are those of hidden files, which most packages have not.
    let is_hidden = whole.contains("/.");
    let is_below =
        |starts: &str| is_hidden && starts.split_whitespace().any(|start| whole.contains(start));
    let mut above = path.match_indices('/').map(|(at, _)| &path[..=at]);
    let of_directory = |part: &str| {
        let name = part[..part.len() - 1].rsplit('/').next().unwrap_or_default();
        withheld_directory(name)
    };
    let withheld = above.find_map(|part| Some((part, of_directory(part)?)));
    let is_in_folder = || {
        let mut parts = directories.split('/');
        parts.any(|part| has(SECRET_FOLDERS, without_end(part, COPIES).unwrap_or(part)))
            && is_data(name)
    };
    let is_token = || find_credential(path, 0).is_some();
    let is_secret =
        || is_secret_file(name) || is_below(SECRET_PATHS) || is_in_folder() || is_token();
    let is_machine = || {
        let is_swap = name.starts_with('.') && (name.ends_with(".swp") || name.ends_with(".swo"));
        has(MACHINE_FILES, name)
            || MACHINE_ENDS.iter().any(|end| name.ends_with(end))
            || MARKS.iter().any(|mark| name.eq_ignore_ascii_case(mark))
            || is_swap
            || is_below(MACHINE_PATHS)
            || whole.contains(BUNDLE)
    };
    let own = || match is_secret() {
        true => Some((path, MAY_HOLD_CREDENTIALS)),
        false => is_machine().then_some((path, OF_ONE_MACHINE)),
    };
    withheld.or_else(own)
}

/// Why an environment or a cache is withheld, as the rest of a sentence.
const OF_ONE_MACHINE: &str = "belongs to one machine";

/// Returns why everything in a directory of this name is withheld.
pub fn withheld_directory(name: &str) -> Option<&'static str> {
    // That of CVS is written so; people name a folder of CVs in other ways.
    if name == "CVS" {
        return Some(OF_ONE_MACHINE);
    }
    let name = name.to_ascii_lowercase();
    let original = without_end(&name, COPIES).unwrap_or(&name);
    let is_secret = || name.starts_with('.') && is_secret_file(&name) && !is_hidden(&name);
    if has(SECRET_DIRECTORIES, original) || is_secret() {
        return Some(MAY_HOLD_CREDENTIALS);
    }
    let is_cache = name.starts_with(['.', '_']) && name.ends_with("cache");
    let is_machine = is_cache || name == "__pycache__" || name.ends_with(".egg-info");
    (is_machine || has(MACHINE_DIRECTORIES, original)).then_some(OF_ONE_MACHINE)
}

/// The directories of some files that are environments or caches by a file in them, whatever their
/// names.
#[derive(Clone, Debug, Default)]
pub struct MachineDirectories(Vec<String>);

impl MachineDirectories {
    /// Finds them around a file, by asking of a few paths whether there is a file. Directories that
    /// the specification names are none.
    pub(crate) fn around_file(path: &str, is_file: impl Fn(&str) -> bool) -> Self {
        let is_own = ["references", "assets", "scripts"];
        let parents = path.match_indices('/').map(|(end, _)| &path[..end]);
        let names = || MARKS.into_iter().chain(["SKILL.md"]);
        let paths = parents.filter(|parent| !is_own.contains(parent));
        let paths = paths.flat_map(|parent| names().map(move |name| format!("{parent}/{name}")));
        let found: Vec<_> = paths.filter(|path| is_file(path)).collect();
        Self::of(found.iter().map(String::as_str))
    }

    /// Finds them among the paths of all files. A directory that is a skill is none.
    pub fn of<'p>(paths: impl Iterator<Item = &'p str> + Clone) -> Self {
        let directory = |path: &'p str, name: &str| path.strip_suffix(name)?.strip_suffix('/');
        let marked =
            paths.clone().filter_map(|it| MARKS.iter().find_map(|mark| directory(it, mark)));
        let is_skill = move |marked: &&str| {
            paths.clone().any(|path| directory(path, "SKILL.md").is_some_and(|it| it == *marked))
        };
        Self(marked.filter(|marked| !is_skill(marked)).map(str::to_owned).collect())
    }

    /// Returns the directory that a file is in, and why everything in it is withheld.
    pub fn around(&self, path: &str) -> Option<(&str, &'static str)> {
        let is_around =
            |it: &&String| path.strip_prefix(&***it).is_some_and(|it| it.starts_with('/'));
        self.0.iter().find(is_around).map(|directory| (&**directory, OF_ONE_MACHINE))
    }
}

fn has(words: &str, word: &str) -> bool {
    let byte = |at: Option<usize>| at.and_then(|at| words.as_bytes().get(at));
    let is_end = |at: Option<usize>| byte(at).is_none_or(u8::is_ascii_whitespace);
    let is_whole = |at: usize| is_end(at.checked_sub(1)) && is_end(Some(at + word.len()));
    // Hardly any word is a part of the others.
    let is_part = !word.is_empty() && !word.contains([' ', '\n']) && words.contains(word);
    is_part && words.match_indices(word).any(|(at, _)| is_whole(at))
}

/// Returns a name without its end behind the last dot, if that is one of these.
fn without_end<'n>(name: &'n str, ends: &str) -> Option<&'n str> {
    let (start, end) = name.split_at(name.rfind('.')?);
    has(ends, end).then_some(start)
}

fn is_secret_file(name: &str) -> bool {
    // Editors write `NAME~`, `#NAME#` and `.NAME.swp` next to a file.
    let name = name.trim_start_matches('#').trim_end_matches(['#', '~', ' ', '.']);
    if let Some(original) = without_end(name, COPIES) {
        let shown = original.strip_prefix('.').unwrap_or(original);
        return is_secret_file(original) || is_secret_file(shown);
    }
    let is_key = without_end(name, SECRET_ENDS).is_some_and(|start| !start.is_empty());
    let plain = name.trim_start_matches(['.', '_']);
    let text = plain.strip_suffix(".txt").unwrap_or(plain);
    is_key
        || has(SECRET_FILES, plain)
        || has(SECRET_FILES, text)
        || is_ssh_key(name)
        || is_secret_document(name)
        || is_hidden(name)
}

/// Returns whether a file is neither a program nor for readers.
fn is_data(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let name = name.trim_end_matches('~');
    let name = without_end(name, COPIES).unwrap_or(name);
    let is_data =
        name.rsplit_once('.').is_none_or(|(_, end)| has(DOCUMENTS, end) || has(KEYS, end));
    is_data && !words.any(|word| has(FOR_READERS, word) || has(FILES_FOR_READERS, word))
}

/// Returns whether a file has variables, the history of a shell or passwords of a person.
fn is_hidden(name: &str) -> bool {
    let is_end = |end: &str| name.ends_with(end) && name != ".env";
    let of = name.strip_suffix("_history");
    of.is_some_and(|of| of.starts_with('.') || has(HISTORIES, of))
        || (name.starts_with('.') && HIDDEN_ENDS.split(' ').any(is_end))
}

fn is_ssh_key(name: &str) -> bool {
    let (stem, end) = name.split_once('.').unwrap_or((name, ""));
    let is_key = |start: &str| {
        let rest = stem.strip_prefix(start);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
    };
    let is_own = || {
        let (before, kind) = stem.rsplit_once('_')?;
        let is_program = before.split(['_', '-']).any(|word| has(PROGRAMS, word));
        (end.is_empty() && has(KEY_KINDS, kind) && !is_program).then_some(())
    };
    (SSH_KEYS.split(' ').any(is_key) && (end.is_empty() || has(SSH_ENDS, end)))
        || is_own().is_some()
}

/// Returns whether a file has variables, credentials or a key of PEM, and is not for readers.
fn is_secret_document(name: &str) -> bool {
    let words = || name.split(|c: char| !c.is_ascii_alphanumeric());
    // Copies are named `.env copy`, `.env (1)` and `.env2`.
    let is_of_readers = name.rsplit_once('.').is_some_and(|(_, end)| has("md mdx rst ts", end));
    let is_environment = name.starts_with(".env") && !is_of_readers;
    let is_variant = |rest: &str| has(VARIANTS, rest) && !has("file key keys", rest);
    let is_environment = is_environment
        || (name.ends_with(".env") && name.len() > 4)
        || name.strip_prefix("env.").is_some_and(is_variant);
    let plain = name.trim_start_matches('.');
    let (start, end) = plain.rsplit_once('.').unwrap_or((plain, ""));
    let is_account = || end == "json" && ACCOUNTS.split(' ').any(|it| start.starts_with(it));
    // Without an end, `rotate-secret` is rather a program.
    let is_document = has(DOCUMENTS, end) || (end.is_empty() && name != plain);
    // As variables are named: `HF_TOKEN`.
    let is_bare = || {
        end.is_empty()
            && (has("token password passwords passwd apikey api_key", plain)
                || (plain.contains('_') && is_of_secrets(plain)))
    };
    let is_named = (is_document && is_of_secrets(start))
        || is_bare()
        || is_account()
        || start.ends_with(".tfvars")
        || (start.contains("firebase-adminsdk") && end == "json")
        || (start.starts_with("secring") && has("asc gpg", end))
        || (end == "asc" && words().any(|word| has("private secret", word)));
    let is_key = end == "pem" && !words().any(|word| has(PUBLIC, word));
    (is_environment || is_named || is_key) && !words().any(|word| has(FOR_READERS, word))
}

/// Returns whether the name of a document ends with a word for what is secret, behind which a copy
/// or a variant may have another one.
fn is_of_secrets(stem: &str) -> bool {
    let separators = ['-', '_', ' ', '(', '.'];
    let (before, last) = stem.trim_end_matches(')').rsplit_once(separators).unwrap_or(("", stem));
    let owner = before.rsplit_once(separators).map_or(before, |(_, owner)| owner);
    let one = match last {
        "authorization" => return false,
        "tokens" if !has("access api auth bearer refresh", owner) => return false,
        _ => stem.strip_suffix('s').unwrap_or(stem),
    };
    let is_variant = has(VARIANTS, last) || last.is_empty();
    let is_key = has("key keys", last) && has(OWNERS, owner);
    let is_secret = |it| is_secret_name(it) || SECRET_WORDS.split(' ').any(|end| it.ends_with(end));
    is_key
        || ([stem, one].into_iter().any(is_secret) && !has(NO_SECRETS, owner))
        || (is_variant && !before.is_empty() && is_of_secrets(before))
}
