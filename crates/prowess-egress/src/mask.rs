//! A writer that replaces secrets.

use std::io::{self, Write};

use crate::spelling::{Found, Spelling};

/// The most bytes of a secret that the end of a process's output may show.
const SHOWN: usize = 3;

/// Replaces secrets in what is written by asterisks, as many as there were bytes, so that lengths
/// stay as they are.
///
/// A secret is found in any case, with each character written as it is or escaped (`%41`, `\u0041`,
/// `\x41`, `\101`, `&#65;`, `=41`, also repeatedly), in UTF-16 and UTF-32, and as a part of a text
/// in base64 (both alphabets, in lines) or in hexadecimal digits. Other forms are not found:
/// reversed, compressed, encrypted, in parts, or in two of these at once.
pub struct Mask<W> {
    inner: W,
    secrets: Vec<Spelling>,
    /// The bytes that a secret may begin with.
    begins: [bool; 256],
    /// The beginning of a secret, perhaps.
    held: Vec<u8>,
}

/// Returns whether a secret, and the password that it has in base64, is long enough to be replaced
/// wherever it occurs: shorter ones are a part of too much else.
pub fn can_be_masked(secret: &str) -> bool {
    !Spelling::all(secret.as_bytes()).iter().any(Spelling::is_short)
}

impl<W: Write> Mask<W> {
    /// Creates a writer to `inner`.
    pub fn new<'s>(inner: W, secrets: impl Iterator<Item = &'s str>) -> Self {
        let secrets = secrets.filter(|secret| !secret.is_empty());
        let secrets: Vec<_> = secrets.flat_map(|secret| Spelling::all(secret.as_bytes())).collect();
        let mut begins = [false; 256];
        for (first, begins) in (0..=u8::MAX).zip(&mut begins) {
            *begins = secrets.iter().any(|secret| secret.may_begin(first));
        }
        Self { inner, secrets, begins, held: Vec::new() }
    }

    /// Returns the writer that this one writes to.
    pub fn inner(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Writes the end, which was held back because it may have been the beginning of a secret. It
    /// is replaced if it has a whole one: for fewer bytes, asterisks would answer a guess of a
    /// script that stores text in the server and reads it again, one character at a time.
    ///
    /// # Errors
    ///
    /// The inner writer fails.
    pub fn finish(self) -> (W, io::Result<()>) {
        self.finish_from(usize::MAX)
    }

    /// As [`Self::finish`], for the output of a process that has the secrets: it learns nothing by
    /// asterisks, and its output may end within a secret. More than three bytes are replaced.
    ///
    /// # Errors
    ///
    /// The inner writer fails.
    pub fn finish_hidden(self) -> (W, io::Result<()>) {
        self.finish_from(SHOWN + 1)
    }

    fn finish_from(mut self, hidden: usize) -> (W, io::Result<()>) {
        // An escape may end where the answer does.
        self.held.push(1);
        self.replace(true);
        self.held.pop();
        if self.held.len() >= hidden {
            self.held.fill(b'*');
        }
        let finished = self.inner.write_all(&self.held);
        (self.inner, finished)
    }

    /// Drops what was held back: whatever was written has no end.
    pub fn cut(self) -> W {
        self.inner
    }

    /// Replaces the secrets that have arrived, and returns where what is to be held back begins:
    /// nothing is at the end.
    fn replace(&mut self, is_end: bool) -> usize {
        let mut at = 0;
        while at < self.held.len() {
            let rest = &self.held[at..];
            if !self.begins[usize::from(rest[0])] {
                at += 1;
                continue;
            }
            let found = self.secrets.iter().map(|secret| secret.find(rest));
            let found = found.filter(|found| !is_end || *found != Found::Beginning).max();
            match found.unwrap_or(Found::Nothing) {
                Found::Nothing => at += 1,
                Found::Beginning => return at,
                Found::All(length) => {
                    self.held[at..at + length].fill(b'*');
                    at += length;
                }
            }
        }
        at
    }
}

