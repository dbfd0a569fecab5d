//! `prowess explain`: where a skill comes from, who may load it, what is cut, why a path is none.

use prowess_testkit::Tree;
use serde_json::Value;

use crate::program::Program;
use crate::{plain_skill, skill_md};

/// The directories of skills, and their frontmatter.
const SKILLS: &str = include_str!("../data/explained-skills.txt");

/// A home with the skills above, where clients put them.
fn home(config: &str) -> Tree {
    let tree = Tree::new("");
    let skills = SKILLS.split("//- /").filter_map(|skill| skill.trim_end().split_once('\n'));
    for (directory, frontmatter) in skills {
        tree.write(&format!(".agents/skills/{directory}/SKILL.md"), skill_md(frontmatter));
    }
    tree.write(".agents/skills/notes/README.md", "No skill.\n");
    tree.write(".agents/skills/.gitignore", "ignored/\n");
    tree.write(".agents/skills/flat.md", plain_skill("flat"));
    tree.write("prowess.yaml", config);
    tree
}

/// Explains `query` with this configuration, and checks that there is a step with this outcome and
/// this part of a reason.
#[track_caller]
fn check(config: &str, query: &str, (step, outcome, part): (&str, &str, &str)) -> Value {
    let tree = home(config);
    let query = query.replace("$ROOT", &tree.join(".agents/skills").display().to_string());
    let query = query.replace("$HOME", &tree.path().display().to_string());
    let config = tree.join("prowess.yaml").display().to_string();
    let program = Program::new().at_home_in(tree.path());
    let args = ["explain", &query, "--config", &config, "--format", "json"];
    let explained = program.run(&args).json();
    let decisions = explained["decisions"].as_array().expect("there are steps");
    let is_it = |decision: &&Value| decision["step"] == step && decision["outcome"] == outcome;
    let mut reasons = decisions.iter().filter(is_it).map(|decision| decision["reason"].to_string());
    let has_part = reasons.any(|reason| reason.contains(part));
    assert!(has_part, "{step} {outcome} {part}: {explained:#}");
    explained
}

#[test]
fn presentation_in_the_prompt_is_explained() {
    check("", "pdf", ("prompt", "shown", "with its name and description"));
    check("prompt: { max_tokens: 1 }\n", "pdf", ("prompt", "cut", "`prompt.max_tokens`"));
    let tight = "prompt: { max_tokens: 98 }\n";
    check(tight, "long", ("prompt", "shortened", "`prompt.max_tokens`"));
    let by_directory = "registry: { id_from: directory }\n";
    check(by_directory, "two  blanks", ("prompt", "cut", "cannot be typed exactly"));
    let only = "visibility: { skills: [{ match: 'p*', show: name_only }] }\n";
    check(only, "pdf", ("prompt", "name-only", "`visibility.skills`"));
    let place = "prompt: { catalog_place: tool_only }\n";
    check(place, "pdf", ("prompt", "not-shown", "the model uses a tool"));
}

#[test]
fn hiding_rule_and_callers_are_named() {
    check("", "by-hand", ("place", "hidden", "`disable-model-invocation` is set"));
    check("", "by-hand", ("load", "by-user", "a user can load it as `by-hand`"));
    check("", "needs", ("ready", "not-ready", "the program `no-such-program`"));
    check("", "needs", ("place", "not-ready", "once its requirements are met"));
    check("", "needs", ("load", "refused", "neither a model nor a user can load it"));
    check("", "of-a", ("place", "hidden", "it is for the tenants `a` alone"));
    check("audience: { tenant: a }\n", "of-a", ("place", "visible", "takes precedence"));
    let rule = "visibility: { skills: [{ match: 'user:p*', show: disabled }] }\n";
    check(rule, "pdf", ("place", "hidden", "the policy disables `user:p*`"));
    check("aliases: { forms: pdf }\n", "forms", ("name", "alias", "is an alias for `pdf`"));
    check("", "user:pdf", ("find", "found", "/pdf/SKILL.md"));
}

