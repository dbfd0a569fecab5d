//! The grammar of patterns.

use prowess_core::AllowedTools;
use prowess_gate::{CommandPattern, PathPattern, check_rules};

use crate::corpora::decoded;
use crate::support::{FILE, SHELL, Skill, bash, by_name, check, other, read, trusted};

/// Each form of a rule for the shell, with what it covers of three commands.
#[test]
fn each_form_of_a_command_pattern_has_one_meaning() {
    for line in include_str!("../data/rules.txt").lines() {
        let [rules, status, push, rm] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}")
        };
        let skills = [trusted(rules)];
        for (command, expected) in [("git status", status), ("git push", push), ("rm x", rm)] {
            let decision = bash(command).with_skills(&skills).decide();
            assert_eq!(crate::support::word(&decision), expected, "{rules}, {command}: {decision}");
        }
    }
}

/// The forms of `tests/data/patterns.txt`, each with its meaning.
#[test]
fn forms_of_real_skills_mean_what_the_table_says() {
    let mut forms: Vec<&str> = Vec::new();
    let mut is_in_group = false;
    let mut wrong = Vec::new();
    for line in include_str!("../data/patterns.txt").lines() {
        let (kind, rest) = line.split_at_checked(2).unwrap_or_default();
        if let Some(form) = line.strip_prefix("form: ") {
            if is_in_group {
                forms.clear();
            }
            forms.push(form);
            wrong.extend(meaning(form));
        } else if ["+ ", "- "].contains(&kind) {
            let command = rest.replace('␤', "\n");
            wrong.extend(forms.iter().filter_map(|form| covered(form, &command, kind == "+ ")));
        }
        is_in_group = !line.starts_with("form: ");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the pattern of a form, and why it grants nothing.
fn divided(form: &str) -> (&str, Option<&str>) {
    let at = form.rfind(" ! ").or_else(|| form.starts_with("! ").then_some(0));
    match at {
        Some(at) => (&form[..at], Some(form[at..].trim_start_matches([' ', '!']))),
        None => (form.rsplit_once(" = ").expect("a form has a meaning").0, None),
    }
}

fn rules(tool: &str, pattern: &str) -> AllowedTools {
    let rule = prowess_core::ToolRule { tool: tool.into(), pattern: Some(pattern.into()) };
    AllowedTools::Rules(vec![rule])
}

/// Returns what is wrong about the warnings of a form.
fn meaning(form: &str) -> Option<String> {
    let (pattern, problem) = divided(form);
    let warnings = check_rules(rules("Bash", pattern).rules(), &[], SHELL);
    let messages: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    let is_right = match problem {
        None => messages.is_empty(),
        Some(problem) => messages.len() == 1 && messages[0].contains(problem),
    };
    (!is_right).then(|| format!("{form}: {messages:?}"))
}

/// Returns what is wrong about the decision on a command.
fn covered(form: &str, command: &str, expected: bool) -> Option<String> {
    let skill = Skill { tools: rules("Bash", divided(form).0), ..trusted("") };
    let decision = bash(command).with_skills(&[skill]).decide();
    (decision.is_allowed() != expected).then(|| format!("{form}: {command}: {decision}"))
}

/// No pattern is wider than a text with any characters for each `*`, as the documentation of Claude
/// Code has it, where the words of a command are written plainly.
#[test]
fn no_pattern_is_wider_than_its_text() {
    let words = ["git", "add", "a", "aa", "main", "--x", "a/b"];
    let patterns = ["git", "a*", "*a", "*", "add", "main", "*a*", "--x", "a/*"];
    let mut seed = 7_u32;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as usize % most
    };
    let mut pick = |list: &[&'static str]| -> Vec<_> {
        (0..1 + next(4)).map(|_| list[next(list.len())]).collect()
    };
    let mut covered = 0;
    for _ in 0..20_000 {
        let (pattern, command) = (pick(&patterns).join(" "), pick(&words));
        let Ok(parsed) = CommandPattern::parse(&pattern) else { continue };
        let owned: Vec<_> = command.iter().map(|word| (*word).to_owned()).collect();
        if parsed.iter().any(|pattern| pattern.matches(&owned, None)) {
            covered += 1;
            // ` *` at the end may be nothing.
            let texts = [command.join(" "), command.join(" ") + " "];
            let is_text = texts.iter().any(|text| text_like(&pattern, text));
            assert!(is_text, "`{pattern}` covers {command:?}");
        }
    }
    assert!(covered > 500, "{covered} commands were covered");
}

/// Returns whether a text is like a pattern in which `*` is any text.
fn text_like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((first, rest)) => text
            .strip_prefix(first)
            .is_some_and(|text| (0..=text.len()).any(|at| text_like(rest, &text[at..]))),
    }
}

