//! The grammar of patterns.

use prowess_core::AllowedTools;
use prowess_gate::{CommandPattern, PathPattern, check_rules};

use crate::support::{FILE, SHELL, bash, check, other, read, trusted};

/// Each form of a rule for the shell, with what it covers of three commands.
#[test]
fn each_form_of_a_command_pattern_has_one_meaning() {
    for (rules, status, push, rm) in [
        ("Bash", "allow", "allow", "allow"),
        ("Bash(*)", "allow", "allow", "allow"),
        ("bash(git:*)", "allow", "allow", "ask"),
        ("Bash(git:*)", "allow", "allow", "ask"),
        ("Bash(git *)", "allow", "allow", "ask"),
        ("Bash(git status)", "allow", "ask", "ask"),
        ("Bash(git status:*)", "allow", "ask", "ask"),
        ("Bash(git status:*, rm:*)", "allow", "ask", "allow"),
        ("Bash(git status:*) Bash(rm:*)", "allow", "ask", "allow"),
        ("Bash(git:*),Read", "allow", "allow", "ask"),
        ("Bash(git  status)", "allow", "ask", "ask"),
        ("Bash(git:* rm:*)", "ask", "ask", "ask"),
        ("Bash(:*)", "ask", "ask", "ask"),
        ("Bash()", "ask", "ask", "ask"),
        ("Bash((git:*))", "ask", "ask", "ask"),
        ("Bash(git*)", "ask", "ask", "ask"),
        ("Bash(git:status)", "ask", "ask", "ask"),
        ("Bash(GIT:*)", "ask", "ask", "ask"),
        ("Bash('git':*)", "ask", "ask", "ask"),
        ("Ba\u{455}h(git:*)", "ask", "ask", "ask"),
        ("Ba\u{455}h", "ask", "ask", "ask"),
        ("Bash\u{200b}", "ask", "ask", "ask"),
        ("Bash(git:*", "ask", "ask", "ask"),
    ] {
        let skills = [trusted(rules)];
        for (command, expected) in [("git status", status), ("git push", push), ("rm x", rm)] {
            let decision = bash(command).with_skills(&skills).decide();
            assert_eq!(crate::support::word(&decision), expected, "{rules}, {command}: {decision}");
        }
    }
}

/// A rule that is outside the grammar, and one of the words of its warning.
#[test]
fn rules_outside_the_grammar_warn() {
    for (rule, reason) in [
        ("Bash(git:* rm:*)", "`*` is not at the end"),
        ("Bash(git*)", "`*` is not at the end"),
        ("Bash(**)", "`*` is not at the end"),
        ("Bash(:*)", "names no command"),
        ("Bash()", "names no command"),
        ("Bash(git:*, )", "names no command"),
        ("Bash((git:*))", "`*` is not at the end"),
        ("Bash(git:status)", "not a part of a plain word"),
        ("Bash(=git)", "not a part of a plain word"),
        ("Bash($x:*)", "not a part of a plain word"),
        ("Bash(git '*')", "`*` is not at the end"),
        ("Bash(git 'x')", "not a part of a plain word"),
        ("Bash(gît)", "not a part of a plain word"),
        ("Ba\u{455}h(git:*)", "other than visible ASCII"),
    ] {
        let tools = AllowedTools::parse(rule).expect("rules");
        let warnings = check_rules(tools.rules(), &[], SHELL);
        let [warning] = warnings.as_slice() else { panic!("{rule} has one warning") };
        assert!(warning.message.contains(reason), "{rule}: {warning}");
        let decision = bash("git status").with_skills(&[trusted(rule)]).decide();
        assert!(decision.is_ask(), "{rule}: {decision}");
        assert_eq!(decision.grounds().warnings.len(), 1, "{rule} warns where it is used");
    }
    for rule in ["Bash", "Bash(*)", "Bash(git:*)", "Bash([:*)", "Bash(npm run a:b)", "Bash(a, b *)"]
    {
        let tools = AllowedTools::parse(rule).expect("rules");
        assert_eq!(check_rules(tools.rules(), &[], SHELL), [], "{rule}");
    }
}