/// All reasons are listed, so that no other appears after the first is fixed.
#[test]
fn every_reason_is_reported() {
    check("", "by-hand", ("check", "noted", "[hook-needs-shell] where hooks run"));
    let rule = "visibility: { skills: [{ match: 'n*', show: disabled }] }\n";
    check(rule, "needs", ("place", "hidden", "the policy disables `n*`"));
    check(rule, "needs", ("ready", "not-ready", "the program `no-such-program`"));
    let agent = "audience: { agent: x, tenant: b }\nvisibility: { agents: { x: [pdf] } }\n";
    let explained = check(agent, "of-a", ("place", "hidden", "it is for the tenants `a` alone"));
    assert!(explained.to_string().contains("does not give it to the agent `x`"), "{explained}");
}

#[test]
fn package_is_found_by_the_target_of_a_link() {
    let tree = home("");
    let (linked, real) = (tree.join(".agents/skills/pdf"), tree.join("real-pdf"));
    std::fs::rename(&linked, &real).expect("nothing is in the way");
    std::os::unix::fs::symlink(&real, &linked).expect("the old place is free");
    let program = || Program::new().at_home_in(tree.path());
    for path in [real.clone(), real.join("SKILL.md"), linked] {
        let path = path.display().to_string();
        let explained = program().run(&["explain", &path, "--format", "json"]).json();
        assert_eq!(explained["records"][0]["id"], "pdf", "{explained:#}");
    }
    let inside = real.join("inner").display().to_string();
    let explained = program().run(&["explain", &inside, "--format", "json"]).json();
    assert_eq!(explained["records"].as_array().map(Vec::len), Some(0), "a part is not the package");
}

#[test]
fn path_without_a_skill_has_a_reason() {
    let not_found = |query: &str, part: &str| {
        let explained = check("", query, ("find", "not-found", part));
        assert_eq!(explained["records"].as_array().map(Vec::len), Some(0));
    };
    not_found("$ROOT/notes", "has no `SKILL.md`");
    not_found("$ROOT/notes/README.md", "has no `SKILL.md`");
    for query in ["flat", "$ROOT/flat.md"] {
        not_found(query, "is a file, and a skill is a directory: move it to `");
    }
    not_found("$ROOT/missing", "does not exist");
    not_found("$ROOT/node_modules/bundled", "below `node_modules`, which is always skipped");
    not_found("$ROOT/pdf/inner/deep", "inside the skill `pdf`");
    not_found("$ROOT/1/2/3/4/5/6/7/far", "8 directories below the root");
    not_found("$HOME/prowess.yaml", "is under none of the roots");
    not_found("nothing", "no skill with this id or path under");
    for query in ["broken", "$ROOT/broken"] {
        check("", query, ("check", "refused", "[description-missing]"));
    }
}

#[test]
fn skill_of_another_part_of_the_project_is_named() {
    let tree = home("");
    tree.write("shop/.git/HEAD", "");
    let far = "a/b/c/d/e/f/g/far/.agents/skills";
    let [clients, inside] = [".claude/skills", ".claude/skills/group/skills"];
    let first = [("billing/.agents/skills", "refunds"), (far, "far-away")];
    for (place, name) in first.into_iter().chain([(clients, "group"), (inside, "deeper")]) {
        tree.write(&format!("shop/{place}/{name}/SKILL.md"), plain_skill(name));
    }
    tree.write("shop/node_modules/x/skills/hidden/SKILL.md", plain_skill("hidden"));
    let program = || Program::new().at_home_in(tree.path()).working_in(&tree.join("shop"));
    for (query, place) in [
        ("refunds", "billing/.agents/skills"),
        ("billing/.agents/skills/refunds/SKILL.md", "billing/.agents/skills"),
        ("far-away", far),
        ("deeper", inside),
    ] {
        let found = program().run(&["explain", query]).stdout;
        let command = format!("prowess config set --add --project discovery.also {place}");
        assert!(found.contains(&format!("run `prowess trust && {command}`")), "{found}");
    }
    tree.write("packs/superpowers/skills/plan/SKILL.md", plain_skill("plan"));
    let link = tree.join(".agents/skills/superpowers");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(tree.join("packs/superpowers/skills"), link).unwrap();
    let pack = program().run(&["explain", "superpowers"]).stdout;
    assert!(pack.contains("a pack of 1 skill, which is read: `plan`"), "{pack}");
    let hidden = program().run(&["explain", "hidden"]).stdout;
    assert!(hidden.contains("not found") && !hidden.contains("is in"), "{hidden}");
}