impl<W: Write> Write for Mask<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        let end = self.replace(false);
        self.inner.write_all(&self.held[..end])?;
        self.held.drain(..end);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked<'p>(secrets: &[&str], parts: impl Iterator<Item = &'p [u8]>) -> String {
        let mut mask = Mask::new(Vec::new(), secrets.iter().copied());
        parts.for_each(|part| mask.write_all(part).expect("it is in memory"));
        String::from_utf8_lossy(&mask.finish().0).into_owned()
    }

    #[track_caller]
    fn check(parts: &[&str], expected: &str) {
        let parts_of = parts.iter().map(|part| part.as_bytes());
        assert_eq!(masked(&["secret", "key-"], parts_of), expected, "{parts:?}");
    }

    #[test]
    fn secret_is_replaced_however_it_arrives() {
        check(&["a secret and a key-"], "a ****** and a ****");
        check(&["a se", "", "cre", "t!"], "a ******!");
        check(&["sese", "cretsecret"], "se************");
        check(&["a sec"], "a sec");
        // The end answers no guess.
        for end in ["a secre", "7::::::", "73:65:63:72:65", "%73%65%63re", "c2Vjc"] {
            check(&[end], end);
        }
        check(&["ke", "y", "k", "ey-"], "key****");
        check(&["SECret %73ecret s&#101;cret"], "****** ******** ***********");
    }

    /// Each form, whole and byte by byte: what is left has no part of the secret.
    #[test]
    fn secret_is_replaced_however_it_is_written() {
        const SECRET: &str = "s3cr+t/Of \"the\" <op>&\\%=x";
        let each = |form: fn(u8) -> String| SECRET.bytes().map(form).collect::<String>();
        let wide = |unit: &[usize]| -> Vec<u8> {
            SECRET.bytes().flat_map(|byte| unit.iter().map(move |at| [0, byte][*at])).collect()
        };
        let mut forms: Vec<(Vec<u8>, usize)> =
            [wide(&[1, 0]), wide(&[0, 1]), wide(&[0, 0, 0, 1])].map(|form| (form, 1)).into();
        let texts = [
            SECRET.to_owned(),
            SECRET.to_uppercase(),
            SECRET.replace(' ', "+"),
            SECRET.replace('\\', "\\\\").replace('"', "\\\"").replace('/', "\\/"),
            SECRET.replace('\\', "\\\\\\\\").replace('"', "\\\\\\\""),
            SECRET.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
            SECRET.replace('&', "&amp;amp;").replace('"', "&amp;quot;"),
            SECRET.replace('%', "%25").replace(' ', "%20").replace('&', "%26").replace('=', "=3D"),
            each(|byte| format!("%{byte:02x}")),
            each(|byte| format!("%25{byte:02X}")),
            each(|byte| format!("%2525{byte:02X}")),
            each(|byte| format!("%u{byte:04x}")),
            each(|byte| format!("\\u{byte:04X}")),
            each(|byte| format!("\\\\u{byte:04x}")),
            each(|byte| format!("\\u{{{byte:x}}}")),
            each(|byte| format!("\\x{byte:02x}")),
            each(|byte| format!("\\{byte:03o}")),
            each(|byte| format!("&#{byte};")),
            each(|byte| format!("&#0{byte}")),
            each(|byte| format!("&#0000000{byte};")),
            each(|byte| format!("\\{byte:x} ")),
            each(|byte| format!("\\{byte:06x}")),
            SECRET.replace('/', "&sol;").replace('+', "&plus;").replace('=', "&equals;"),
            each(|byte| format!("&#x{byte:X};")),
            each(|byte| format!("&amp;#x{byte:x};")),
            each(|byte| format!("={byte:02X}")),
            each(|byte| format!("{byte:02x}")),
            each(|byte| format!("{byte:02X}:")),
            each(|byte| format!("{byte:02x} ")),
            each(|byte| format!("0x{byte:02x}, ")),
        ];
        // A few marks may be left around the digits.
        forms.extend(texts.map(|text| (text.into_bytes(), 4)));
        for before in ["", "a", "ab", "user:"] {
            let text = base64(format!("{before}{SECRET}; and more").as_bytes());
            let safe = text.replace('+', "-").replace('/', "_");
            let lines = text.as_bytes().chunks(10).collect::<Vec<_>>().join(&b"\r\n"[..]);
            let array =
                text.as_bytes().chunks(20).collect::<Vec<_>>().join(&b"\",\n          \""[..]);
            let form = text.as_bytes().chunks(20).collect::<Vec<_>>().join(&b"%0D%0A"[..]);
            let other = base64(format!("{before}{SECRET}; and more").to_uppercase().as_bytes());
            let escaped = text.replace('/', "\\/").replace('+', "%2B");
            let texts = [text, safe, escaped, other].map(String::into_bytes);
            let texts = texts.into_iter().chain([lines, array, form]);
            // Another text is around it.
            forms.extend(texts.map(|text| (text, 50)));
        }
        for (form, other) in forms {
            let shown = String::from_utf8_lossy(&form).into_owned();
            let text = [b"<p>", form.as_slice(), b"</p>"].concat();
            let whole = masked(&[SECRET], std::iter::once(text.as_slice()));
            assert_eq!(masked(&[SECRET], text.chunks(1)), whole, "in parts: {shown}");
            let left = whole.bytes().filter(|byte| *byte != b'*').count();
            assert!(left <= other + 7, "{shown} is left as {whole}");
            assert!(whole.starts_with("<p>") && whole.ends_with("</p>"), "{whole}");
        }
    }

    #[test]
    fn text_of_a_secret_in_base64_is_replaced() {
        let secret = base64(b"user:pass-word");
        let text = format!("{secret} user:pass-word PASS-word user!");
        let shown =
            masked(&[&format!("Basic {secret}"), &secret], std::iter::once(text.as_bytes()));
        assert_eq!(shown, format!("{} {} {} user!", "*".repeat(20), "*".repeat(14), "*".repeat(9)));
    }

    #[test]
    fn text_of_other_characters_in_base64_is_replaced() {
        let secret = base64("user:pässwört-€".as_bytes());
        for written in [
            "user:pässwört-€",
            "PÄSSWÖRT-€",
            "p\\u00e4ssw\\u00F6rt-\\u20ac",
            "p&#228;ssw&#xf6;rt-&#8364;",
            "p%C3%A4ssw%c3%b6rt-%e2%82%ac",
        ] {
            let shown = masked(&[&format!("Basic {secret}")], std::iter::once(written.as_bytes()));
            assert_eq!(shown, "*".repeat(written.len()), "{written}");
        }
        let latin = base64(b"user:p\xe4ss-word");
        for written in [&b"p\xe4ss-word"[..], "päss-word".as_bytes(), b"p\\u00e4ss-word"] {
            let shown = masked(&[&format!("Basic {latin}")], std::iter::once(written));
            assert_eq!(shown, "*".repeat(written.len()), "{written:?}");
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in ["s%65", "\\u0073", "&&&&&&&&&&&&amp;", "\\\\\\\\\\\\", "73 65 63", "se\0"] {
            let text = format!("{text} and so on, in <html> & {{json}}: 50% = 1/2 \\n");
            assert_eq!(masked(&["secret-key"], text.as_bytes().chunks(3)), text);
        }
    }

    fn base64(bytes: &[u8]) -> String {
        let digits = |part: &[u8]| {
            let bits = part.iter().fold(0, |bits: u32, byte| bits << 8 | u32::from(*byte));
            let bits = bits << (8 * (3 - part.len()));
            let digit = |at: usize| {
                char::from(crate::spelling::BASE64[(bits >> (18 - 6 * at)) as usize & 63])
            };
            (0..4).map(move |at| if at <= part.len() { digit(at) } else { '=' }).collect::<String>()
        };
        bytes.chunks(3).map(digits).collect()
    }
}
