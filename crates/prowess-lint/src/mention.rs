//! What the words around a path say about it: a file of the package, or something else.

/// Names of files that stand for any file, without their ends and separators.
const PLACEHOLDERS: &[&str] = &[
    "scriptname", "filename", "name", "file", "script", "yourfile", "yourscript", "myscript",
    "myfile", "somefile", "somescript", "foo", "bar", "baz", "xxx", "newfile", "anyfile",
    "pathtofile", "thefile", "thescript", "skillname", "templatename", "referencename",
];

/// Words before a path that exists: `see`, `run` and their like.
const EXISTING: &[&str] = &[
    "see", "read", "refer", "run", "running", "use", "uses", "using", "with", "via", "load",
    "execute", "call", "from", "consult", "consulting", "follow", "open", "check", "per", "by",
    "python", "python3", "node", "bash", "sh", "npx", "uv",
];

/// Words before a path that is an example, or a file that is yet to be written.
const OTHER: &[&str] = &[
    "create", "creates", "creating", "write", "writes", "writing", "save", "saves", "saved",
    "generate", "generates", "generated", "output", "outputs", "put", "place", "move", "add",
    "obtain", "rename", "store", "produce", "produces", "like", "eg", "example", "examples",
    "instance", "mention", "mentions", "form", "named", "called", "if", "optional", "optionally",
    "existing",
];

/// Returns whether the stem of a file's name stands for any name.
pub(crate) fn is_placeholder(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let letters: String = stem.chars().filter(|it| it.is_alphanumeric()).collect();
    let letters = letters.to_lowercase();
    let mut words = stem.rsplit(['-', '_']);
    let last = words.next().unwrap_or_default();
    let is_numbered =
        last.bytes().all(|byte| byte.is_ascii_digit()) && words.next() == Some("file");
    PLACEHOLDERS.contains(&letters.as_str())
        || last == "name"
        || is_numbered
        || ["your", "my"]
            .iter()
            .any(|of| stem.starts_with(of) && stem[of.len()..].starts_with(['-', '_']))
}

/// Returns whether the text before a path says that the path is an example or is yet to be written;
/// `None` if it says nothing. The last word decides.
fn is_of_another(before: &str) -> Option<bool> {
    let lower = before.to_lowercase().replace('\n', " ");
    let lower = lower.replace("e.g.", " eg ").replace("such as", " like ");
    let sentence = lower.rsplit(". ").next().unwrap_or_default();
    let words = sentence.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut telling = words.filter_map(|word| match word {
        _ if OTHER.contains(&word) => Some(true),
        _ if EXISTING.contains(&word) => Some(false),
        _ => None,
    });
    telling.next_back()
}

/// Returns whether the text before a path names another skill as its owner: `` `pdf-forms`'s ``, or
/// `` `pdf-forms` — its ``.
fn is_of_another_skill(before: &str) -> bool {
    let Some((text, rest)) = before.rsplit_once('`') else {
        return false;
    };
    let owner = text.rsplit('`').next().unwrap_or_default();
    let is_name = owner.contains('-')
        && owner.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-');
    let rest = rest.trim_start();
    let is_owner = rest.starts_with("'s") || rest.starts_with("’s") || rest.starts_with("skill");
    is_name && (is_owner || rest.split_whitespace().any(|word| word == "its"))
}

/// Returns the text of the block before a byte of a file: of its paragraph or its item of a list.
pub(crate) fn before(text: &[u8], at: usize) -> Before<'_> {
    let text = text.get(..at).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    let paragraph = text.rfind("\n\n").map_or(0, |start| start + 2);
    let mut start = text.len();
    while start > paragraph {
        let line = text[..start].trim_end_matches('\n').rfind('\n').map_or(0, |it| it + 1);
        start = line.max(paragraph);
        if is_item(&text[start..]) {
            return Before { own: opened(&text[start..]), lead_in: lead_in(&text[..start]) };
        }
    }
    Before { own: opened(&text[paragraph..]), lead_in: "" }
}

/// The text before a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before<'t> {
    /// That of its own paragraph or item.
    own: &'t str,
    /// For an item, the line that leads to its list.
    lead_in: &'t str,
}

impl Before<'_> {
    /// Returns whether the path is an example, yet to be written, or another skill's.
    pub(crate) fn is_of_another(&self) -> bool {
        is_of_another_skill(self.own)
            || is_of_another(self.own).or(is_of_another(self.lead_in)) == Some(true)
    }
}

/// The text without the marks that open the code or the link around the path.
fn opened(text: &str) -> &str {
    text.trim_end_matches(['`', '(', '[', '"', '\'', '*'])
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let rest = line.trim_start_matches(|it: char| it.is_ascii_digit());
    ["- ", "* ", "+ ", "| "].iter().any(|mark| line.starts_with(mark))
        || (rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") ")))
}

/// Returns the last line before a list, if it ends with a colon.
fn lead_in(text: &str) -> &str {
    let lines = text.lines().rev().map(str::trim);
    let before =
        lines.filter(|line| !line.is_empty() && !is_item(line)).find(|line| !line.is_empty());
    before.filter(|line| line.trim_end_matches('*').ends_with(':')).unwrap_or_default()
}