/// A search ends at a skill: also at one that cannot be used, and one that a link leads to.
#[test]
fn skills_inside_a_skill_are_counted_and_explained() {
    let tree = home("");
    for skill in ["pack", "pack/one", ".agents/skills/broken/b/b"] {
        tree.write(&format!("{skill}/SKILL.md"), plain_skill("it"));
    }
    tree.write(".agents/skills/SKILL.md", "Draft.\n");
    for (target, link) in [("../../pack", "pack"), ("pdf", "forms")] {
        std::os::unix::fs::symlink(target, tree.join(".agents/skills").join(link)).unwrap();
    }
    let run = |args: &[&str]| {
        let ran = Program::new().at_home_in(tree.path()).run(args);
        ran.stdout + &ran.stderr
    };
    let found = run(&["doctor"]);
    assert!(found.contains("3 skills inside of another skill: "), "{found}");
    assert!(found.contains("[file-misplaced]") && !found.contains("/forms"), "{found}");
    for (query, outer) in [("deep", "pdf"), ("b", "broken"), ("one", "pack")] {
        let said = run(&["explain", query]);
        let is_inside = said.contains(&format!("is inside the skill `{outer}`"));
        assert!(is_inside && !said.contains("has no `SKILL.md`"), "{said}");
    }
    assert!(run(&["explain", "forms"]).contains("/pdf/SKILL.md in source"), "one by two paths");
}

#[test]
fn skill_behind_a_link_that_is_not_followed_is_named() {
    let tree = home("");
    tree.write("shop/.git/HEAD", "");
    tree.write("pack/inner/SKILL.md", plain_skill("inner"));
    std::fs::create_dir_all(tree.join("shop/.agents/skills")).expect("a directory");
    std::os::unix::fs::symlink("../../../pack", tree.join("shop/.agents/skills/pack")).unwrap();
    tree.write("pack/SKILL.md", plain_skill("pack"));
    let program = || Program::new().at_home_in(tree.path()).working_in(&tree.join("shop"));
    for query in ["inner", ".agents/skills/pack/inner", "pack"] {
        let text = program().run(&["explain", query]).stdout;
        assert!(text.contains("[root-is-symlink]"), "{query}: {text}");
    }
    let found = program().run(&["doctor"]).stdout;
    assert!(!found.contains("/pack` ("), "nothing behind it is looked into: {found}");
}

#[test]
fn discovery_policy_is_reported() {
    let deep = "discovery: { bounds: { max_depth: 3 } }\n";
    let far = "$ROOT/1/2/3/4/5/6/7/far";
    check(deep, far, ("find", "not-found", "the scan ends after 3 levels"));
    check(deep, far, ("check", "noted", "scan-truncated"));
    let skip = "discovery: { skip: [pdf] }\n";
    check(skip, "pdf", ("find", "not-found", "left out by `discovery.skip`, which has `pdf`"));
    check("", "$ROOT/ignored/draft", ("place", "visible", "takes precedence"));
}

#[cfg(feature = "gitignore")]
#[test]
fn directory_that_git_ignores_is_reported() {
    let by_git = "discovery: { gitignore: true }\n";
    check(by_git, "$ROOT/ignored/draft", ("find", "not-found", "did not reach"));
    check(by_git, "$ROOT/ignored/draft", ("check", "noted", "left-out-by-gitignore"));
}

#[test]
fn skill_that_the_prompt_leaves_out_costs_nothing() {
    let cost = |config| check(config, "pdf", ("find", "found", "/pdf/SKILL.md"))["tokens"].clone();
    assert_ne!(cost(""), 0);
    assert_eq!(cost("prompt: { max_tokens: 1 }\n"), 0, "it is cut");
}

