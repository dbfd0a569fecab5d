//! The headers of files in a diff, as `diff` and git write them.

use prowess_text::quoted;

/// The lines in front of the hunks of a file.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// The path of both sides, from `diff --git`.
    pub(super) path: Option<String>,
    /// The paths of `rename from`, `copy from`, `rename to` and `copy to`.
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) is_copy: bool,
    pub(super) is_new: bool,
    pub(super) is_removed: bool,
    /// The new mode.
    pub(super) is_executable: Option<bool>,
    /// Whether the contents are not text.
    pub(super) is_binary: bool,
}

/// The lines of git that say nothing about the result.
const NOTES: [&str; 4] = ["index ", "similarity index ", "dissimilarity index ", "old mode "];

impl Header {
    /// Creates the header that begins with `diff --git` and these paths.
    pub(super) fn of_git(paths: &str) -> Self {
        Self { path: both(paths), ..Self::default() }
    }

    /// Reads a line, and returns whether it is one of a header.
    ///
    /// # Errors
    ///
    /// Returns an error if it makes a link or a submodule.
    pub(super) fn read(&mut self, line: &str) -> Result<bool, String> {
        let named = |text: &str| Some(unquoted(text.trim_end()));
        if NOTES.iter().any(|note| line.starts_with(note)) {
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            self.is_executable = Some(is_executable(mode)?);
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            self.is_executable = Some(is_executable(mode)?);
            self.is_new = true;
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            is_executable(mode)?;
            self.is_removed = true;
        } else if let Some(path) = line.strip_prefix("rename from ") {
            self.from = named(path);
        } else if let Some(path) = line.strip_prefix("rename to ") {
            self.to = named(path);
        } else if let Some(path) = line.strip_prefix("copy from ") {
            (self.from, self.is_copy) = (named(path), true);
        } else if let Some(path) = line.strip_prefix("copy to ") {
            self.to = named(path);
        } else if line.starts_with("Binary files ") && line.ends_with(" differ") {
            self.is_binary = true;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

fn is_executable(mode: &str) -> Result<bool, String> {
    match mode.trim() {
        "100644" | "100664" => Ok(false),
        "100755" | "100775" => Ok(true),
        other => Err(format!("{} is no mode of a file", quoted(other))),
    }
}

/// Returns the paths behind `---` and `+++`; `None` for a file that does not exist.
pub(super) fn pair(old: &str, new: &str) -> [Option<String>; 2] {
    let has_time = [old, new].iter().all(|it| it.trim_end().contains('\t'));
    let [old, new] = [old, new].map(|text| {
        let text = if text.starts_with('"') { text } else { text.split('\t').next().unwrap_or("") };
        let path = unquoted(text.trim_end());
        (path != "/dev/null").then_some(path)
    });
    let below = |path: &str, prefixes: &[&str]| {
        let rest = prefixes.iter().find_map(|prefix| path.strip_prefix(prefix));
        rest.map(str::to_owned)
    };
    // With `diff.mnemonicPrefix`, git names the index, the work tree, a commit or an object.
    if let (Some(old), Some(new)) = (&old, &new)
        && let [Some(of_old), Some(of_new)] = [(old, ["c/", "i/", "o/"]), (new, ["i/", "w/", "o/"])]
            .map(|(path, prefixes)| below(path, &prefixes))
        && of_old == of_new
    {
        return [Some(of_old), Some(of_new)];
    }
    let pair =
        [old, new].map(|path| path.map(|path| below(&path, &["a/", "b/", "./"]).unwrap_or(path)));
    // `diff` writes times and knows no renames, so one is the name of a copy, such as `x.orig`.
    if let ([Some(old), Some(new)], true) = (&pair, has_time) {
        let file = [old, new].into_iter().min_by_key(|it| (it.starts_with('/'), it.len()));
        return [file.cloned(), file.cloned()];
    }
    pair
}

/// Returns the path of both sides behind `diff --git`, if they are equal.
fn both(paths: &str) -> Option<String> {
    let paths = paths.trim_end();
    // Neither side says where it ends, so equal ones have the blank in the middle.
    let (old, new) = paths.split_at_checked(paths.len() / 2)?;
    let [old, new] = pair(old, new.strip_prefix(' ')?);
    old.filter(|old| Some(old) == new.as_ref())
}

/// Returns a path without the quotes and escapes of git, which writes bytes as octal numbers.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escaped = rest.next().unwrap_or(b'\\');
        bytes.push(match escaped {
            b'0'..=b'7' => {
                let mut value = u32::from(escaped - b'0');
                for _ in 0..2 {
                    let digit = rest.next_if(|byte| matches!(byte, b'0'..=b'7'));
                    value = digit.map_or(value, |digit| value * 8 + u32::from(digit - b'0'));
                }
                u8::try_from(value).unwrap_or(b'?')
            }
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            other => other,
        });
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
