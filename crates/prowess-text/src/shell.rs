//! Words of a shell command that a user is asked to run.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use crate::invisible::has_unclear;

/// Encodes a text or a path as one word of a POSIX shell.
///
/// A text with invisible characters or line breaks, and a path that is not UTF-8, are written as
/// `$'…'` with octal numbers, which bash, zsh and the shells of POSIX 2024 read: the command can be
/// shown on a terminal and still names the right file.
///
/// ```
/// use prowess_text::shell_word;
///
/// assert_eq!(shell_word("a/b.so"), "a/b.so");
/// assert_eq!(shell_word("x';touch pwn;'.so"), r"'x'\'';touch pwn;'\''.so'");
/// assert_eq!(shell_word("a\u{9b}b"), r"$'a\302\233b'");
/// ```
pub fn shell_word<T: AsRef<OsStr> + ?Sized>(word: &T) -> Cow<'_, str> {
    let word = word.as_ref();
    match word.to_str() {
        Some(text) if is_plain(text) => Cow::Borrowed(text),
        Some(text) if !text.contains(['\n', '\t']) && !has_unclear(text) => {
            Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
        }
        _ => Cow::Owned(octal(word)),
    }
}

/// Encodes a path as one word of a POSIX shell that no command reads as an option.
///
/// ```
/// assert_eq!(prowess_text::shell_path("-x/my skill"), "'./-x/my skill'");
/// ```
pub fn shell_path<T: AsRef<OsStr> + ?Sized>(path: &T) -> Cow<'_, str> {
    let path = path.as_ref();
    if !path.as_encoded_bytes().starts_with(b"-") {
        return shell_word(path);
    }
    let mut here = OsString::from("./");
    here.push(path);
    Cow::Owned(shell_word(&here).into_owned())
}

fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@:,".contains(&byte))
}

fn octal(word: &OsStr) -> String {
    let mut encoded = "$'".to_owned();
    for &byte in word.as_encoded_bytes() {
        match byte {
            b'\'' | b'\\' => encoded.extend(['\\', char::from(byte)]),
            b' '..=b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("\\{byte:03o}")),
        }
    }
    encoded + "'"
}