/// Each line is one sentence: its label is not repeated by its reason.
#[test]
fn text_reads_without_repetition() {
    let tree = home("");
    let explain = |query: &str| {
        let ran = Program::new().at_home_in(tree.path()).run(&["explain", query]);
        ran.stdout.replace(&tree.path().display().to_string(), "$HOME")
    };
    let pdf = explain("pdf");
    let lines: Vec<_> = pdf.lines().take(5).collect();
    let expected = [
        "pdf",
        "  found at    $HOME/.agents/skills/pdf/SKILL.md in source `filesystem` of layer `user` (trusted)",
        "  ready       its requirements are met",
        "  offered     no other `pdf` takes precedence",
        "  in prompts  with its name and description",
    ];
    assert_eq!(lines, expected);
    let missing = explain("pdff");
    assert!(missing.contains("  not found   no skill with this id or path under "), "{missing}");
    assert!(missing.ends_with("; did you mean `pdf`?\n"), "{missing}");
}

/// An unknown id is compared with few of very many, because a page waits for it.
#[test]
fn suggestion_among_very_many_begins_with_the_same_letter() {
    let tree = Tree::new("");
    for name in (0..2_001).map(|number| format!("skill-{number}")) {
        tree.write(&format!("skills/{name}/SKILL.md"), plain_skill(&name));
    }
    for (id, is_meant) in [("skil-7", true), ("xkill-7", false)] {
        let ran = Program::new().root("user", &tree.join("skills")).run(&["show", id]);
        assert_eq!(ran.stderr.contains("did you mean `skill-"), is_meant, "{}", ran.stderr);
    }
}

#[test]
fn code_is_explained_with_an_example_and_the_next_step() {
    let tree = home("");
    let explain = |query: &str| Program::new().at_home_in(tree.path()).run(&["explain", query]);
    for query in
        ["unquoted-colon", "Unquoted-COLON", "[unquoted-colon]", "warning[unquoted-colon]:"]
    {
        let printed = explain(query);
        assert_eq!(printed.code, Some(0), "a code is no failure: {query}");
        for part in [
            "unquoted-colon\n",
            "An unquoted value contains",
            "Example\n  ---\n",
            "warning[unquoted-colon]",
            "help: ",
        ] {
            assert!(printed.text().contains(part), "{part:?} is in {}", printed.text());
        }
    }
    for (query, code) in [
        ("SKILL_NOT_FOUND", "skill-not-found"),
        ("SKILL_TOOL_NOT_ALLOWED", "skill-tool-not-allowed"),
        ("SKILL_PARSE_ERROR", "skill-invalid"),
        ("[SKILL_SCRIPT_READ_ERROR] Script files must", "script-read-blocked"),
    ] {
        assert!(explain(query).text().starts_with(code), "{query} is {code}");
    }
    let misspelt = explain("unqoted-colon");
    assert_eq!(misspelt.code, Some(1));
    assert!(misspelt.stdout.contains("did you mean `unquoted-colon`?"), "{}", misspelt.stdout);
}

#[test]
fn skill_with_the_name_of_a_code_comes_first() {
    let tree = home("");
    tree.write(".agents/skills/file-empty/SKILL.md", plain_skill("file-empty"));
    let program = Program::new().at_home_in(tree.path());
    let explained = program.run(&["explain", "file-empty", "--format", "json"]).json();
    assert_eq!(explained["records"][0]["id"], "file-empty");
}

#[test]
fn code_of_a_broken_configuration_is_explained() {
    let tree = home("");
    tree.write("broken.yaml", "[");
    let program = Program::new().at_home_in(tree.path());
    let config = tree.join("broken.yaml").display().to_string();
    let explained =
        program.run(&["--config", &config, "explain", "config-invalid", "--format", "json"]);
    let chapter = &explained.json()["explanations"][0]["chapter"];
    assert_eq!(chapter, "Codes of the command line");
}
