//! One catalog file in place of directories: every command answers as over the directories.

use prowess_testkit::{Corpus, Tree};

use crate::plain_skill;
use crate::program::{Program, Ran};

/// A tree of skills, and what was published of it.
struct Place {
    tree: Tree,
}

impl Place {
    fn new() -> Self {
        let tree = Tree::new("");
        Corpus::new(5).write(&tree.join("skills"), 40).expect("the skills can be written");
        tree.write("skills/mail/SKILL.md", plain_skill("mail"));
        tree.write("skills/mail/references/smtp.md", "Ports: 25 and 587.\n");
        tree.write(
            "skills/tidy/SKILL.md",
            "---\nname: tidy\ndescription: For users\n\
            disable-model-invocation: true\n---\nTidy up.\n",
        );
        Self { tree }
    }

    fn build(&self, more: &[&str]) -> Ran {
        let out = self.tree.join("team");
        let program = Program::new().root("user", &self.tree.join("skills"));
        let args = ["catalog", "build", "--format", "json", "--out", out.to_str().expect("text")];
        program.run(&[&args, more].concat())
    }

    /// Returns the output of a command over the directories, or over the published catalog, without
    /// the lines that name the source.
    fn output(&self, root: &str, args: &[&str]) -> Vec<String> {
        let ran =
            Program::new().root("user", &self.tree.join(root)).run(&[args, &["--quiet"]].concat());
        assert_eq!(ran.stderr, "", "{root} {args:?}");
        let directory = self.tree.join("skills").display().to_string();
        let text = ran.stdout.replace(&directory, "ROOT").replace("catalog://team", "ROOT");
        text.lines().filter(|line| !line.contains("source")).map(str::to_owned).collect()
    }
}

#[test]
fn commands_answer_as_over_directories() {
    let place = Place::new();
    let built = place.build(&[]);
    assert_eq!(built.code, Some(0), "{built:?}");
    assert_eq!(built.json()["skills"], 41);
    assert_eq!(built.json()["packages"], 42, "the one for users is published, too");
    let commands: [&[&str]; 14] = [
        &["search", "extract pdf invoice"],
        &["search", "kubernets"],
        &["search", "--format", "json", "mail"],
        &["search", "--match", "substring", "mai"],
        &["show", "mail"],
        &["explain", "mail"],
        &["explain", "tidy"],
        &["list", "--format", "json"],
        &["prompt"],
        &["call", "skills_list"],
        &["call", "skills_list", r#"{"limit":3}"#],
        &["call", "skills_search", r#"{"query":"plan a budget"}"#],
        &["call", "skills_load", r#"{"names":["mail"]}"#],
        &["call", "skills_read", r#"{"name":"mail","path":"references/smtp.md"}"#],
    ];
    for command in commands {
        let scanned = place.output("skills", command);
        assert!(!scanned.is_empty(), "{command:?}");
        assert_eq!(place.output("team/catalog.json", command), scanned, "{command:?}");
    }
}

#[test]
fn unchanged_skills_are_published_once() {
    let place = Place::new();
    let [first, second] = [place.build(&[]), place.build(&[])].map(|built| built.json());
    assert_eq!((&first["changed"], &second["changed"]), (&true.into(), &false.into()));
    assert_eq!((&first["generation"], &first["digest"]), (&1.into(), &second["digest"]));
    place.tree.write("skills/mail/SKILL.md", plain_skill("mail").replace("mail", "post"));
    assert_eq!(place.build(&[]).json()["generation"], 2);
}

#[test]
fn catalog_that_is_missing_is_an_error_with_its_path() {
    let place = Place::new();
    let ran = Program::new().root("user", &place.tree.join("team/catalog.json")).run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("error[source-failed]"), "{ran:?}");
    assert!(ran.stdout.contains("there is no `"), "{ran:?}");
}