#[test]
fn command_patterns_match_whole_words() {
    let matches = |pattern: &str, words: &[&str]| {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let patterns = CommandPattern::parse(pattern).expect("a pattern");
        patterns.iter().any(|pattern| pattern.matches(&words))
    };
    assert!(matches("git:*", &["git"]));
    assert!(matches("git add:*", &["git", "add", "x"]));
    assert!(matches("npm run test:unit", &["npm", "run", "test:unit"]));
    assert!(matches("[:*", &["[", "-f", "x", "]"]));
    assert!(!matches("git:*", &["gitx"]));
    assert!(!matches("git:*", &["git add"]));
    assert!(!matches("git add:*", &["git"]));
    assert!(!matches("git add:*", &["git", "addx"]));
    assert!(!matches("git status", &["git", "status", "-s"]));
    assert!(!matches("git status", &["git"]));
}

#[test]
fn each_form_of_a_path_pattern_has_one_meaning() {
    let matches = |pattern: &str, path: &str| {
        PathPattern::parse(pattern).is_ok_and(|pattern| pattern.matches(path))
    };
    for (pattern, path) in [
        ("docs/guide.md", "docs/guide.md"),
        ("./docs/guide.md", "docs/guide.md"),
        ("docs/guide.md", "./docs/guide.md"),
        ("docs/*.md", "docs/guide.md"),
        ("references/**", "references/a/b.md"),
        ("references/**", "references/a"),
        ("**/*.md", "a/b/c.md"),
        ("/tmp/eval-*/**", "/tmp/eval-1/a/b"),
        ("**", "a/b"),
    ] {
        assert!(matches(pattern, path), "{pattern} covers {path}");
    }
    for (pattern, path) in [
        ("docs/guide.md", "docs/guide.mdx"),
        ("docs/guide.md", "x/docs/guide.md"),
        ("docs/*.md", "docs/a/guide.md"),
        ("docs/*", "docs/../secret"),
        ("references/**", "references/../secret"),
        ("references/**", "references/a/../../secret"),
        ("references/**", "referencesx/a"),
        ("references/**", "/references/a"),
        ("references/**", "references//etc/passwd"),
        ("references/**", "references/./a"),
        ("references/**", "references\\..\\a"),
        ("references/**", "references/a\nb"),
        ("references/**", "references/a\0b"),
        ("references/**", "references/\u{202e}a"),
        ("**", "/etc/passwd"),
        ("**", "~/.ssh/id"),
        ("**", "../a"),
        ("**", ".."),
        ("**", ""),
        ("/**", "etc/passwd"),
        ("references/../**", "a"),
        ("a[b]", "ab"),
        ("{a,b}", "a"),
        ("a?", "ab"),
        ("!a", "b"),
        ("a***", "a"),
        ("", "a"),
    ] {
        assert!(!matches(pattern, path), "{pattern} does not cover {path:?}");
    }
    assert!(matches("**", &"a".repeat(4096)), "the longest path");
    assert!(!matches("**", &"a".repeat(4097)), "a path that is too long");
    assert!(PathPattern::parse(&"*a".repeat(8)).is_ok(), "the most `*`");
    assert!(PathPattern::parse(&"*a".repeat(9)).is_err(), "too many `*`");
}

#[test]
fn path_rules_cover_calls_of_file_tools() {
    let skills = [trusted("Read(references/**)")];
    check(&read("references/a.md").with_skills(&skills), "allow");
    check(&read("references/../a.md").with_skills(&skills), "ask");
    check(&read("a.md").with_skills(&skills), "ask");
    check(&read("../a.md").with_skills(&[trusted("Read")]), "allow");
    let tools = AllowedTools::parse("Read(a?)").expect("rules");
    assert_eq!(check_rules(tools.rules(), &[], FILE).len(), 1);
}

#[test]
fn patterns_of_other_tools_cover_nothing() {
    check(&other("Fetch").with_skills(&[trusted("Fetch(domain:example.org)")]), "ask");
    check(&other("Fetch").with_skills(&[trusted("Fetch(*)")]), "allow");
    check(&other("Fetch").with_skills(&[trusted("Fetch")]), "allow");
}
