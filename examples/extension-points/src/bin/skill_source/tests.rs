use prowess::SkillSource;
use prowess_testkit::{SourceFixture, check_source};

use super::*;

struct Bundles;

impl SourceFixture for Bundles {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        let line = |(path, text): &(&str, &[u8])| {
            let text = String::from_utf8_lossy(text);
            serde_json::json!({ "path": path, "text": text }).to_string()
        };
        let bundle: Vec<_> = files.iter().map(line).collect();
        Arc::new(BundleSource::parse("test", &bundle.join("\n")).expect("the lines are JSON"))
    }
}

/// The kit checks each rule that every source has to keep.
#[test]
fn source_passes_its_kit() {
    check_source(&Bundles);
}
