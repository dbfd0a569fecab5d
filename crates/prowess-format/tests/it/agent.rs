//! Manifests of agents.

use expect_test::expect_file;
use proptest::prelude::*;
use prowess_format::agent::{AgentManifest, IntegrationMode, codes, parse};
use prowess_format::{CodeEntry, write};

const BUILDER: &str = include_str!("../data/builder.txt");

#[test]
fn every_field_is_read() {
    let parsed = parse(BUILDER.as_bytes());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let manifest = parsed.manifest.expect("there is no error");
    assert_eq!(
        manifest.fields.get("enabled").and_then(|field| field.value.as_text()),
        Some("true")
    );
    let expected = AgentManifest {
        id: "builder_agent".into(),
        name: Some("Extension Builder Agent".into()),
        integration_mode: Some(IntegrationMode::Tool),
        model: Some("a-model".into()),
        instructions: Some("Keep it short.\n\nAnd simple.\n".into()),
        uses_tools: vec!["core_tools".into(), "web_search".into()],
        uses_skills: vec!["extension-development".into()],
        max_turns: Some(20),
        depends_on: vec!["skill_registry".into()],
        fields: manifest.fields.clone(),
    };
    assert_eq!(manifest, expected);
}

#[test]
fn defaults_are_empty() {
    let manifest = parse(b"id: a\nagent: {}\n").manifest.expect("the rest is optional");
    let fields = manifest.fields.clone();
    assert_eq!(manifest, AgentManifest { id: "a".into(), fields, ..AgentManifest::default() });
}

#[test]
fn written_manifest_is_the_same() {
    let written = write::agent_manifest(BUILDER).expect("it can be written");
    // Comments and empty lines are the author's, and quotes those of JSON.
    let expected = BUILDER.replace("  # The tools of the host.\n", "").replace('\'', "\"");
    let expected = expected.replace("\n\nagent", "\nagent").replace("\n\ndepends", "\ndepends");
    assert_eq!(written, expected);
    let (before, after) = (parse(BUILDER.as_bytes()), parse(written.as_bytes()));
    assert_eq!(before.manifest, after.manifest);
    assert_eq!(write::agent_manifest(&written).as_ref(), Ok(&written), "it is canonical");
}

/// Each file of the table, as a text of JSON, with its findings and their help.
#[test]
fn faults_have_their_place() {
    let table = include_str!("../data/agent-faults.txt");
    let found = table.lines().filter(|line| line.starts_with('"')).map(|written| {
        let text: String = serde_json::from_str(written).expect("JSON");
        let parsed = parse(text.as_bytes());
        let has_error = parsed.diagnostics.iter().any(prowess_format::Diagnostic::is_error);
        assert_eq!(parsed.manifest.is_none(), has_error);
        let found = parsed.diagnostics.iter().map(|found| format!("{found}\n  {}\n", found.help));
        format!("{written}\n{}\n", found.collect::<String>())
    });
    expect_file!["../data/agent-faults.txt"].assert_eq(&found.collect::<String>());
}

#[test]
fn codes_are_sentences_with_their_severity() {
    for CodeEntry { meaning, .. } in codes::ALL {
        assert!(meaning.starts_with("Error: ") || meaning.starts_with("Warning: "), "{meaning}");
        assert!(meaning.ends_with('.'), "{meaning}");
    }
}

#[test]
fn large_manifest_is_refused() {
    let text = format!("id: a\nagent:\n  instructions: {}\n", "x".repeat(65_536));
    assert!(parse(text.as_bytes()).manifest.is_none());
    assert!(write::agent_manifest(&text).is_err());
}

proptest! {
    /// Any bytes give a manifest or an error, and what was read is written.
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let parsed = parse(&bytes);
        let has_error = parsed.diagnostics.iter().any(prowess_format::Diagnostic::is_error);
        prop_assert_eq!(parsed.manifest.is_none(), has_error);
    }

    #[test]
    fn manifests_survive_writing(
        texts in prop::collection::vec("[ -~]{0,12}", 1..6),
        turns in 1_u32..1_000,
    ) {
        let quoted: Vec<_> = texts.iter().map(|text| format!("{text:?}")).collect();
        let quoted = quoted.join(", ");
        let text = format!("id: a\nagent:\n  uses_tools: [x]\n  limits: {{max_turns: {turns}}}\nother: [{quoted}]\n");
        let parsed = parse(text.as_bytes());
        // `Debug` quotes as YAML does, except for few characters.
        prop_assume!(parsed.manifest.is_some());
        let written = write::agent_manifest(&text).expect("it can be written");
        prop_assert_eq!(parse(written.as_bytes()).manifest, parsed.manifest);
    }
}
