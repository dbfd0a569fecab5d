//! Examines names, eight bytes at a time.

/// The result of one pass over the bytes of a name.
pub(super) struct NameScan {
    /// A hash of the name, which does not resist deliberate collisions.
    pub(super) hash: u64,
    /// The highest bit of some byte is set if the name has an unusual character.
    odd: u64,
}

/// A one in each byte.
const EACH: u64 = u64::MAX / 255;

impl NameScan {
    #[inline]
    pub(super) fn of(name: &[u8]) -> Self {
        let mut scan = Self { hash: u64::try_from(name.len()).unwrap_or_default(), odd: 0 };
        let (words, rest) = name.as_chunks();
        words.iter().for_each(|word| scan.add(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            // The last eight bytes, which overlap the previous ones; a shorter name has blanks in
            // front.
            scan.add(name.last_chunk().map_or_else(
                || rest.iter().fold(EACH * 0x20, |word, byte| (word << 8) | u64::from(*byte)),
                |last| u64::from_le_bytes(*last),
            ));
        }
        scan.hash ^= scan.hash >> 32;
        scan
    }

    fn add(&mut self, word: u64) {
        self.hash = (self.hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let is_below = |word: u64, bound: u64| word.wrapping_sub(EACH * bound) & !word;
        let is_some = |byte: u8| is_below(word ^ (EACH * u64::from(byte)), 1);
        let is_high = word.wrapping_add(EACH * u64::from(0x7f - b'~')) | word;
        self.odd |= is_below(word, 0x20) | is_high | is_some(b':') | is_some(b'\\');
    }

    /// Returns whether some byte is not printable ASCII, or is a colon or a backslash.
    pub(super) fn is_odd(&self) -> bool {
        self.odd & (EACH << 7) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::NameScan;

    #[test]
    fn an_odd_byte_is_seen_wherever_it_is() {
        for byte in 0..=u8::MAX {
            let is_odd = !matches!(byte, b' '..=b'~') || matches!(byte, b':' | b'\\');
            for length in 1..20 {
                for index in 0..length {
                    let mut name = vec![b'a'; length];
                    name[index] = byte;
                    assert_eq!(
                        NameScan::of(&name).is_odd(),
                        is_odd,
                        "{byte} at {index} of {length}"
                    );
                }
            }
        }
        assert!(!NameScan::of(b"").is_odd());
    }

    #[test]
    fn names_that_differ_have_other_hashes() {
        let names: Vec<_> = (0..20_000).map(|number| format!("skill-{number}")).collect();
        let names =
            names.iter().map(String::as_str).chain(["a", " a", "aa", "a ", "", "aaaaaaaaa"]);
        let names: Vec<_> = names.collect();
        let hashes: std::collections::HashSet<_> =
            names.iter().map(|name| NameScan::of(name.as_bytes()).hash).collect();
        assert_eq!(hashes.len(), names.len());
    }
}
