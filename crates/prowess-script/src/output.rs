//! The part of an output stream that is kept: its beginning and its end.

use std::collections::VecDeque;

/// Collects a stream of any length in bounded memory.
pub(crate) struct Kept {
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Kept {
    /// Keeps at most `most` bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { half: most / 2, head: Vec::new(), tail: VecDeque::new(), left_out: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
        self.left_out += over as u64;
    }

    /// Returns the number of bytes that were dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.left_out
    }

    /// Returns the text. A line in it says how much was left out, and bytes that are no UTF-8 are
    /// replaced.
    pub(crate) fn into_text(self) -> String {
        let Self { mut head, tail, left_out, .. } = self;
        if left_out == 0 {
            head.extend(tail);
            return text(&head);
        }
        let tail = Vec::from(tail);
        format!("{}\n[{left_out} bytes left out]\n{}", text(&head), text(&tail))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(most: usize, parts: &[&[u8]]) -> (String, bool) {
        let mut kept = Kept::new(most);
        parts.iter().for_each(|part| kept.push(part));
        let is_cut = kept.dropped() > 0;
        (kept.into_text(), is_cut)
    }

    #[test]
    fn a_short_stream_is_kept_whole_however_it_arrives() {
        assert_eq!(kept(8, &[b"abc", b"", b"defgh"]), ("abcdefgh".into(), false));
    }

    #[test]
    fn a_long_stream_keeps_its_beginning_and_its_end() {
        let expected = ("abcd\n[3 bytes left out]\nhijk".into(), true);
        assert_eq!(kept(8, &[b"abcdefghijk"]), expected, "in one part");
        assert_eq!(kept(8, &[b"abcdefg", b"h", b"ijk"]), expected, "in three");
    }

    #[test]
    fn nothing_is_kept_without_room() {
        assert_eq!(kept(0, &[b"abc"]), ("\n[3 bytes left out]\n".into(), true));
    }

    #[test]
    fn other_bytes_than_text_are_replaced() {
        assert_eq!(kept(8, &[b"a\xffb"]), ("a\u{fffd}b".into(), false));
    }
}
