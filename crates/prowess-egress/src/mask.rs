//! A writer that replaces secrets.

use std::io::{self, Write};

/// Replaces secrets in what is written by asterisks, as many as the secret has bytes, so that
/// lengths stay as they are.
pub struct Mask<W> {
    inner: W,
    secrets: Vec<Vec<u8>>,
    /// The beginning of a secret, perhaps.
    held: Vec<u8>,
}

impl<W: Write> Mask<W> {
    /// Creates a writer to `inner`.
    pub fn new<'s>(inner: W, secrets: impl Iterator<Item = &'s str>) -> Self {
        let secrets = secrets.filter(|secret| !secret.is_empty());
        let secrets = secrets.map(|secret| secret.as_bytes().to_vec()).collect();
        Self { inner, secrets, held: Vec::new() }
    }

    /// Returns the writer that this one writes to.
    pub fn inner(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Writes what was held back because it may have been the beginning of a secret.
    ///
    /// # Errors
    ///
    /// The inner writer fails.
    pub fn finish(mut self) -> (W, io::Result<()>) {
        let finished = self.inner.write_all(&self.held);
        (self.inner, finished)
    }
}

impl<W: Write> Write for Mask<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        for secret in &self.secrets {
            replace(&mut self.held, secret);
        }
        let kept = self.secrets.iter().map(|secret| beginning_at_end(&self.held, secret)).max();
        let end = self.held.len() - kept.unwrap_or(0);
        self.inner.write_all(&self.held[..end])?;
        self.held.drain(..end);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn replace(bytes: &mut [u8], secret: &[u8]) {
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(secret.len()).position(|part| part == secret) {
        bytes[at + found..at + found + secret.len()].fill(b'*');
        at += found + secret.len();
    }
}

/// Returns the length of the longest beginning of a secret at the end.
fn beginning_at_end(bytes: &[u8], secret: &[u8]) -> usize {
    let most = bytes.len().min(secret.len() - 1);
    (1..=most).rev().find(|&length| bytes.ends_with(&secret[..length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(parts: &[&str], expected: &str) {
        let mut mask = Mask::new(Vec::new(), ["secret", "key-"].into_iter());
        parts.iter().for_each(|part| mask.write_all(part.as_bytes()).expect("it is in memory"));
        let (written, _) = mask.finish();
        assert_eq!(String::from_utf8_lossy(&written), expected, "{parts:?}");
    }

    #[test]
    fn secret_is_replaced_however_it_arrives() {
        check(&["a secret and a key-"], "a ****** and a ****");
        check(&["a se", "", "cre", "t!"], "a ******!");
        check(&["sese", "cretsecret"], "se************");
        check(&["a sec"], "a sec");
        check(&["ke", "y", "k", "ey-"], "key****");
    }
}
