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
    for line in include_str!("../data/catalog-commands.txt").lines() {
        let command = &line.split(" ¦ ").collect::<Vec<_>>()[..];
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
    let generation = |built: &serde_json::Value| built["generation"].as_u64();
    assert_eq!((generation(&first), &first["digest"]), (generation(&second), &second["digest"]));
    place.tree.write("skills/mail/SKILL.md", plain_skill("mail").replace("mail", "post"));
    assert!(generation(&place.build(&[]).json()) > generation(&first));
}

#[test]
fn catalog_that_is_missing_is_an_error_with_its_path() {
    let place = Place::new();
    let ran = Program::new().root("user", &place.tree.join("team/catalog.json")).run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("error[source-failed]"), "{ran:?}");
    assert!(ran.stdout.contains("there is no `"), "{ran:?}");
}

#[test]
fn build_says_which_parts_it_leaves_out() {
    let place = Place::new();
    place.tree.write("skills/mail/.env", "PASSWORD=secret\n");
    place.tree.write("skills/broken/SKILL.md", "---\nname: broken\n---\n");
    let hide = ["--set", "visibility.skills=[{match: tidy, show: disabled}]"];
    let built = place.build(&hide);
    assert_eq!(built.code, Some(3), "{built:?}");
    let built = built.json();
    let left_out = built["left_out"].as_array().expect("a list").iter();
    let left_out: Vec<_> = left_out.map(|it| it["path"].as_str().expect("text")).collect();
    assert!(left_out.contains(&"mail/.env"), "{built}");
    assert!(left_out.iter().any(|it| it.ends_with("broken/SKILL.md")), "{built}");
    assert!(left_out.contains(&"tidy"), "{built}");
    let out = place.tree.join("out").display().to_string();
    let program = Program::new().root("user", &place.tree.join("skills"));
    let built = program.run(&["catalog", "build", "--out", &out]);
    assert!(built.stdout.starts_with("Published 41 skills and 1 not offered here as"), "{built:?}");
    assert!(built.stderr.contains("left out: mail/.env: may hold credentials\n"), "{built:?}");
    let empty = Place { tree: Tree::new("//- /skills/.keep\n") };
    let refused = empty.build(&[]);
    assert_eq!((refused.code, &refused.error()["code"]), (Some(1), &"catalog-empty".into()));
    assert_eq!(empty.build(&["--allow-empty"]).json()["skills"], 0);
}

