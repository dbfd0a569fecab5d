//! Sets of ASCII characters.

/// A set of ASCII characters, as a table that is read once for each byte.
pub(super) struct Set([bool; 256]);

impl Set {
    /// Letters and digits.
    pub(super) const ALPHANUMERIC: Self = Self([false; 256])
        .with(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        .with(b"abcdefghijklmnopqrstuvwxyz")
        .with(b"0123456789");

    /// The visible characters, the blank and the line feed.
    pub(super) const VISIBLE: Self =
        Self::ALPHANUMERIC.with(b"\n !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");

    pub(super) const fn with(self, characters: &[u8]) -> Self {
        self.set(characters, true)
    }

    pub(super) const fn without(self, characters: &[u8]) -> Self {
        self.set(characters, false)
    }

    const fn set(mut self, mut characters: &[u8], is_in: bool) -> Self {
        while let [character, rest @ ..] = characters {
            self.0[*character as usize] = is_in;
            characters = rest;
        }
        self
    }

    pub(super) const fn contains(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }
}