/// The forms of `tests/data/paths.txt`.
#[test]
fn each_form_of_a_path_pattern_has_one_meaning() {
    let matches = |pattern: &str, path: &str| {
        let skill = Skill { tools: rules("Read", pattern), ..trusted("") };
        read(path).with_skills(&[skill]).decide().is_allowed()
    };
    let mut form = "";
    for line in include_str!("../data/paths.txt").lines() {
        match line.split_at_checked(2) {
            Some(("+ ", path)) => assert!(matches(form, path), "{form} covers {path}"),
            Some(("- ", path)) => assert!(!matches(form, &decoded(path)), "not {form}: {path}"),
            _ => form = line.strip_prefix("form: ").unwrap_or(form),
        }
    }
    assert!(!matches("", "a") && !matches("**", ""), "nothing");
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
    for rule in ["*", "Bash[git:*]", "Bash [git:*]", "mcp__github__*", "mcp__github", "not Bash"] {
        let tools = AllowedTools::parse(rule).expect("rules");
        assert_eq!(check_rules(tools.rules(), &[], SHELL).len(), 1, "{rule}");
        check(&bash("git status").with_skills(&[trusted(rule)]), "ask");
    }
    check(&other("Fetch").with_skills(&[trusted("Fetch(domain:example.org)")]), "ask");
    check(&other("Fetch").with_skills(&[trusted("Fetch(*)")]), "allow");
    check(&other("Fetch").with_skills(&[trusted("Fetch")]), "allow");
}

/// A rule about paths means the file that a path leads to.
#[test]
fn path_rules_mean_the_file_behind_links() {
    const LINKS: &[(&str, &str)] = &[
        ("/w/docs/out", "/secret/key"),
        ("/w/docs/in", "/w/docs/a"),
        ("/w/docs/unknown", "?"),
        ("/w/linked", "/secret"),
        ("/w/alias", "/w/docs"),
        ("/tmp", "/private/tmp"),
        ("/skills/skill-0/references/out", "/secret/key"),
        ("/skills", "/real"),
    ];
    let skill = |rules: &str| [trusted(rules)];
    let operator = |rule: &str| format!(r#"{{"grant": ["{rule}"]}}"#);
    let denial =
        |rule: &str| format!(r#"{{"grant": ["Read"], "ceiling": {{"deny": ["{rule}"]}}}}"#);
    for line in include_str!("../data/links.txt").lines().skip(2) {
        let [rule, path, by_skill, by_operator, denied] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("five columns: {line}")
        };
        let tool = rule.split('(').next().unwrap_or_default();
        let arguments = serde_json::from_str(path).unwrap_or_else(|_| match tool {
            "Bash" => serde_json::json!({ "command": path }),
            _ => serde_json::json!({ "path": path }),
        });
        let call = || by_name(tool, arguments.clone()).with_files(LINKS);
        if denied == "-" {
            check(&call().with_skills(&skill(rule)), by_skill);
            check(&call().with_policy(&operator(rule)), by_operator);
        } else {
            check(&call().with_policy(&denial(rule)), denied);
        }
    }
    // Without the files of the host, the words alone count.
    check(&read("docs/out").with_skills(&skill("Read(docs/**)")), "allow");
    let decision = read("docs/in").with_files(LINKS).with_skills(&skill("Read(docs/**)")).decide();
    assert_eq!(decision.grounds().files[0].file, "/w/docs/a", "what to open is handed over");
}

/// A script of the skill that is a link out of it is not its own.
#[test]
fn own_scripts_stay_in_the_skill() {
    const LINKS: &[(&str, &str)] =
        &[("/skills/skill-0/scripts/out", "/bin/rm"), ("/skills", "/real")];
    let skills = [trusted("Bash(${CLAUDE_SKILL_DIR}/scripts/*) Bash(sh ${CLAUDE_SKILL_DIR}/*)")];
    for (command, expected) in [
        ("/skills/skill-0/scripts/a.sh x", "allow"),
        ("/skills/skill-0/scripts/out x", "ask"),
        ("sh /skills/skill-0/scripts/a.sh", "allow"),
        ("sh /skills/skill-0/scripts/out", "ask"),
        ("sh /skills/skill-0/a.sh /skills/skill-0/scripts/out", "ask"),
    ] {
        check(&bash(command).with_files(LINKS).with_skills(&skills), expected);
    }
}
