//! The forms in which a server may write a secret.

/// The digits of base64.
pub(crate) const BASE64: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Fewer characters of a secret, or digits of it, are too often a part of something else.
const FEWEST_DIGITS: usize = 6;
/// The most characters that are skipped in a row between digits, as at the end of an indented line,
/// and the most times that a character is escaped: what is held back has an end.
const MOST_SKIPPED: usize = 32;
const MOST_ESCAPED: usize = 8;
/// The characters between the digits of base64, and hexadecimal ones: line ends, also escaped, and
/// those around the lines of a list.
const BETWEEN: &[u8] = b"\r\n \t\\rn\"',%0DAdau";
const BETWEEN_HEX: &[u8] = b"\r\n \t:-,x0\"'\\._|/h";
/// The characters between numbers of bytes. A line that ends in a number is not held back.
const BETWEEN_NUMBERS: &[u8] = b" \t,;";
/// What may stand between two characters in each form: line ends that do not count, what is between
/// those of a list, and characters without width.
const GAPS: [&str; 29] = [
    "=\r\n", "=\n", "\\\r\n", "\\\n", ",\r\n", ",\n", "\",\"", "\", \"", "','", "', '", "\u{ad}",
    "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}", "\u{34f}", "\u{200e}", "\u{200f}",
    "\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}", "\u{2061}", "\u{2062}", "\u{2063}",
    "\u{2064}", "\u{fe0f}",
];

/// The names that HTML has for characters, each in front of its character.
const ENTITIES: [&str; 33] = [
    "amp;&", "lt;<", "gt;>", "quot;\"", "apos;'", "sol;/", "bsol;\\", "lowbar;_", "plus;+",
    "equals;=", "colon;:", "period;.", "hyphen;-", "dash;-", "num;#", "percnt;%", "dollar;$",
    "commat;@", "excl;!", "ast;*", "comma;,", "semi;;", "quest;?", "lpar;(", "rpar;)", "lsqb;[",
    "rsqb;]", "lcub;{", "rcub;}", "vert;|", "grave;`", "Hat;^", "tilde;~",
];

/// A text that is looked for, in which each character may be escaped.
pub(crate) struct Spelling {
    /// Bytes, or characters where one has several bytes.
    text: Vec<u32>,
    /// The characters that may stand between those of the text.
    between: &'static [u8],
    /// Whether it is text in base64, of either alphabet.
    is_base64: bool,
}

/// The beginning of a text, compared with a secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Found {
    Nothing,
    /// So many bytes are the secret.
    All(usize),
    /// It may be the beginning of one.
    Beginning,
}

impl Spelling {
    /// Returns the forms of a secret. One in base64, as for `Basic`, is also looked for as the text
    /// and the password that it stands for.
    pub(crate) fn all(secret: &[u8]) -> Vec<Self> {
        let last = secret.rsplit(|byte| *byte == b' ').next().unwrap_or(secret);
        let text = decoded(last, last.len() < secret.len()).unwrap_or_default();
        let password = text.splitn(2, |byte| *byte == b':').nth(1).unwrap_or_default();
        let whole = [secret, &text, password].into_iter().filter(|text| !text.is_empty());
        whole.flat_map(Self::of).collect()
    }

    fn of(secret: &[u8]) -> Vec<Self> {
        // Bytes that are no UTF-8 are characters of Latin-1.
        let text = std::str::from_utf8(secret).map_or_else(
            |_| secret.iter().map(|byte| char::from(*byte)).collect(),
            ToOwned::to_owned,
        );
        let bytes = |text: &[u8]| text.iter().copied().map(u32::from).collect();
        let plain = |text| Self { text, between: b"", is_base64: false };
        let mut forms = vec![plain(bytes(secret))];
        if !secret.is_ascii() {
            forms.push(plain(text.chars().map(u32::from).collect()));
            let cases = [text.to_lowercase(), text.to_uppercase(), text.clone()];
            forms.extend(cases.map(|text| plain(bytes(text.as_bytes()))));
        }
        let mut cases = vec![secret.to_vec()];
        cases.extend([text.to_lowercase(), text.to_uppercase()].map(String::into_bytes));
        cases.dedup();
        for case in &cases {
            let digits = |digits: fn(u8) -> String| {
                case.iter().flat_map(|byte| digits(*byte).into_bytes()).collect::<Vec<_>>()
            };
            let numbers = [
                (digits(|byte| format!("{byte:02x}")), BETWEEN_HEX, false),
                (digits(|byte| byte.to_string()), BETWEEN_NUMBERS, false),
                (digits(|byte| format!("{byte:03o}")), BETWEEN_NUMBERS, false),
                (digits(|byte| format!("{byte:o}")), BETWEEN_NUMBERS, false),
            ];
            let aligned = (0..3).map(|before| (base64_part(case, before), BETWEEN, true));
            let digits = numbers.into_iter().chain(aligned);
            let digits = digits.filter(|(text, ..)| text.len() >= FEWEST_DIGITS);
            forms.extend(digits.map(|(text, between, is_base64)| Self {
                text: bytes(&text),
                between,
                is_base64,
            }));
        }
        forms
    }

