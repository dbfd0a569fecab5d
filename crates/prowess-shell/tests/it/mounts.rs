//! Mounted skills.

use std::sync::Arc;

use prowess_core::{
    CatalogBuilder, CatalogSource, ClosedFile, Layer, MemorySource, OpenedFile, RecordIndex,
    SkillSource, Trust,
};
use prowess_shell::{InMemoryShell, Materialize, MountDirectory, ShellLimits, ShellPolicy};

use crate::fixture::{Setup, catalog, empty};

const FILES: [(&str, &str); 3] = [
    ("test-skill/scripts/run.sh", "echo ran $1"),
    ("test-skill/docs/deep/er/guide.md", "A guide."),
    ("other/notes.txt", "Notes."),
];

/// Runs `command` with the files above and compares its output.
fn check(command: &str, output: &str) {
    let setup = Setup::new(&FILES, ShellPolicy::default());
    let outcome = setup.run(command);
    assert_eq!(outcome.stdout.trim_end(), output, "`{command}`: {outcome:?}");
}

#[test]
fn skills_are_below_the_mount_directory() {
    check("ls /.sandbox/skills", "other\ntest-skill");
    check("ls /.sandbox/skills/test-skill", "SKILL.md\ndocs\nscripts");
    check("cat /.sandbox/skills/test-skill/docs/deep/er/guide.md", "A guide.");
    check("head -2 /.sandbox/skills/test-skill/SKILL.md", "---\nname: test-skill");
    check("sh /.sandbox/skills/test-skill/scripts/run.sh now", "ran now");
    check("/.sandbox/skills/test-skill/scripts/run.sh now", "ran now");
    check("cd /.sandbox/skills/test-skill; ./scripts/run.sh now", "ran now");
    check("find /.sandbox -type f | wc -l", "5");
    check("grep -rl guide /.sandbox/skills", "/.sandbox/skills/test-skill/docs/deep/er/guide.md");
    check("ls -A /", ".sandbox\nbin\ndev\netc\nhome\nproc\nroot\ntmp\nusr");
}

#[test]
fn closed_script_runs_and_is_not_read() {
    let script = "\u{feff}# secret\r\nmade() { echo \"in $0 $x\"; }\r\necho ran $1\r\nread -r line\r\n\
        echo \"$line\"\r\nfalse\r\necho after\r\n";
    let files = [("test-skill/scripts/run.sh", script), ("test-skill/notes.txt", "secret")];
    let rule = |&OpenedFile { skill, path, bytes, .. }: &OpenedFile<'_>| {
        assert!(bytes > 0, "the file was copied");
        let reason = format!("{path} of {skill} is run");
        Some(ClosedFile { reason, may_run: path.as_str().ends_with(".sh") })
    };
    for is_here in [false, true] {
        for line in include_str!("../data/closed-scripts.txt").lines() {
            let (kind, command) =
                line.split_once(": ").expect("`read`, `run` or both, and a command");
            let mut setup = Setup::new(&files, ShellPolicy::default());
            if is_here {
                setup.shell = InMemoryShell::new(ShellPolicy::default());
            }
            setup.rule = Some(Arc::new(rule));
            let out = setup.run(&format!("cd /.sandbox/skills/test-skill && {command}"));
            assert!(!out.stdout.contains("secret"), "`{command}`: {out:?}");
            let is_run = out.stdout.contains("ran now");
            assert_eq!(is_run, kind.ends_with("run"), "`{command}`: {out:?}");
            assert!(kind == "run" || !out.stdout.contains("eval"), "`{command}`: {out:?}");
            let is_refused = out.stderr.contains("run.sh");
            assert!(is_refused || !kind.starts_with("read"), "`{command}`: {out:?}");
            if command.ends_with("given") {
                assert_eq!(out.stdout, "ran now\ngiven\n", "it ends where it fails: {out:?}");
            }
            let notes = setup.run("cat /.sandbox/skills/test-skill/notes.txt");
            assert_eq!((notes.stdout.as_str(), notes.exit_code), ("", 1), "a file is refused");
            assert!(notes.stderr.contains("notes.txt of test-skill is"), "{notes:?}");
            setup.rule = None;
            let open = setup.run("cat /.sandbox/skills/test-skill/notes.txt");
            assert_eq!(open.stdout, "secret", "the rule is that of one command");
        }
    }
}

