//! Everything that a catalog says, but for its generation.

use prowess::prompt::{PromptInput, PromptPolicy, compose};
use prowess::{Catalog, EstimatedTokens, Record};

/// Returns the parts of a catalog that depend on its files alone, line by line: offered and excluded
/// records, findings and the prompt. The order counts.
pub(super) fn view(catalog: &Catalog) -> Vec<String> {
    let found = catalog.diagnostics().map(|found| format!("{found:?}"));
    let records = catalog.skills().chain(catalog.excluded()).map(record);
    records.chain(found).chain(prompt(catalog).lines().map(str::to_owned)).collect()
}

/// The lines from the first one that differs, cut, for a message that can be read.
pub(super) fn difference(hot: &[String], cold: &[String]) -> String {
    let same = hot.iter().zip(cold).take_while(|(hot, cold)| hot == cold).count();
    let line = |lines: &[String]| -> String {
        let line = lines.get(same).map_or("nothing", String::as_str);
        line.chars().take(400).collect()
    };
    format!("line {same}\n  hot:  {}\n  cold: {}", line(hot), line(cold))
}

/// A record as users see it, and what they do not see.
fn record(record: Record<'_>) -> String {
    let shown = serde_json::to_string(&record).expect("a record is data");
    format!("{shown} {:?} {} {}", record.package(), record.file(), record.priority())
}

fn prompt(catalog: &Catalog) -> String {
    let policy = PromptPolicy::default();
    compose(&PromptInput {
        catalog,
        active: &[],
        changed: &[],
        preferred: &[],
        baseline: None,
        delivery: &prowess::DeliveryPolicy::default(),
        boundary: &prowess::Boundary::default(),
        policy: &policy,
        counter: &EstimatedTokens,
    })
    .text
}
