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
    // A name with a blank is quoted, or an item of a list.
    let cases: Vec<(String, String)> =
        serde_json::from_str(include_str!("../data/spellings.json")).expect("JSON");
    for (line, expected) in cases {
        let tools = tools(&line);
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

/// Each form that authors write: how many rules of it grant nothing, and what is read where it is
/// not what is written. A field that cannot be read has no rule.
#[test]
fn each_form_of_authors_has_a_meaning() {
    let as_written = [
        "Bash(git:*, npm:*)¦Bash(git *:*)¦Bash(yes:*) Bash(true) Bash(./*) Bash([:*)¦\
         'Azure MCP/search'¦edit/createFile @a/b:c search_x a.b¦bash(git:*) read¦\
         Grep(*) mcp__a__b Fetch(x)",
        "Bash[git:*]¦Bash:git¦read:docs¦Bash=git¦*¦Read/Write¦Read | Write¦'Read Write'¦\
         Bash(git:*,npm:*)¦Bash(ls,cat)¦Bash(^git .*)¦Bash(.*)¦Bash(-rf)¦Bash(not rm)¦Bash(all)¦\
         Bash(git status:**)¦Read(docs/:*)¦Read(docs/** src/**)¦Read(docs/)¦Read\u{ff0c}Write",
        "Read; Write.¦mcp__a mcp__a__*¦\u{8bfb}\u{53d6} Ba\u{455}h",
        "!Bash -Write ~Edit¦Grep(x) WebFetch(domain:a.b) mcp__a__b(c)",
    ];
    let otherwise = include_str!("../data/read-otherwise.txt").replace('⏎', "\n");
    let otherwise = otherwise.split_terminator("¦\n").map(|line| {
        let parts: Vec<_> = line.split('¦').collect();
        (parts[0], parts[1], parts[2].parse().expect("a number"))
    });
    let as_written = as_written.iter().enumerate();
    let as_written = as_written
        .flat_map(|(findings, texts)| texts.split('¦').map(move |text| (text, text, findings)));
    for (text, expected, findings) in as_written.chain(otherwise) {
        let field = format!("allowed-tools: {}", serde_json::to_string(text).expect("a text"));
        let file = skill(&format!("name: pdf\ndescription: x\n{field}\n"));
        assert_eq!(codes(&file, Profile::Lenient).len(), findings, "{text}");
        let tools = tools(&field);
        assert_eq!(tools.to_string(), expected, "{text}");
        let again = AllowedTools::parse(expected);
        assert!(expected.is_empty() || again == Ok(tools), "{text} reads back");
    }
}