#[test]
fn mount_directory_is_configurable() {
    let policy =
        ShellPolicy { mount: MountDirectory::new("/skills/").unwrap(), ..Default::default() };
    let setup = Setup::new(&FILES, policy);
    assert_eq!(setup.mount_path("other").unwrap(), "/skills/other");
    assert_eq!(setup.run("cat /skills/other/notes.txt").stdout, "Notes.");
    for bad in ["", "/", "skills", "/a/../b", "/a//b", "/a/./b"] {
        assert!(MountDirectory::new(bad).is_err(), "`{bad}` is no mount directory");
    }
}

#[test]
fn without_skills_there_is_no_mount_directory() {
    let setup = empty();
    assert_ne!(setup.run("ls /.sandbox").exit_code, 0, "nothing is mounted");
    assert!(setup.shell.mounted_skills(&setup.catalog).is_empty());
}

#[test]
fn skills_are_described_in_mount_order() {
    let setup = Setup::new(&[("b/x", ""), ("a/x", ""), ("c/x", "")], ShellPolicy::default());
    let mounted = setup.shell.mounted_skills(&setup.catalog);
    let ids: Vec<&str> = mounted.iter().map(|skill| skill.id.as_str()).collect();
    assert_eq!(ids, ["b", "a", "c"], "the order is that of the sources and packages");
    let first = &mounted[0];
    let found = (first.name.as_str(), first.description.as_str(), first.mount_path.as_str());
    assert_eq!(found, ("b", "A skill.", "/.sandbox/skills/b"));
}

#[test]
fn skills_of_several_sources_are_in_one_sandbox() {
    let source = |name: &str| -> Arc<dyn SkillSource> {
        let text = format!("---\nname: {name}\ndescription: x\n---\n");
        let file = format!("{name}/SKILL.md");
        Arc::new(MemorySource::builder(name).file(&file, text).build().unwrap())
    };
    let sources = ["first", "second"].map(|name| {
        let one = catalog(&[(&format!("{name}/SKILL.md"), "")]);
        CatalogSource { layer: 0, source: source(name), ..one.sources()[0].clone() }
    });
    let mut builder = CatalogBuilder::new(vec![Layer::new("user", Trust::Trusted)], sources.into());
    for number in [0, 1] {
        builder.show(RecordIndex::new(number, 0)).unwrap();
    }
    let shell = empty().shell;
    let setup = Setup { shell, catalog: Arc::new(builder.finish(1)), rule: None };
    assert_eq!(
        setup.run("cat /.sandbox/skills/*/SKILL.md | grep name").stdout,
        "name: first\nname: second\n"
    );
}

#[test]
fn changes_never_reach_the_source() {
    for materialize in [Materialize::OnRead, Materialize::AtMount] {
        let setup = Setup::new(&FILES, ShellPolicy { materialize, ..Default::default() });
        let changed = setup.run(
            "cd /.sandbox/skills/other; echo changed > notes.txt; echo new > new.txt; rm SKILL.md; ls; cat notes.txt",
        );
        assert_eq!(changed.stdout, "new.txt\nnotes.txt\nchanged\n", "{changed:?}");
        let again = setup.run("cd /.sandbox/skills/other; ls; cat notes.txt");
        assert_eq!(again.stdout, "new.txt\nnotes.txt\nchanged\n", "the session keeps its changes");
        let other =
            setup.in_session("another", "cd /.sandbox/skills/other; ls; cat notes.txt").unwrap();
        assert_eq!(
            other.stdout, "SKILL.md\nnotes.txt\nNotes.",
            "another session has the skill's files"
        );
    }
}

#[test]
fn file_of_the_session_replaces_a_mounted_one() {
    let setup = Setup::new(&FILES, ShellPolicy::default());
    let text = "mkdir -p /.sandbox/skills/other; echo mine > /.sandbox/skills/other/notes.txt; cat /.sandbox/skills/other/notes.txt";
    assert_eq!(setup.run(text).stdout, "mine\n", "what a command writes is what it reads");
}

#[test]
fn backslash_separates_directories() {
    let setup = Setup::new(&[("a/scripts\\run.sh", "echo ran")], ShellPolicy::default());
    let outcome = setup.run("sh /.sandbox/skills/a/scripts/run.sh");
    assert_eq!(outcome.stdout, "ran\n", "{outcome:?}");
}

