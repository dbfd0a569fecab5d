//! The text format of Prometheus.

use std::fmt::Write as _;

/// A list of metrics as text.
#[derive(Default)]
pub(super) struct Exposition(String);

impl Exposition {
    /// Begins a metric: its name, its type, and its meaning in one sentence.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a value. Labels are names of this program and its tools, and never texts of others.
    pub(super) fn value(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.0, "{}{label}=\"{text}\"", if at == 0 { '{' } else { ',' });
        }
        let _ = writeln!(self.0, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }

    /// Adds a metric with one value.
    pub(super) fn single(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.family(name, kind, help);
        self.value(name, &[], value);
    }

    /// Adds metrics that are in this format.
    pub(super) fn append(&mut self, text: &str) {
        self.0.push_str(text);
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}
