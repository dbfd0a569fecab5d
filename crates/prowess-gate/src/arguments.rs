//! The paths among the arguments of a call.

use serde_json::Value;

/// Parts of the names of tools that use files of the host.
const FILE_TOOLS: &str = "file dir read write edit copy move delete remove create list find search glob grep \
    view patch replace rename append notebook";

/// The ends of the names of arguments that are paths.
const PATH_ENDS: &str = include_str!("arguments/path_ends.txt");

/// Arguments that are texts, whatever they begin with.
const TEXTS: &str = "content contents oldstring newstring oldstr newstr oldtext newtext command pattern \
    prompt query regex text message description body code replacement title comment";

/// Arguments with a pattern of paths.
const GLOBS: &str = "glob globs globpattern include filepattern";

/// Longer texts are none, and the schemes of a URL end before.
const LONGEST_PATH: usize = 1024;
const LONGEST_SCHEMES: usize = 64;

/// Returns whether a tool is one of files by its name. Another one may take `/api` for a path, too.
pub(crate) fn is_file_tool(name: &str) -> bool {
    let name = plain(name.rsplit("__").next().unwrap_or_default());
    name == "ls" || FILE_TOOLS.split_ascii_whitespace().any(|part| name.contains(part))
}

/// Returns the texts in arguments that are paths by their names, but not in those that are known,
/// nor addresses of the network.
pub(crate) fn further_paths<'a>(arguments: &'a Value, known: &[&str]) -> Vec<&'a str> {
    let is_path = |name: &str| {
        let end = plain(name);
        let mut ends = PATH_ENDS.split_ascii_whitespace();
        !end.contains("profile") && ends.any(|path| end.ends_with(path))
    };
    let is_known = |name: &str| known.contains(&name);
    let further = arguments.as_object().into_iter().flatten().filter(|(name, _)| !is_known(name));
    let mut found = Vec::new();
    further.for_each(|(name, value)| collect(value, is_path(name), &is_path, &mut found));
    found.retain(|text| !text.contains("://") || is_file_url(text));
    found
}

/// Returns the texts in arguments of any name that may be paths, but for those that are texts by
/// their names.
pub(crate) fn other_texts(arguments: &Value) -> Vec<&str> {
    let mut found =
        texts(arguments, &|name| !TEXTS.split_ascii_whitespace().any(|it| it == plain(name)));
    found.retain(|text| is_place(text) || !text.contains("://") && text.len() <= LONGEST_PATH);
    found
}

/// Returns whether a text is a path of another place, as it is written.
pub(crate) fn is_place(text: &str) -> bool {
    let text = bare(text);
    let is_above =
        text.strip_prefix("..").is_some_and(|it| it.is_empty() || it.starts_with(['/', '\\']));
    // A price, or the root of a document, is none.
    let is_variable = begins_with_variable(text) && text.contains(['/', '\\']);
    text.starts_with(['/', '~']) || is_above || is_variable || is_file_url(text)
}

/// Returns whether tools may put a directory in the place of how a path begins: `$HOME/x`,
/// `${HOME}/x`, `$env:HOME\x`, `%APPDATA%\x`.
pub(crate) fn begins_with_variable(path: &str) -> bool {
    let is_name =
        |text: &str| text.starts_with(|it: char| it.is_ascii_alphabetic() || "_{(".contains(it));
    match path.strip_prefix('%') {
        Some(rest) => is_name(rest) && rest.contains('%'),
        None => path.strip_prefix('$').is_some_and(is_name),
    }
}

/// Returns a path without what tools remove in front of it and behind.
pub(crate) fn bare(path: &str) -> &str {
    path.trim().trim_start_matches('@')
}

/// Returns whether a text is a URL of a file, or of no host, such as `local_file:///etc/passwd`.
/// Browsers skip blanks in it, and know `view-source:file:`.
pub(crate) fn is_file_url(text: &str) -> bool {
    let is_scheme = |it: &str| it.len() <= LONGEST_SCHEMES && !it.contains(' ');
    if let Some((scheme, address)) = text.trim().split_once("://").filter(|it| is_scheme(it.0))
        && (address.starts_with('/') || scheme.to_ascii_lowercase().contains("file"))
    {
        return true;
    }
    let plain = text.chars().filter(|it| !it.is_whitespace() && !it.is_control());
    let plain: String = plain.take(LONGEST_SCHEMES).map(|it| it.to_ascii_lowercase()).collect();
    plain.split_once("file:").is_some_and(|(before, _)| {
        let is_scheme = |it: char| it.is_ascii_alphanumeric() || "+-.:".contains(it);
        (before.is_empty() || before.ends_with(':')) && before.chars().all(is_scheme)
    })
}

/// Returns the patterns of paths, behind the first path that is named, each with the place in which
/// it looks; `None` for one that may look anywhere.
pub(crate) fn globs(tool: &str, arguments: &Value) -> Vec<(Option<String>, String)> {
    let base = further_paths(arguments, &[]).first().copied().unwrap_or_default();
    let is_finder = ["glob", "find", "search"].iter().any(|word| plain(tool).contains(word));
    let globs = texts(arguments, &|name| {
        let name = plain(name);
        let mut globs = GLOBS.split_ascii_whitespace();
        globs.any(|glob| glob == name) || is_finder && name.starts_with("pattern")
    });
    let globs = globs.into_iter().map(|glob| glob.trim_start_matches('!'));
    globs.map(|glob| (place(base, glob), joined(base, glob))).collect()
}

fn place(base: &str, glob: &str) -> Option<String> {
    let literal = &glob[..glob.find(['*', '?', '[', '{', '\\', '(']).unwrap_or(glob.len())];
    let place = match literal.rfind('/') {
        _ if literal.len() == glob.len() => glob,
        Some(slash) => &glob[..=slash],
        None => "",
    };
    let rest = &glob[place.len()..];
    let is_start = |it: &[u8]| b"{,(|".contains(&it[0]) && b"/~$%".contains(&it[1]);
    let is_open = glob.starts_with('~')
        || begins_with_variable(glob)
        || rest.contains("..")
        || rest.as_bytes().windows(2).any(is_start);
    (!is_open).then(|| joined(base, place))
}

fn joined(base: &str, path: &str) -> String {
    let is_whole = path.starts_with('/') || base.is_empty();
    if is_whole { path.to_owned() } else { format!("{base}/{path}") }
}

fn texts<'a>(value: &'a Value, is_named: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let mut found = Vec::new();
    collect(value, false, is_named, &mut found);
    found
}

fn collect<'a>(
    value: &'a Value,
    is_here: bool,
    is_named: &dyn Fn(&str) -> bool,
    found: &mut Vec<&'a str>,
) {
    match value {
        Value::String(text) if is_here && !text.is_empty() => found.push(text),
        Value::Array(list) => list.iter().for_each(|it| collect(it, is_here, is_named, found)),
        Value::Object(map) => {
            map.iter().for_each(|(name, it)| collect(it, is_named(name), is_named, found));
        }
        _ => {}
    }
}

/// Returns a name without case and signs: `file_path` and `filePath` are one.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}
