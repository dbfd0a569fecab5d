//! The tools of plugins that this build can call.

use std::path::Path;
use std::sync::Arc;

use prowess_core::{Code, Diagnostic, Severity, Tool, ToolProvider};
use prowess_plugin_host::codes::PLUGIN_FAILED;
use prowess_tools::{SchemaError, remove_unusable};

/// The code of something that needs a feature which this build lacks.
const FEATURE_MISSING: Code = Code::new("feature-missing");

/// The tools of a provider without those that were left out.
struct Usable(Vec<Arc<dyn Tool>>);

impl ToolProvider for Usable {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.clone()
    }
}

/// Leaves out the tools whose schemas cannot be used, each with its finding: others of the plugin
/// and the rest of the runtime go on. The place is the name and the file of the plugin.
pub(crate) fn usable(
    provider: &Arc<dyn ToolProvider>,
    (plugin, file): (&str, &Path),
    feature_help: fn(&str) -> String,
) -> (Arc<dyn ToolProvider>, Vec<Diagnostic>) {
    let mut tools = provider.tools();
    let removed = remove_unusable(&mut tools);
    if removed.is_empty() {
        return (Arc::clone(provider), Vec::new());
    }
    let findings = removed.into_iter().map(|(tool, error)| {
        let (code, help) = match error {
            SchemaError::MissingFeature(_) => (FEATURE_MISSING, feature_help("json-schema")),
            _ => (PLUGIN_FAILED, format!("report it to the authors of `{plugin}`")),
        };
        let message =
            format!("the tool `{tool}` of the plugin `{plugin}` is left out: its schema {error}");
        let file = file.display().to_string();
        Diagnostic::new(code, Severity::Error, message, help).in_file(file)
    });
    (Arc::new(Usable(tools)), findings.collect())
}