#[test]
fn url_of_something_else_is_no_directory() {
    let root = "https://skills.example.com/team/";
    let ran = Program::new().run(&["list", "--root", root, "--format", "json"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let help = ran.error()["help"].as_str().expect("it has a next step").to_owned();
    assert_eq!(help, "name `https://skills.example.com/team/catalog.json`");
    let ran = Program::new().run(&["doctor", "--root", root]);
    assert!(ran.stdout.contains("the only root at a URL is a catalog"), "{ran:?}");
}

#[cfg(all(feature = "remotes", feature = "sign"))]
#[test]
fn catalog_of_a_server_is_as_trusted_as_its_signer() {
    use crate::install::Machine;

    let machine = Machine::new();
    let [secret, public] = crate::signers::key(&machine, "team");
    let [skills, evil, out] = ["skills", "evil", "site/team"].map(|path| machine.path(path));
    machine.tree.write("evil/pdf/SKILL.md", plain_skill("pdf") + "Evil\n");
    let build = |root: &str, more: &[&str]| {
        let args = ["catalog", "build", "--root", root, "--out", &out];
        let built = machine.run(&[&args, more].concat());
        assert_eq!(built.code, Some(0), "{built:?}");
    };
    let root = format!("{}/team/catalog.json", machine.address());
    let run = |args: &[&str]| machine.run(&[args, &["--root", &root]].concat());
    let check = |layer: &str, codes: &[&str]| {
        let listed = run(&["list", "--format", "json"]).json();
        let pdf = &listed["skills"].as_array().expect("a list")[1];
        assert_eq!(format!("{} {} {}", pdf["id"], pdf["layer"], pdf["trust"]), layer);
        let found = listed["diagnostics"].as_array().expect("a list");
        assert_eq!(found.iter().map(|it| &it["code"]).collect::<Vec<_>>(), codes);
    };
    let trusted = r#""pdf" "user" "trusted""#;
    let untrusted = r#""pdf" "untrusted-catalog" "untrusted""#;
    build(&skills, &["--sign", &secret]);
    // Its host is in a private network, and the root names it.
    check(untrusted, &["catalog-untrusted"]);
    assert!(run(&["doctor"]).stdout.contains("untrusted-catalog layer · untrusted"));
    assert!(run(&["explain", "pdf"]).stdout.contains("untrusted-catalog"));
    assert_eq!(machine.run(&["trust", "--signer", &public]).code, Some(0));
    check(trusted, &[]);
    machine.tree.write("evil/notes/SKILL.md", plain_skill("notes"));
    build(&evil, &[]);
    check(trusted, &["catalog-unsigned"]);
    assert!(!run(&["show", "pdf"]).stdout.contains("Evil"), "the last good one stays");
    assert_eq!(run(&["search", "pdf"]).stderr, "1 error: see `prowess doctor`\n");
    let doctor = run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(doctor.stdout.starts_with("error[catalog-unsigned]: "), "{doctor:?}");
    assert!(doctor.stdout.contains(&format!("--> {root}\n")), "{doctor:?}");
    assert_eq!(machine.run(&["trust", "--revoke", &public]).code, Some(0));
    check(untrusted, &["catalog-untrusted"]);
    assert_eq!(machine.run(&["trust", "--source", &root]).code, Some(0));
    check(trusted, &[]);
    assert!(run(&["show", "pdf"]).stdout.contains("Evil"), "the user trusts the server alone");
}

#[cfg(feature = "remotes")]
#[test]
fn silent_server_delays_no_command() {
    use crate::install::Machine;

    let machine = Machine::new();
    let out = machine.path("site/team");
    let root = format!("{}/team/catalog.json", machine.address());
    let build = || {
        let args = ["catalog", "build", "--root", &machine.path("skills"), "--out", &out];
        let built = machine.run(&args);
        assert_eq!(built.code, Some(0), "{built:?}");
    };
    let check = |skills: usize, code: Option<&str>| {
        let listed = machine.run(&["list", "--root", &root, "--format", "json"]).json();
        let found = listed["diagnostics"].as_array().expect("a list");
        let codes: Vec<_> = found.iter().filter_map(|it| it["code"].as_str()).collect();
        let codes: Vec<_> = codes.into_iter().filter(|it| *it != "catalog-untrusted").collect();
        assert_eq!(codes, code.as_slice(), "{listed}");
        assert_eq!(listed["skills"].as_array().map(Vec::len), Some(skills), "{listed}");
    };
    let is_silent = || machine.tree.write("site/team/catalog.json.silent", "");
    let answers = || {
        let silent = machine.path("site/team/catalog.json.silent");
        std::fs::remove_file(silent).expect("it is there");
    };
    build();
    is_silent();
    check(0, Some("source-failed"));
    answers();
    check(2, None);
    // The kept one is used, also if a part of a new one comes.
    is_silent();
    check(2, Some("catalog-stale"));
    let found = machine.run(&["search", "pdf", "--root", &root]);
    assert_eq!((found.code, &*found.stderr), (Some(0), "1 warning: see `prowess doctor`\n"));
    answers();
    machine.tree.write("skills/more/SKILL.md", plain_skill("more"));
    build();
    for file in std::fs::read_dir(&out).expect("it was built").flatten() {
        let name = file.file_name().into_string().expect("text");
        if name.ends_with(".prowess") {
            machine.tree.write(&format!("site/team/{name}.silent"), "");
        }
    }
    check(2, Some("catalog-stale"));
}