    pub(crate) fn is_short(&self) -> bool {
        self.text.len() < FEWEST_DIGITS
    }

    /// Returns whether the text begins with this character.
    pub(crate) fn begins_with(&self, character: u32) -> bool {
        let is_same = |first: u32| {
            self.is_same(first, character) || (first, character) == (0x20, u32::from(b'+'))
        };
        self.text.first().is_some_and(|first| is_same(*first))
    }

    /// Returns whether this is the beginning of a text, whose first character ends here.
    pub(crate) fn find(&self, text: &[u8], first: usize) -> Found {
        // Nearly each beginning ends with the next byte.
        if let (Some(next), Some(expected)) = (text.get(first), self.text.get(1))
            && is_itself(*next)
            && !self.between.contains(next)
            && !self.is_same(*expected, u32::from(*next))
        {
            return Found::Nothing;
        }
        // Where the characters so far may have ended. Escapes may be read in several ways.
        let mut ends = vec![first];
        let mut is_cut = false;
        for &character in self.text.iter().skip(1) {
            let mut next = Vec::new();
            for mut at in ends {
                for _ in 0..=MOST_SKIPPED {
                    let rest = &text[at..];
                    is_cut |= characters(rest, false, &mut |found, length| {
                        if self.is_same(character, found) {
                            next.push(at + length);
                        }
                    });
                    // None is longer than four bytes.
                    is_cut |=
                        rest.len() < 4 && GAPS.iter().any(|gap| gap.as_bytes().starts_with(rest));
                    match self.gap(rest) {
                        0 => break,
                        length => at += length,
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            ends = next;
            if ends.is_empty() {
                return if is_cut { Found::Beginning } else { Found::Nothing };
            }
        }
        ends.last().map_or(Found::Nothing, |end| Found::All(*end))
    }

    /// Returns the length of what is skipped at the beginning of a text.
    fn gap(&self, text: &[u8]) -> usize {
        match text.first() {
            Some(byte) if !byte.is_ascii_alphanumeric() => {
                let gap = GAPS.iter().find(|gap| text.starts_with(gap.as_bytes()));
                let is_between = *byte == 0 || self.between.contains(byte);
                gap.map_or(usize::from(is_between), |gap| gap.len())
            }
            Some(byte) => usize::from(self.between.contains(byte)),
            None => 0,
        }
    }

    fn is_same(&self, expected: u32, found: u32) -> bool {
        if let (Ok(expected), Ok(found)) = (u8::try_from(expected), u8::try_from(found))
            && found.is_ascii_alphanumeric()
        {
            return expected.eq_ignore_ascii_case(&found);
        }
        let lower = |it: u32| char::from_u32(it).map(|it| it.to_lowercase().next());
        let is_digit = |safe: u8, digit: u8| {
            self.is_base64 && (found, expected) == (u32::from(safe), u32::from(digit))
        };
        expected == found
            || is_digit(b'-', b'+')
            || is_digit(b'_', b'/')
            || lower(expected) == lower(found)
    }
}

/// Returns the digits of base64 that depend on a part alone, which begins so many bytes behind a
/// multiple of three.
fn base64_part(part: &[u8], before: usize) -> Vec<u8> {
    let bit = |at: usize| part[at / 8] >> (7 - at % 8) & 1;
    // The bits of a digit that do not belong to the part are in front of it.
    let begin = (6 - before * 8 % 6) % 6;
    let digits = (begin..part.len() * 8).step_by(6).filter(|at| at + 6 <= part.len() * 8);
    digits.map(|at| (at..at + 6).fold(0, |digit, at| digit << 1 | bit(at))).map(digit).collect()
}

/// Returns the text that base64 stands for: any bytes behind `Basic`, and else those of a text.
fn decoded(digits: &[u8], has_scheme: bool) -> Option<Vec<u8>> {
    let digits =
        digits.strip_suffix(b"=").map_or(digits, |rest| rest.strip_suffix(b"=").unwrap_or(rest));
    let mut bits = Vec::new();
    for digit in digits {
        let number = BASE64.iter().position(|other| other == digit)?;
        bits.extend((0..6).rev().map(|bit| number >> bit & 1 == 1));
    }
    let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    let text: Vec<u8> = bits.chunks_exact(8).map(byte).collect();
    let is_text = std::str::from_utf8(&text).is_ok_and(|text| !text.contains(char::is_control));
    let is_text = is_text || has_scheme && text.contains(&b':');
    (digits.len() >= FEWEST_DIGITS && is_text).then_some(text)
}

fn digit(number: u8) -> u8 {
    BASE64[usize::from(number)]
}

enum Escape {
    /// A character, and the length of its escape.
    Of(u32, usize),
    /// The text ends before the escape.
    Cut,
}

/// Returns whether more than one character may begin with this byte.
pub(crate) fn is_mark(first: u8) -> bool {
    matches!(first, 0 | b'%' | b'\\' | b'&' | b'=')
}

/// Returns whether a byte is a character by itself: it begins no escape, and no gap but those of
/// [`Spelling::between`].
fn is_itself(byte: u8) -> bool {
    byte.is_ascii() && !is_mark(byte) && !matches!(byte, b'+' | b',' | b'"' | b'\'')
}

/// Reads the beginning of a text as a character in each way, as it is or escaped, and returns
/// whether the text ends before all of it is known.
pub(crate) fn characters(text: &[u8], is_first: bool, read: &mut dyn FnMut(u32, usize)) -> bool {
    let Some(&first) = text.first() else { return true };
    read(u32::from(first), 1);
    match first {
        // Two zeros in front of a character of UTF-32 are skipped as well.
        0 if is_first => {
            let zeros = text.iter().take(3).take_while(|byte| **byte == 0).count();
            text.get(zeros).map(|byte| read(u32::from(*byte), zeros + 1)).is_none()
        }
        b'+' => {
            read(0x20, 1);
            false
        }
        0 => false,
        _ => is_mark(first) && escapes(text, read),
    }
}

/// Reads the beginning of a text as an escaped character: `%41`, `%2541`, `%u0041`; `\u0041`,
/// `\u{41}`, `\x41`, `\x{41}`, `\101`, `\41 `, `\"` behind any number of backslashes; `&#65;`,
/// `&#x41;`, `&quot;`, also with the `&` escaped; `=41`. Returns whether the text ends before.
fn escapes(text: &[u8], read: &mut dyn FnMut(u32, usize)) -> bool {
    let again: &[u8] = match text[0] {
        b'%' => b"25",
        b'\\' => b"\\",
        b'&' => b"amp;",
        _ => b"",
    };
    let mut is_cut = false;
    let mut at = 1;
    for _ in 0..MOST_ESCAPED {
        let rest = &text[at..];
        let mut number = |start: usize, fewest, most, base, end| match number(
            text,
            at + start,
            [fewest, most],
            base,
            end,
        ) {
            Some(Escape::Of(character, length)) => read(character, length),
            Some(Escape::Cut) => is_cut = true,
            None => {}
        };
        if text[0] == b'\\' {
            number(0, 1, 6, 16, b" ");
        }
        match (text[0], rest) {
            (_, []) => is_cut = true,
            (b'%' | b'=', [b'u' | b'U', ..]) => number(1, 4, 4, 16, b""),
            (b'%' | b'=', _) => number(0, 2, 2, 16, b""),
            (b'&', [b'#', b'x' | b'X', ..]) => number(2, 1, MOST_SKIPPED, 16, b";"),
            (b'&', [b'#', ..]) => number(1, 1, MOST_SKIPPED, 10, b";"),
            (b'&', [letter, ..]) => {
                let entities = ENTITIES.iter().map(|entity| entity.as_bytes());
                for entity in entities.filter(|entity| entity.starts_with(&[*letter])) {
                    let (name, character) = entity.split_at(entity.len() - 1);
                    if rest.starts_with(name) {
                        read(u32::from(character[0]), at + name.len());
                    }
                    is_cut |= rest.len() < name.len() && name.starts_with(rest);
                }
            }
            (_, [b'u' | b'U' | b'x', b'{', ..]) => number(2, 1, 6, 16, b"}"),
            (_, [b'u', ..]) => number(1, 4, 4, 16, b""),
            (_, [b'U', ..]) => number(1, 8, 8, 16, b""),
            (_, [b'x', ..]) => number(1, 2, 2, 16, b""),
            (_, [b'0'..=b'3', ..]) => number(0, 3, 3, 8, b""),
            (_, [other, ..]) if !other.is_ascii_alphanumeric() => read((*other).into(), at + 1),
            _ => {}
        }
        if again.is_empty() || !rest.starts_with(again) {
            break;
        }
        at += again.len();
    }
    is_cut
}

/// Reads the number of a character, of so many digits, and what ends it.
fn number(text: &[u8], at: usize, digits: [usize; 2], base: u32, end: &[u8]) -> Option<Escape> {
    let [fewest, most] = digits;
    let digits = text.get(at..).unwrap_or_default().iter().take(most);
    let digits = digits.map_while(|byte| char::from(*byte).to_digit(base));
    let (count, value) = digits.fold((0, 0_u32), |(count, value), digit| {
        (count + 1, value.wrapping_mul(base).wrapping_add(digit))
    });
    let after = at + count;
    if after >= text.len() && (count < most || !end.is_empty()) {
        return Some(Escape::Cut);
    }
    let has_end = text[after..].starts_with(end);
    // Readers of HTML and CSS do without the end of a number.
    if count < fewest || !has_end && end != b";" && end != b" " {
        return None;
    }
    Some(Escape::Of(value, after + if has_end { end.len() } else { 0 }))
}
