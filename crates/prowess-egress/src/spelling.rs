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
const BETWEEN_HEX: &[u8] = b"\r\n \t:-,x0\"'\\";

/// The names that HTML has for characters, each in front of its character.
const ENTITIES: &str = "amp;& lt;< gt;> quot;\" apos;' sol;/ bsol;\\ lowbar;_ plus;+ equals;= \
    colon;: period;. hyphen;- dash;- num;# percnt;% dollar;$ commat;@ excl;! ast;* comma;, semi;; \
    quest;? lpar;( rpar;) lsqb;[ rsqb;] lcub;{ rcub;} vert;| grave;` Hat;^ tilde;~";

/// A text that is looked for, in which each character may be escaped.
pub(crate) struct Spelling {
    /// Bytes, or characters where one has several bytes.
    text: Vec<u32>,
    /// The characters that may stand between those of the text.
    between: &'static [u8],
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
        let plain = |text| Self { text, between: b"" };
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
            let hexadecimal = case.iter().flat_map(|byte| format!("{byte:02x}").into_bytes());
            let aligned = (0..3).map(|before| (base64_part(case, before), BETWEEN));
            let digits = std::iter::once((hexadecimal.collect(), BETWEEN_HEX)).chain(aligned);
            let digits = digits.filter(|(text, _): &(Vec<u8>, _)| text.len() >= FEWEST_DIGITS);
            forms.extend(digits.map(|(text, between)| Self { text: bytes(&text), between }));
        }
        forms
    }

    pub(crate) fn is_short(&self) -> bool {
        self.text.len() < FEWEST_DIGITS
    }

    /// Returns whether a text that begins with this byte may be the secret: most bytes begin
    /// nothing.
    pub(crate) fn may_begin(&self, first: u8) -> bool {
        let is_mark = matches!(first, 0 | b'%' | b'\\' | b'&' | b'=' | b'+');
        is_mark || self.text.first().is_some_and(|it| self.is_same(*it, u32::from(first)))
    }

    /// Returns whether this is the beginning of a text.
    pub(crate) fn find(&self, text: &[u8]) -> Found {
        if !text.first().is_some_and(|first| self.may_begin(*first)) {
            return Found::Nothing;
        }
        // Where the characters so far may have ended. Escapes may be read in several ways.
        let mut ends = vec![0];
        let mut is_cut = false;
        for (number, &character) in self.text.iter().enumerate() {
            let mut next = Vec::new();
            for end in ends {
                let most = if number == 0 { 0 } else { MOST_SKIPPED };
                for skipped in 0..=most {
                    let at = end + skipped;
                    is_cut |= self.step(text, at, character, &mut next);
                    let is_between = |byte: &u8| *byte == 0 || self.between.contains(byte);
                    if !text.get(at).is_some_and(is_between) {
                        break;
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

    /// Adds where a character at a position ends. Returns whether the text ends before.
    fn step(&self, text: &[u8], at: usize, character: u32, ends: &mut Vec<usize>) -> bool {
        let Some(&first) = text.get(at) else { return true };
        if self.is_same(character, u32::from(first)) || first == b'+' && character == 0x20 {
            ends.push(at + 1);
        }
        let mut is_cut = false;
        // Two zeros in front of a character of UTF-32 are skipped as well.
        if first == 0 && at == 0 {
            let zeros = text.iter().take(3).take_while(|byte| **byte == 0).count();
            is_cut |= zeros == text.len();
            if text.get(zeros).is_some_and(|byte| self.is_same(character, u32::from(*byte))) {
                ends.push(zeros + 1);
            }
        }
        for escape in escapes(&text[at..]) {
            match escape {
                Escape::Of(found, length) if self.is_same(character, found) => {
                    ends.push(at + length);
                }
                Escape::Of(..) => {}
                Escape::Cut => is_cut = true,
            }
        }
        is_cut
    }

    fn is_same(&self, expected: u32, found: u32) -> bool {
        let lower = |it: u32| char::from_u32(it).map(|it| it.to_lowercase().next());
        let is_digit = |safe: u8, digit: u8| {
            !self.between.is_empty() && (found, expected) == (u32::from(safe), u32::from(digit))
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

/// Returns how the beginning of a text may be read as an escaped character: `%41`, `%2541`,
/// `%u0041`; `\u0041`, `\u{41}`, `\x41`, `\101`, `\41 `, `\"` behind any number of backslashes;
/// `&#65;`, `&#x41;`, `&quot;`, also with the `&` escaped; `=41`.
fn escapes(text: &[u8]) -> Vec<Escape> {
    let mut found = Vec::new();
    let again: &[u8] = match text.first() {
        Some(b'%') => b"25",
        Some(b'\\') => b"\\",
        Some(b'&') => b"amp;",
        Some(b'=') => b"",
        _ => return found,
    };
    let mut at = 1;
    for _ in 0..MOST_ESCAPED {
        let rest = &text[at..];
        let mut number = |start: usize, fewest, most, base, end| {
            found.extend(number(text, at + start, [fewest, most], base, end));
        };
        if text[0] == b'\\' {
            number(0, 1, 6, 16, b" ");
        }
        match (text[0], rest) {
            (_, []) => found.push(Escape::Cut),
            (b'%' | b'=', [b'u' | b'U', ..]) => number(1, 4, 4, 16, b""),
            (b'%' | b'=', _) => number(0, 2, 2, 16, b""),
            (b'&', [b'#', b'x' | b'X', ..]) => number(2, 1, MOST_SKIPPED, 16, b";"),
            (b'&', [b'#', ..]) => number(1, 1, MOST_SKIPPED, 10, b";"),
            (b'&', _) => found.extend(ENTITIES.split(' ').filter_map(|entity| {
                let (&character, name) = entity.as_bytes().split_last()?;
                if rest.starts_with(name) {
                    return Some(Escape::Of(character.into(), at + name.len()));
                }
                name.starts_with(rest).then_some(Escape::Cut)
            })),
            (_, [b'u' | b'U', b'{', ..]) => number(2, 1, 6, 16, b"}"),
            (_, [b'u', ..]) => number(1, 4, 4, 16, b""),
            (_, [b'U', ..]) => number(1, 8, 8, 16, b""),
            (_, [b'x', ..]) => number(1, 2, 2, 16, b""),
            (_, [b'0'..=b'3', ..]) => number(0, 3, 3, 8, b""),
            (_, [other, ..]) if !other.is_ascii_alphanumeric() => {
                found.push(Escape::Of(u32::from(*other), at + 1));
            }
            _ => {}
        }
        if again.is_empty() || !rest.starts_with(again) {
            break;
        }
        at += again.len();
    }
    found
}

/// Reads the number of a character, of so many digits, and what ends it.
fn number(text: &[u8], at: usize, digits: [usize; 2], base: u32, end: &[u8]) -> Option<Escape> {
    let [fewest, most] = digits;
    let digits = text.get(at..).unwrap_or_default().iter().take(most);
    let digits: Vec<_> = digits.map_while(|byte| char::from(*byte).to_digit(base)).collect();
    let after = at + digits.len();
    if after >= text.len() && (digits.len() < most || !end.is_empty()) {
        return Some(Escape::Cut);
    }
    let has_end = text[after..].starts_with(end);
    // Readers of HTML and CSS do without the end of a number.
    if digits.len() < fewest || !has_end && end != b";" && end != b" " {
        return None;
    }
    let value =
        digits.iter().fold(0_u32, |value, digit| value.wrapping_mul(base).wrapping_add(*digit));
    let end = if has_end { end.len() } else { 0 };
    Some(Escape::Of(value, after + end))
}
