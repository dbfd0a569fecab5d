//! Summarizes a report of abi_stable in one line.
//!
//! A report is a list of sections. Each starts with `N error(s)inside:` and the path of fields to
//! the type, shows both types, and ends with its errors:
//!
//! ```text
//! Error:mismatched type
//! Expected:
//!     u64
//! Found:
//!     u32
//! ```

/// The maximum number of errors in a summary.
const MAX_ERRORS: usize = 3;

/// Returns the first errors of a report, each with its location.
pub(super) fn of(report: &str) -> String {
    let mut section = Section::default();
    let mut found: Vec<String> = Vec::new();
    for line in report.lines().map(str::trim) {
        // An error ends at the start of the next one, or at the end of the report.
        if line.starts_with("Error:") || line.ends_with("error(s)inside:") {
            section.finish(&mut found);
        }
        section.read(line);
    }
    section.finish(&mut found);
    let more = match found.len().saturating_sub(MAX_ERRORS) {
        0 => String::new(),
        rest => format!("; and {rest} more"),
    };
    found.truncate(MAX_ERRORS);
    format!("{}{more}", found.join("; "))
}

/// The part of a section that a line belongs to.
#[derive(Clone, Copy, Default, PartialEq)]
enum Part {
    #[default]
    Other,
    Path,
    Type,
    Expected,
    Found,
}

#[derive(Default)]
struct Section<'a> {
    part: Part,
    path: Vec<&'a str>,
    name: &'a str,
    error: &'a str,
    expected: Vec<&'a str>,
    found: Vec<&'a str>,
}

impl<'a> Section<'a> {
    fn read(&mut self, line: &'a str) {
        if line.ends_with("error(s)inside:") {
            *self = Self { part: Part::Path, ..Self::default() };
        } else if let Some(error) = line.strip_prefix("Error:") {
            (self.error, self.part) = (error.trim(), Part::Other);
        } else {
            match line {
                "Compared <this>:" | "Layout of expected type:" => self.part = Part::Type,
                "Expected:" if !self.error.is_empty() => self.part = Part::Expected,
                "Found:" if !self.error.is_empty() => self.part = Part::Found,
                _ => self.take(line),
            }
        }
    }

    fn take(&mut self, line: &'a str) {
        let is_noise = ["package:", "lifetime indices:", "size:", "fn pointer(s):"]
            .iter()
            .any(|noise| line.starts_with(noise));
        match self.part {
            Part::Path => self.path.extend(line.strip_prefix("field_name:")),
            Part::Type => {
                if let Some(name) = line.strip_prefix("type:") {
                    (self.name, self.part) = (name, Part::Other);
                }
            }
            Part::Expected if !is_noise && !line.is_empty() => self.expected.push(line),
            Part::Found if !is_noise && !line.is_empty() => self.found.push(line),
            _ => {}
        }
    }

    /// Writes the current error, if there is one, and resets the section for the next error.
    fn finish(&mut self, sentences: &mut Vec<String>) {
        if self.error.is_empty() {
            return;
        }
        // Show the first lines that differ.
        let pair =
            self.expected.iter().zip(&self.found).find(|(expected, found)| expected != found);
        let first = (self.expected.first().unwrap_or(&""), self.found.first().unwrap_or(&""));
        let (expected, found) = pair.unwrap_or(first);
        let [expected, found] =
            [expected, found].map(|line| line.trim_start_matches("field_name:"));
        let location = self.location();
        let sentence = format!("{location}{}: expected {expected}, found {found}", self.error);
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
        (self.error, self.part) = ("", Part::Other);
        self.expected.clear();
        self.found.clear();
    }

    fn location(&self) -> String {
        // Fields of abi_stable's own types do not help a reader.
        let is_inner =
            |field: &&str| matches!(*field, "obj" | "vtable" | "ptr") || field.len() == 1;
        let path: Vec<_> = self.path.iter().copied().filter(|field| !is_inner(field)).collect();
        match (self.name, path.is_empty()) {
            ("", true) => String::new(),
            ("", false) => format!("at `{}`: ", path.join(".")),
            (name, true) => format!("in `{name}`: "),
            (name, false) => format!("in `{name}` at `{}`: ", path.join(".")),
        }
    }
}
