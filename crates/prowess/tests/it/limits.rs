//! Findings about a skill that is too long, in a catalog.

use prowess::format::{Limit, LimitSeverity, Limits};
use prowess::{Policies, ToolCall};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

/// The bytes of a file that costs this much, at four bytes a token.
const BYTES_A_TOKEN: usize = 4;

/// A folder with one skill of this many tokens, all of its `SKILL.md` together.
fn tree(tokens: usize) -> Tree {
    let head = "---\nname: long\ndescription: Is long. Use it for tests.\n---\n# Long\n";
    let tree = Tree::new("");
    let body = "x".repeat(tokens * BYTES_A_TOKEN - head.len());
    tree.write("long/SKILL.md", format!("{head}{body}"));
    tree
}

/// The findings of a start, as `severity code`, and whether the skill can be loaded.
fn check(tokens: usize, limit: Option<Limit>, expected: &[&str], is_usable: bool) {
    let tree = tree(tokens);
    let mut policies = Policies::default();
    if let Some(limit) = limit {
        policies.registry.limits.body_tokens = limit;
    }
    let runtime = dynamic::builder().policies(policies).skills_directory("user", tree.path());
    let runtime = runtime.build().expect("it can be put together");
    let catalog = runtime.catalog();
    let found = catalog.diagnostics().map(|found| format!("{} {}", found.severity, found.code));
    assert_eq!(found.collect::<Vec<_>>(), expected, "what is said of {tokens} tokens");
    let session = runtime.open_session().expect("a session");
    let turn = runtime.turn(&session).expect("a turn");
    let loaded = turn.call(&ToolCall::new("skills_load", json!({ "names": ["long"] })));
    assert_eq!(!loaded.result.is_error, is_usable, "whether {tokens} tokens can be loaded");
    let again = runtime.reload().catalog;
    let found_again = again.diagnostics().count();
    assert_eq!(found_again, expected.len(), "an unchanged file keeps its findings");
}

#[test]
fn a_skill_over_the_soft_limit_is_a_warning_when_it_is_found_and_still_usable() {
    let warning = Some(Limit { severity: LimitSeverity::Warning, ..Limits::default().body_tokens });
    check(8000, warning, &[], true);
    check(8001, warning, &["warning body-tokens-soft-limit"], true);
    // The size of each file is one system call more, so it is read only under a limit.
    check(8001, None, &[], true);
}

#[test]
fn the_limit_and_what_it_means_are_the_host_s() {
    let limit = |max, severity| Some(Limit { max, severity });
    check(900, limit(899, LimitSeverity::Hint), &["hint body-tokens-soft-limit"], true);
    check(900, limit(899, LimitSeverity::Error), &["error body-tokens-soft-limit"], false);
    check(9000, limit(8000, LimitSeverity::Allow), &[], true);
    check(9000, limit(9000, LimitSeverity::Error), &[], true);
}
