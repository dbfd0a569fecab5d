//! A command, an option, a key or a preset whose feature this program lacks names the feature, with
//! exit code 2, and does nothing.

use prowess_testkit::Tree;

use crate::program::Program;
use crate::skill_md;

/// Checks what a program without the feature answers. A program that has it is checked by the tests
/// of the feature.
#[track_caller]
fn check(feature: &str, what: &str, args: &[&str]) {
    let json = Program::new().run(&["version", "--features", "--format", "json"]).json();
    if json["features"][feature].as_bool().expect("the feature is listed") {
        return;
    }
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", skill_md("name: pdf\ndescription: Use for forms."));
    tree.write("skills-lock.json", LOCK);
    let ran = Program::new().working_in(tree.path()).run(args);
    let line = format!(
        "error[feature-missing]: `{what}` needs the feature `{feature}`, which this program lacks; \
         install it with `cargo install --locked --path crates/prowess-cli --features {feature}` \
         in a checkout"
    );
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.stdout, "", "nothing was done: {ran:?}");
    assert_eq!(ran.stderr.lines().next(), Some(&*line), "{ran:?}");
}

/// The lock file of another tool, with a skill of a site.
const LOCK: &str = r#"{"version": 1, "skills": {"pdf": {"source": "https://example.com/pdf.zip",
    "sourceType": "well-known", "computedHash": "0000000000000000000000000000000000000000000000000000000000000000"}}}"#;

#[test]
fn options_name_their_feature() {
    check("http", "serve --http", &["serve", "--http", "127.0.0.1:0"]);
    check("mcp-sources", "mcp call", &["mcp", "call", "tools/list", "--", "true"]);
    check("reference", "--profile skills-ref", &["validate", "pdf", "--profile=skills-ref"]);
    let properties = ["read-properties", "pdf", "--profile", "skills-ref"];
    check("reference", "--profile skills-ref", &properties);
    check("sign", "publish --sign", &["publish", "pdf", "site", "--sign", "key"]);
    check("sigstore", "--trusted-root", &["add", "./pdf", "--trusted-root", "root.json"]);
    check("vendor", "prompt --vendor", &["prompt", "--vendor", "anthropic"]);
    check("virtual-shell", "run --shell", &["run", "--shell", "-c", "ls"]);
}

#[test]
fn sources_name_their_feature() {
    for source in ["https://example.com", "oci://example.com/pdf:1", "s3://bucket/skills"] {
        check("remotes", source, &["add", source]);
    }
    check("remotes", "publish --to", &["publish", "pdf", "--to", "s3://bucket/skills"]);
    let import = ["sync", "--import", "skills-lock.json"];
    check("remotes", "https://example.com/pdf.zip", &import);
}

#[test]
fn keys_and_presets_name_their_feature() {
    for (feature, key, setting) in [
        ("gitignore", "discovery.gitignore", "discovery.gitignore=true"),
        ("proxy", "scripts.network", "scripts.network=[example.com]"),
        ("virtual-shell", "shell", "shell.mount=/skills"),
        ("mcp-sources", "sources.mcp", "sources.mcp={team: {command: [team]}}"),
    ] {
        check(feature, key, &["--set", setting, "list"]);
    }
    check("proxy", "scripts.network", &["run", "pdf", "a.sh", "--host", "example.com"]);
    check("virtual-shell", "tools.surfaces: shell", &["--preset", "sandbox", "list"]);
}
