//! A writer that replaces secrets.

use std::io::{self, Write};

use crate::spelling::{Found, Spelling, characters, is_mark};

/// Stands for each character that is more than a byte.
const OTHERS: u32 = 256;
/// More of one byte in a row are no escape that ends behind them.
const LONGEST_ESCAPE: usize = 16;

/// Replaces secrets in what is written by asterisks, as many as there were bytes, so that lengths
/// stay as they are.
///
/// A secret is found in any case, with each character written as it is or escaped (`%41`, `\u0041`,
/// `\x41`, `\101`, `&#65;`, `=41`, also repeatedly), in UTF-16 and UTF-32, as a part of a text in
/// base64 (both alphabets, in lines) or in hexadecimal digits, and as the numbers of its bytes
/// (`[83, 107]`, `123 153`). Other forms are not found: reversed, compressed, encrypted, in two of
/// these at once, or in parts, as the lines of `xxd`, `od -c` and `od -x` have them.
pub struct Mask<W> {
    inner: W,
    secrets: Vec<Spelling>,
    /// The secrets that begin with each character of one byte, and at the end all of them.
    begins: Vec<Vec<usize>>,
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
        let with = |first| {
            let begin = |secret: &Spelling| first == OTHERS || secret.begins_with(first);
            (0..secrets.len()).filter(|at| begin(&secrets[*at])).collect()
        };
        let begins = (0..=OTHERS).map(with).collect();
        Self { inner, secrets, begins, held: Vec::new() }
    }

    /// Returns the writer that this one writes to.
    pub fn inner(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Writes the end, which was held back because it may have been the beginning of a secret. It
    /// is replaced if it has a whole one: replacing fewer bytes would confirm guesses of a model that
    /// chooses the text, one character at a time.
    ///
    /// # Errors
    ///
    /// The inner writer fails.
    pub fn finish(mut self) -> (W, io::Result<()>) {
        // An escape may end where the answer does.
        self.held.push(1);
        self.replace(true);
        self.held.pop();
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
        let mut at = if self.secrets.is_empty() { self.held.len() } else { 0 };
        while at < self.held.len() {
            let is_plain =
                |byte: &u8| self.begins[usize::from(*byte)].is_empty() && !is_mark(*byte);
            at += self.held[at..].iter().take_while(|byte| is_plain(byte)).count();
            let rest = &self.held[at..];
            let Some(&first) = rest.first() else { break };
            let is_begun = !self.begins[usize::from(first)].is_empty();
            // Archives have blocks of zeros.
            let same = || rest.iter().take_while(|byte| **byte == first).count();
            let skipped = if is_begun { 0 } else { same().saturating_sub(LONGEST_ESCAPE) };
            if skipped > 0 {
                at += skipped;
                continue;
            }
            let mut found = Found::Nothing;
            let is_cut = characters(rest, true, &mut |character, end| {
                let begun = self.begins[character.min(OTHERS) as usize].iter();
                let begun = begun.map(|secret| &self.secrets[*secret]);
                let begun = begun.filter(|secret| secret.begins_with(character));
                let each = begun.map(|secret| secret.find(rest, end));
                found =
                    each.filter(|it| !is_end || *it != Found::Beginning).fold(found, Found::max);
            });
            if is_cut && !is_end {
                found = Found::Beginning;
            }
            match found {
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
        for end in ["a secre", "7::::::", "73:65:63:72:65", "%73%65%63re", "c2Vjc", "115, 101, 99"]
        {
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
            each(|byte| format!(" {byte:02x}{}", if byte == b't' { "\n" } else { "" })),
            each(|byte| format!("{byte}, ")),
            each(|byte| format!("{byte} ")),
            each(|byte| format!("{byte},\n  ")),
            each(|byte| format!("{byte:03o} ")),
            each(|byte| format!("{byte:o} ")),
            each(|byte| format!("{byte:02x}h ")),
            each(|byte| format!("{byte:02x}.")),
            each(|byte| format!("{}\u{2063}", char::from(byte))),
            each(|byte| format!("\\x{{{byte:x}}}")),
            each(|byte| format!("\"{}\", ", char::from(byte).escape_default())),
            each(|byte| format!("{}=\r\n", char::from(byte)).replace("==", "=3D=")),
            each(|byte| format!("{}\u{200b}", char::from(byte))),
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
