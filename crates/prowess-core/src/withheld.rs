//! Files that may hold credentials, or that only one machine needs: they are not published, and no
//! model sees them.

use std::collections::BTreeSet;
use std::ops::Range;

/// Directories of repositories, environments, dependencies and caches.
const MACHINE_DIRECTORIES: &str = ".cache .eggs .git .gradle .hg .ipynb_checkpoints .mypy_cache \
    .nox .pytest_cache .ruff_cache .svn .terraform .tox .venv __pycache__ node_modules venv";

/// Directories that hold nothing but credentials.
const SECRET_DIRECTORIES: &str = ".aws .azure .gcloud .gnupg .kube .ssh";

/// Files of credentials, by their whole names in lower case.
const SECRET_FILES: &str = ".boto .dockercfg .dockerconfigjson .envrc .git-credentials .htpasswd \
    .my.cnf .netrc .npmrc .pgpass .pypirc .s3cfg .yarnrc.yml _netrc \
    application_default_credentials.json credentials credentials.json id_dsa id_ecdsa id_ed25519 \
    id_rsa terraform.tfstate";

/// The ends of names of files that hold keys, in lower case.
const SECRET_ENDS: &str = ".jks .kdbx .keystore .p12 .pfx .ppk .tfvars";

/// The words that make a file of variables one for readers: `.env.example`, `sample.env`.
const FOR_READERS: &str = "defaults dist example sample template";

/// Credentials in texts: the number of letters, digits, `_` and `-` that follow at least, and what
/// they start with.
const TOKENS: [(usize, &str); 7] = [
    (16, "AKIA ASIA"),
    (20, "SG. glpat- rk_live_ sk_live_ xapp- xoxa- xoxb- xoxp-"),
    (30, "hf_"),
    (35, "AIza"),
    (36, "ghp_ gho_ ghr_ ghs_ ghu_ npm_"),
    (40, "gsk_ sk-ant- sk-or-v1- sk-proj-"),
    (50, "AGE-SECRET-KEY-1 dop_v1_ github_pat_ pypi-AgE"),
];

/// The end of the first line of a private key in PEM form, and the length of its first line.
const PRIVATE_KEY: (&str, usize) = ("PRIVATE KEY-----", 40);

/// The length of the shortest token, of which each byte is one of a word or a dot.
const SHORTEST_TOKEN: usize = 20;

/// The shortest part behind a dot that belongs to a token, as in `SG.ID.SECRET`.
const LEAST_PART: usize = 16;

/// The shortest start, and the least behind it, of a token that was cut.
const LEAST_START: usize = 4;
const LEAST_CUT: usize = 10;

/// Fewer different characters than this are a placeholder, such as `ghp_xxxxxxxx`.
const MIN_DIFFERENT: usize = 8;

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
    withheld.or_else(|| is_secret_name(name).then_some("may hold credentials")).or_else(|| {
        let is_machine = name == ".ds_store" || name.ends_with(".pyc") || name == ".git";
        is_machine.then_some("belongs to one machine")
    })
}

/// Returns why everything in a directory of this name is withheld.
pub fn withheld_directory(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    if has(SECRET_DIRECTORIES, &name) {
        return Some("may hold credentials");
    }
    has(MACHINE_DIRECTORIES, &name).then_some("belongs to one machine")
}

fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

fn is_secret_name(name: &str) -> bool {
    let is_for_readers = || name.split('.').any(|part| has(FOR_READERS, part));
    let is_environment =
        name == ".env" || name.starts_with(".env.") || name.ends_with(".env") && name.len() > 4;
    let stem = name.split('.').next().unwrap_or_default();
    let is_document = ["json", "yaml", "yml", "toml"]
        .iter()
        .any(|end| name.strip_suffix(end).is_some_and(|start| start.ends_with('.')));
    let is_named = matches!(stem, "secrets" | "service-account" | "service_account");
    has(SECRET_FILES, name)
        || SECRET_ENDS.split(' ').any(|end| name.ends_with(end) && name.len() > end.len())
        || ((is_environment || (is_named && is_document)) && !is_for_readers())
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
        return Some("may hold credentials");
    }
    if private_key(content).is_some() {
        return Some("has a private key");
    }
    token(content, 0).map(|_| "has a credential")
}

/// Returns where a text has a credential by its format, from a position on: a known token, or a
/// private key.
///
/// ```
/// use prowess_core::find_credential;
///
/// let text = "notes/ghp_a0B1c2D3e4F5a0B1c2D3e4F5a0B1c2D3e4F5.md";
/// assert_eq!(find_credential(text, 0), Some(6..46));
/// assert_eq!(find_credential("notes/ghp_example.md", 0), None);
/// ```
pub fn find_credential(text: &str, from: usize) -> Option<Range<usize>> {
    first_of(text, from, token(text.as_bytes(), from))
}