#[test]
fn bad_packages_are_not_mounted() {
    let long = format!("a/{}", "x".repeat(300));
    let deep = format!("a/{}x", "d/".repeat(70));
    let many: Vec<String> = (0..40).map(|number| format!("a/{number}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[(&long, "")], "cannot be a path"),
        (&[(&deep, "")], "is too deep"),
        (&[("a/line\nbreak", "")], "cannot be a path"),
        (&many, "too many files"),
    ];
    for (files, reason) in cases {
        let limits = ShellLimits { files: 32, ..ShellLimits::default() };
        let setup = Setup::new(files, ShellPolicy { limits, ..Default::default() });
        let error = setup.mount_path("a").unwrap_err();
        assert_eq!(error.code.as_str(), "skill-not-mounted");
        assert!(error.message.contains(reason), "{reason}: {error}");
        let outcome = setup.run("cat /.sandbox/skills/a/SKILL.md; find /.sandbox/skills/a -type f");
        assert_eq!(outcome.stdout, "", "no file of it is there: {outcome:?}");
    }
}

#[test]
fn bad_ids_are_not_mounted() {
    for id in ["../evil", "..", ".", "a\nb"] {
        let catalog = prowess_testkit::memory_catalog([(id, "x", &[] as &[&str])]);
        let setup = Setup { shell: empty().shell, catalog, rule: None };
        let error = setup.mount_path(id).unwrap_err();
        assert!(error.message.contains("id cannot be the name of a directory"), "{error}");
        assert_ne!(setup.run("ls /.sandbox").exit_code, 0, "{id:?} is mounted");
    }
}

#[test]
fn skill_without_its_file_is_not_mounted() {
    let catalog = prowess_testkit::memory_catalog([("gone", "x", &[] as &[&str])]);
    let setup = Setup { shell: empty().shell, catalog, rule: None };
    let error = setup.mount_path("gone").unwrap_err();
    assert!(error.message.contains("gone"), "{error}");
    assert_eq!(error.code.as_str(), "skill-not-mounted");
}

#[test]
fn untrusted_skills_are_mounted_unless_the_policy_demands_trust() {
    let source = catalog(&[("a/x", "")]);
    let layer = Layer::new("project", Trust::Untrusted);
    let mut builder = CatalogBuilder::new(vec![layer], source.sources().to_vec());
    builder.show(RecordIndex::new(0, 0)).unwrap();
    let setup = Setup { shell: empty().shell, catalog: Arc::new(builder.finish(1)), rule: None };
    assert!(setup.mount_path("a").is_ok());
    let policy = ShellPolicy { trust: Trust::Trusted, ..Default::default() };
    let strict = Setup { shell: Setup::new(&[], policy).shell, catalog: setup.catalog, rule: None };
    let error = strict.mount_path("a").unwrap_err();
    assert!(error.message.contains("not trusted enough"), "{error}");
}

#[test]
fn next_catalog_replaces_the_mounts() {
    let mut setup = Setup::new(&FILES, ShellPolicy::default());
    setup.run("echo kept > /tmp/kept; cat /.sandbox/skills/other/notes.txt");
    setup.catalog = catalog(&[("other/notes.txt", "Newer.")]);
    let outcome = setup.run("ls /.sandbox/skills; cat /.sandbox/skills/other/notes.txt /tmp/kept");
    assert_eq!(outcome.stdout, "other\nNewer.kept\n", "{outcome:?}");
}

#[test]
fn file_over_a_limit_is_not_read() {
    let limits = ShellLimits { file_bytes: 1000, ..ShellLimits::default() };
    let large = "x".repeat(1001);
    let setup = Setup::new(
        &[("a/large", &large), ("a/small", "small")],
        ShellPolicy { limits, ..Default::default() },
    );
    let outcome = setup.run("cat /.sandbox/skills/a/large; cat /.sandbox/skills/a/small");
    assert_eq!(outcome.stdout, "small", "{outcome:?}");
    assert!(outcome.stderr.contains("large"), "the error names the file: {outcome:?}");
}

#[test]
fn copies_of_a_policy_are_equal() {
    let policy = ShellPolicy { mount: MountDirectory::new("/x").unwrap(), ..Default::default() };
    assert_eq!(policy.clone().mount.as_str(), "/x");
    assert_eq!(policy.clone(), policy, "a copy carries the mount directory");
    let text = serde_json::to_string(&policy).unwrap();
    assert_eq!(serde_json::from_str::<ShellPolicy>(&text).unwrap(), policy);
    assert!(serde_json::from_str::<ShellPolicy>("{\"mount\": \"..\"}").is_err());
}
