//! Repositories of many shapes, as git, as a folder, as an archive and as a bare repository: what
//! is installed, what is said and the exit code.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::expect_file;
use prowess_testkit::Tree;

use crate::program::{Program, Ran};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/night/shapes.sh");

/// How many bytes a skill may cost beyond its own, of a repository of 80 MB.
const MOST_BYTES: u64 = 64 << 10;

fn tool(program: &str, arguments: &[&str], directory: &Path) -> String {
    let ran = Command::new(program).args(arguments).current_dir(directory).output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// Runs the program with an empty home, or with this one.
fn run(tree: &Tree, home: Option<&str>, arguments: &[&str]) -> Ran {
    let arguments = [arguments, &["--format", "json"]].concat();
    let program = Program::new().variable("PATH", &std::env::var("PATH").unwrap());
    let program = match home {
        Some(home) => program.at_home_in(&tree.join(home)),
        None => program,
    };
    program.working_in(&tree.join("")).run(&arguments)
}

/// Returns the exit code, what is installed, and what is said about the rest.
fn outcome(ran: &Ran, root: &str) -> String {
    let mut text = format!("{} ", ran.code.unwrap());
    let line = |name: &str, said: &str| format!("\n      {name}: {said}");
    let mut said = String::new();
    if ran.stdout.is_empty() {
        let error = ran.error();
        said = line(error["code"].as_str().unwrap(), error["message"].as_str().unwrap());
    } else {
        for skill in ran.json()["skills"].as_array().unwrap() {
            let word = |key: &str| skill[key].as_str().unwrap_or_default().to_owned();
            let (id, detail) = (word("id"), word("detail"));
            match &*word("state") {
                "left out" => said += &line(&id, &detail),
                _ => {
                    let _ = write!(text, " [{id}]");
                    let parts = detail.split("; ").filter(|part| *part != "unsigned");
                    said.extend(parts.map(|part| line(&id, part)));
                }
            }
        }
    }
    (text + &said).replace(root, "ROOT")
}

/// Adds what `update` says of a skill that its source has removed, and of a source that is gone.
fn later(tree: &Tree, root: &str, table: &mut String) {
    fs::create_dir(tree.join("home")).unwrap();
    let run = |arguments: &[&str]| run(tree, Some("home"), arguments);
    for (directory, shape) in [("live", "links_at_the_root"), ("gone", "blanks_and_slashes")] {
        fs::create_dir(tree.join(directory)).unwrap();
        tool("bash", &[SCRIPT, shape], &tree.join(directory));
        let added = run(&["add", &format!("git+file://{root}/{directory}")]);
        assert_eq!(added.code, Some(0), "{}", added.stderr);
    }
    fs::remove_dir_all(tree.join("gone")).unwrap();
    let change = "echo more >>skills/a/SKILL.md; git rm -qr skills/b; \
                  git -c user.name=A -c user.email=a@b commit -qam two";
    tool("sh", &["-c", change], &tree.join("live"));
    let updated = run(&["update"]);
    let answer = updated.json();
    let ids = answer["updates"].as_array().unwrap().iter().map(|update| &update["id"]);
    let ids: Vec<_> = ids.collect();
    let _ = writeln!(table, "update of a removed skill and a source that is gone");
    let _ = writeln!(table, "  {} updated {ids:?}", updated.code.unwrap());
    for (id, said) in answer["failed"].as_object().unwrap() {
        let _ = writeln!(
            table,
            "      {id}: {}",
            said["message"].as_str().unwrap().replace(root, "ROOT")
        );
    }
    let dead = run(&["add", "git+http://127.0.0.1:1/team/skills.git", "--host", "127.0.0.1:1"]);
    let dead = outcome(&dead, root);
    let said = dead.split(" after ").next().unwrap();
    let _ = writeln!(table, "a host that is dead\n  {said}");
}

#[test]
fn table_of_shapes() {
    let tree = Tree::new("//- /.keep\n");
    let root = tree.join("").to_string_lossy().trim_end_matches('/').to_owned();
    let mut table = String::new();
    for shape in tool("bash", &[SCRIPT], Path::new("/")).lines() {
        let directory = tree.join(shape);
        fs::create_dir(&directory).unwrap();
        tool("bash", &[SCRIPT, shape], &directory);
        tool("git", &["clone", "--quiet", "--bare", shape, "bare"], &tree.join(""));
        let archive = format!("{shape}.tar.gz");
        let arguments = ["--exclude=./.git", "-czf", &archive, "-C", shape, "."];
        tool("tar", &arguments, &tree.join(""));
        let _ = writeln!(table, "{shape}");
        let sources = [
            ("git", format!("git+file://{root}/{shape}")),
            ("bare", "./bare".to_owned()),
            ("folder", format!("./{shape}")),
            ("tar.gz", format!("./{archive}")),
        ];
        let mut before = String::new();
        for (kind, source) in sources {
            let said = outcome(&run(&tree, None, &["add", &source]), &root);
            let said = said.replace("ROOT/bare", "SOURCE").replace(&archive, "SOURCE");
            let said = said.replace(&format!("ROOT/{shape}"), "SOURCE");
            let said = said.replace("git+file://SOURCE", "SOURCE").replace("ROOT/SOURCE", "SOURCE");
            let shown = if said == before { "as above" } else { &said };
            let _ = writeln!(table, "  {kind:6}  {shown}");
            before = said;
        }
        fs::remove_dir_all(tree.join("bare")).unwrap();
        if shape != "large_beside" {
            fs::remove_dir_all(directory).unwrap();
        }
        fs::remove_file(tree.join(&archive)).unwrap();
    }
    later(&tree, &root, &mut table);
    println!("{table}");
    expect_file!["shapes.txt"].assert_eq(&table);

    // One skill of a large repository: only its files, and the names of the others, are sent.
    let (count, hook) = (tree.join("count"), tree.join("hook"));
    tree.write("hook", format!("#!/bin/sh\n\"$@\" | tee -a {}\n", count.display()));
    tool("chmod", &["+x", "hook"], &tree.join(""));
    let hook = format!("[uploadpack]\npackObjectsHook = {}\n", hook.display());
    tree.write("counted/.gitconfig", hook);
    let source = format!("git+file://{root}/large_beside");
    let added = run(&tree, Some("counted"), &["add", &source, "a"]);
    assert_eq!(outcome(&added, &root), "0  [a]");
    let moved = fs::metadata(&count).unwrap().len();
    println!("one skill of 80 MB: {moved} bytes are sent");
    assert!(0 < moved && moved < MOST_BYTES, "{moved}");
}
