//! What is known of programs, by their names.

use std::collections::HashMap;
use std::sync::OnceLock;

/// A list of names, or lines with names before a colon and what there is of them behind it. It is
/// taken apart once: most commands are looked for in many of them.
pub(crate) struct Table {
    text: &'static str,
    rows: OnceLock<HashMap<&'static str, Vec<&'static str>>>,
}

impl Table {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, rows: OnceLock::new() }
    }

    /// Returns everything that the table has of a program.
    pub(crate) fn rows(&self, program: &str) -> &[&'static str] {
        let rows = self.rows.get_or_init(|| {
            let mut rows = HashMap::<_, Vec<_>>::new();
            for line in self.text.lines() {
                // `:` is a name, too.
                let row = line.split_once(':').filter(|(names, _)| !names.is_empty());
                let (names, rest) = row.unwrap_or((line, ""));
                for name in names.split_ascii_whitespace() {
                    rows.entry(name).or_default().push(rest.trim_start());
                }
            }
            rows
        });
        rows.get(program).map_or(&[], Vec::as_slice)
    }

    /// Returns the first of it.
    pub(crate) fn row(&self, program: &str) -> Option<&'static str> {
        self.rows(program).first().copied()
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        !self.rows(word).is_empty()
    }
}