/// Returns where a text has a credential, also one inside of a word: where texts are masked, that
/// costs nothing.
pub(crate) fn find_masked(text: &str, from: usize) -> Option<Range<usize>> {
    let token = token_where(text.as_bytes(), from, |_| true);
    let cut = text.get(from..).and_then(cut_token).map(|cut| from + cut.start..from + cut.end);
    first_of(text, from, [token, cut].into_iter().flatten().min_by_key(|range| range.start))
}

/// Returns the first token whose end an ellipsis stands for, as messages cut long texts.
fn cut_token(text: &str) -> Option<Range<usize>> {
    let starts = || TOKENS.iter().flat_map(|(_, starts)| starts.split(' '));
    text.match_indices('…').find_map(|(end, _)| {
        let before = &text.as_bytes()[..end];
        let length = before.iter().rev().take_while(|byte| is_word(**byte)).count();
        let word = &before[end - length..];
        let is_start =
            |start: &&str| start.len() >= LEAST_START && word.starts_with(start.as_bytes());
        let start = starts().find(is_start)?;
        let is_cut = length >= start.len() + LEAST_CUT && is_random(&word[start.len()..]);
        is_cut.then_some(end - length..end)
    })
}

fn first_of(text: &str, from: usize, token: Option<Range<usize>>) -> Option<Range<usize>> {
    let key = text.get(from..).and_then(|rest| private_key(rest.as_bytes())).map(|at| {
        let start = from + at;
        let rest = &text[start..];
        let end = rest.find("-----END ").and_then(|at| Some(at + rest[at..].find("KEY-----")? + 8));
        start..end.map_or(text.len(), |end| start + end)
    });
    [token, key].into_iter().flatten().min_by_key(|range| range.start)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns the first token from a position on that begins a word.
fn token(content: &[u8], from: usize) -> Option<Range<usize>> {
    token_where(content, from, |at| at == 0 || !content[at - 1].is_ascii_alphanumeric())
}

fn token_where(
    content: &[u8],
    from: usize,
    is_start: impl Fn(usize) -> bool,
) -> Option<Range<usize>> {
    // Hardly any word is as long, which is found out first.
    let may_be = |rest: &[u8]| {
        let mut start = rest.iter().take(SHORTEST_TOKEN);
        rest.len() >= SHORTEST_TOKEN && start.all(|&byte| is_word(byte) || byte == b'.')
    };
    (from..content.len()).find_map(|at| {
        let rest = &content[at..];
        let length = (is_start(at) && may_be(rest)).then(|| token_length(rest)).flatten()?;
        Some(at..at + length)
    })
}

/// Returns the length of the token that a text begins with, and of the parts behind its dots.
fn token_length(text: &[u8]) -> Option<usize> {
    let word = |rest: &[u8]| rest.iter().take_while(|byte| is_word(**byte)).count();
    TOKENS.iter().find_map(|(least, starts)| {
        let mut starts = starts.split(' ').filter(|start| text.starts_with(start.as_bytes()));
        let start = starts.next()?.len();
        let mut end = start + word(&text[start..]);
        if end - start < *least || !is_random(&text[start..end]) {
            return None;
        }
        while text.get(end) == Some(&b'.') && word(&text[end + 1..]) >= LEAST_PART {
            end += 1 + word(&text[end + 1..]);
        }
        Some(end)
    })
}

/// Returns where the first private key begins.
fn private_key(content: &[u8]) -> Option<usize> {
    let (end, length) = PRIVATE_KEY;
    positions(content, end.as_bytes()).find_map(|at| {
        let line = content[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let is_start = content[line..at].windows(11).any(|start| start == b"-----BEGIN ");
        // A key in a document of JSON has its lines behind `\n`.
        let rest = content[at + end.len()..].trim_ascii_start();
        let rest = rest.strip_prefix(b"\\n").unwrap_or(rest);
        let is_key =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let has_headers = rest.starts_with(b"Proc-Type:") || rest.starts_with(b"DEK-Info:");
        let is_key = has_headers || rest.iter().take_while(is_key).count() >= length;
        (is_start && is_key).then_some(line)
    })
}

fn is_random(token: &[u8]) -> bool {
    let is_example = token.windows(7).any(|part| part.eq_ignore_ascii_case(b"example"));
    let has_digit = token.iter().any(u8::is_ascii_digit);
    !is_example && has_digit && token.iter().collect::<BTreeSet<_>>().len() >= MIN_DIFFERENT
}

/// Returns where a text occurs.
fn positions<'c>(content: &'c [u8], text: &'c [u8]) -> impl Iterator<Item = usize> + 'c {
    memchr::memmem::find_iter(content, text)
}
