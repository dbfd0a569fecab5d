//! Reports in the format of JUnit, for continuous integration.

use std::fmt::Write as _;

use prowess_text::xml_attribute;

use super::report::{CheckOutcome, CheckReport, CheckResult};

impl CheckReport {
    /// Returns the report as JUnit XML: one suite for the plugin, one case for each check.
    pub fn to_junit(&self) -> String {
        let summary = self.summary();
        let name = self.manifest.as_ref().map_or_else(
            || self.file.display().to_string(),
            |manifest| format!("{} {}", manifest.name, manifest.version),
        );
        let name = xml_attribute(&name);
        let total = self.checks.len();
        let total_ms = self.checks.iter().map(|check| check.duration_ms).sum();
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(
            xml,
            "<testsuite name=\"{name}\" tests=\"{total}\" failures=\"{}\" errors=\"0\" \
             skipped=\"{}\" time=\"{}\">",
            summary.failed,
            summary.skipped,
            seconds(total_ms),
        );
        let digest = self.digest.to_string();
        let _ = writeln!(
            xml,
            "  <properties><property name=\"digest\" value=\"{}\"/></properties>",
            xml_attribute(&digest),
        );
        for check in &self.checks {
            write_case(&mut xml, &name, check);
        }
        xml + "</testsuite>\n"
    }
}

fn write_case(xml: &mut String, suite: &str, check: &CheckResult) {
    let name = check.name;
    let time = seconds(check.duration_ms);
    let _ = write!(xml, "  <testcase classname=\"{suite}\" name=\"{name}\" time=\"{time}\"");
    let inner = match &check.outcome {
        CheckOutcome::Passed { notes } if notes.is_empty() => {
            xml.push_str("/>\n");
            return;
        }
        CheckOutcome::Passed { notes } => {
            format!("<system-out>{}</system-out>", xml_attribute(&notes.join("\n")))
        }
        CheckOutcome::Failed { reason, help } => {
            let text = format!("{}\nhelp: {help}", check.rule);
            format!(
                "<failure message=\"{}\">{}</failure>",
                xml_attribute(reason),
                xml_attribute(&text),
            )
        }
        CheckOutcome::Skipped { reason } => {
            format!("<skipped message=\"{}\"/>", xml_attribute(reason))
        }
    };
    let _ = writeln!(xml, ">{inner}</testcase>");
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}
