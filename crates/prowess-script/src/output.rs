//! An output stream: the part that is kept, which is its beginning and its end, and its lines.

use std::collections::VecDeque;

use prowess_text::counted;

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
        let left_out = counted(left_out, "byte");
        format!("{}\n[{left_out} left out]\n{}", text(&head), text(&tail))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The longest line that is reported; the rest of a longer one is left out.
const MOST_LINE: usize = 64 * 1024;

/// Splits a stream into lines, in bounded memory.
#[derive(Default)]
pub(crate) struct Lines {
    /// The beginning of the next line.
    pending: Vec<u8>,
}

impl Lines {
    /// Emits the lines that end in `bytes`, each with its line feed.
    pub(crate) fn push(&mut self, bytes: &[u8], mut emit: impl FnMut(&str)) {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            let room = MOST_LINE.saturating_sub(self.pending.len());
            self.pending.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                if !self.pending.ends_with(b"\n") {
                    self.pending.push(b'\n');
                }
                self.finish(&mut emit);
            }
        }
    }

    /// Emits the last line, if it has no line feed.
    pub(crate) fn finish(&mut self, mut emit: impl FnMut(&str)) {
        if !self.pending.is_empty() {
            emit(&String::from_utf8_lossy(&self.pending));
            self.pending.clear();
        }
    }
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

    #[track_caller]
    fn check_lines(parts: &[&[u8]], expected: &[&str]) {
        let mut lines = Lines::default();
        let mut emitted = Vec::new();
        parts.iter().for_each(|part| lines.push(part, |line| emitted.push(line.to_owned())));
        lines.finish(|line| emitted.push(line.to_owned()));
        assert_eq!(emitted, expected);
    }

    #[test]
    fn lines_are_emitted_once_however_they_arrive() {
        check_lines(&[b"a\nb\n\nc"], &["a\n", "b\n", "\n", "c"]);
        check_lines(&[b"a", b"", b"b\nc", b"\n"], &["ab\n", "c\n"]);
        check_lines(&[b"\xc3", b"\xa9\n\xff\n"], &["\u{e9}\n", "\u{fffd}\n"]);
        check_lines(&[], &[]);
    }

    #[test]
    fn long_line_is_cut_in_bounded_memory() {
        let long = vec![b'x'; 3 * MOST_LINE];
        let cut = format!("{}\n", "x".repeat(MOST_LINE));
        check_lines(&[&long, b"\nshort\n"], &[&cut, "short\n"]);
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
