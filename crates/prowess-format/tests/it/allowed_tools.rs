//! `allowed-tools`: the grammar and its failures.

use prowess_format::{AllowedTools, Profile, parse};

use crate::support::{codes, skill};

fn tools(line: &str) -> AllowedTools {
    let file = skill(&format!("name: pdf\ndescription: x\n{line}\n"));
    let document = parse(&file, Profile::Lenient).document.expect("a document");
    document.frontmatter.allowed_tools
}

#[test]
fn every_spelling_gives_the_same_rules() {
    let cases = [
        ("allowed-tools: Bash(git:*) Read", "Bash(git:*) Read"),
        ("allowed-tools: Bash(git:*), Read", "Bash(git:*) Read"),
        ("allowed-tools: [\"Bash(git:*)\", Read]", "Bash(git:*) Read"),
        ("allowed-tools:\n  - Bash(git:*)\n  - Read", "Bash(git:*) Read"),
        ("allowed-tools:\n- Bash(git:*)\n- Read", "Bash(git:*) Read"),
        ("allowed-tools: |\n  Bash(git:*)\n  Read", "Bash(git:*) Read"),
        ("allowed_tools: Bash(git:*) Read", "Bash(git:*) Read"),
        ("allowed-tools: \"Bash(git:*)\\tRead\"", "Bash(git:*) Read"),
        ("allowed-tools: Bash(git add:*, git commit:*)", "Bash(git add:*, git commit:*)"),
        ("allowed-tools: Bash(echo (a) b) mcp__server__tool", "Bash(echo (a) b) mcp__server__tool"),
        ("allowed-tools: Bash()", "Bash()"),
    ];
    for (line, expected) in cases {
        let tools = tools(line);
        assert_eq!(tools.to_string(), expected, "{line}");
        assert_eq!(AllowedTools::parse(&tools.to_string()), Ok(tools), "{line} reads back");
    }
}

#[test]
fn a_name_with_a_blank_is_quoted_or_an_item_of_a_list() {
    let cases = [
        ("allowed-tools: \"'Azure MCP/documentation' Read\"", "'Azure MCP/documentation' Read"),
        ("allowed-tools: ['Azure MCP/documentation', Read]", "'Azure MCP/documentation' Read"),
        ("allowed-tools:\n  - Azure MCP/documentation\n  - Read", "'Azure MCP/documentation' Read"),
        ("allowed-tools: '\"My Server/a tool\", Read'", "'My Server/a tool' Read"),
        ("allowed-tools: \"'Read' 'Write'\"", "Read Write"),
        ("allowed-tools: '\"Bash(git:*)\", \"Read\"'", "Bash(git:*) Read"),
        ("allowed-tools: \"'a b(c d)'\"", "'a b(c d)'"),
        ("allowed-tools: [Read Grep]", "Read Grep"),
        ("allowed-tools: [Read Bash(cat a/b)]", "Read Bash(cat a/b)"),
    ];
    for (line, expected) in cases {
        let tools = tools(line);
        assert_eq!(tools.to_string(), expected, "{line}");
        assert_eq!(AllowedTools::parse(&tools.to_string()), Ok(tools), "{line} reads back");
    }
    assert_eq!(
        tools("allowed-tools: ['Azure MCP/documentation']").rules()[0].tool,
        "Azure MCP/documentation"
    );
}

#[test]
fn absent_and_empty_differ() {
    assert_eq!(tools("license: MIT"), AllowedTools::Absent);
    for line in ["allowed-tools: []", "allowed-tools: \"\"", "allowed-tools:", "allowed-tools: ','"]
    {
        assert_eq!(tools(line), AllowedTools::Empty, "{line}");
    }
}

#[test]
fn what_cannot_be_read_allows_nothing() {
    let long = format!("allowed-tools: {}", "Read ".repeat(1000));
    let cases = [
        ("allowed-tools: Bash(git:*", "allowed-tools-malformed"),
        ("allowed-tools: Bash(git:*))", "allowed-tools-malformed"),
        ("allowed-tools: (git)", "allowed-tools-malformed"),
        ("allowed-tools: Bash(a)b", "allowed-tools-malformed"),
        ("allowed-tools: Bash(a)b(c)", "allowed-tools-malformed"),
        ("allowed-tools: {Bash: git}", "allowed-tools-malformed"),
        ("allowed-tools: [[Bash]]", "allowed-tools-malformed"),
        (long.as_str(), "allowed-tools-too-long"),
    ];
    for (line, code) in cases {
        assert_eq!(tools(line), AllowedTools::Rules(Vec::new()), "no rule comes of {line}");
        let file = skill(&format!("name: pdf\ndescription: x\n{line}\n"));
        assert_eq!(codes(&file, Profile::Lenient), [code], "{line}");
    }
}
