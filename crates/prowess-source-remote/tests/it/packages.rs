//! Packages of repositories and folders are fetched one by one.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use prowess_archive::{Archive, File, Limits, read};
use prowess_core::{
    Cancel, Remote, RemoteError, RemoteErrorKind, RemotePackage, RemoteRequest, Want,
};
use prowess_source_remote::{AnyRemote, GitOptions, HttpOptions};
use prowess_testkit::rows;

use crate::git::options;
use crate::git_server::{GitServer, Repository};

const LIMIT: usize = 1024 * 1024;

/// The wanted packages of a source, of which git may hold this number of bytes on the disk.
fn packages(
    source: &str,
    hosts: &[&str],
    bytes: u64,
    want: &dyn Fn(&str) -> Want,
) -> Vec<RemotePackage> {
    let home = tempfile::tempdir().unwrap();
    packages_by(GitOptions { bytes, ..options(home.path()) }, (source, &[]), hosts, want)
}

fn packages_by(
    git: GitOptions,
    (source, first): (&str, &[&str]),
    hosts: &[&str],
    want: &dyn Fn(&str) -> Want,
) -> Vec<RemotePackage> {
    let named_hosts = hosts.iter().map(|&host| host.to_owned()).collect();
    let http = HttpOptions { named_hosts, ..HttpOptions::default() };
    packages_of(&AnyRemote::new(http).with_git(git), (source, first), want)
}

fn packages_of(
    remote: &AnyRemote,
    (source, first): (&str, &[&str]),
    want: &dyn Fn(&str) -> Want,
) -> Vec<RemotePackage> {
    let artifacts = remote.resolve(&RemoteRequest::latest(source), &Cancel::default());
    let mut artifact = artifacts.unwrap().remove(0);
    artifact.first = first.iter().map(|&it| it.to_owned()).collect();
    let mut wanted = |directory: &str, text: &[u8]| {
        assert!(text.starts_with(b"---"), "the text of {directory}");
        want(directory)
    };
    let fetched = remote.fetch_packages(&artifact, &mut wanted, LIMIT, &Cancel::default());
    fetched.unwrap().expect("they are fetched one by one")
}

/// Each package as its directory, and its files with their texts or its error.
fn shown(packages: Vec<RemotePackage>) -> Vec<String> {
    let package = |RemotePackage { directory, bytes, left_out }: RemotePackage| {
        let text = match bytes {
            Err(error) => error.message,
            Ok(bytes) => {
                let archive = read(&bytes, &Limits::default()).unwrap();
                let file = |file: &File| {
                    let mark = if file.is_executable { "*" } else { "" };
                    let start = &file.content[..file.content.len().min(9)];
                    format!("{}{mark}={}", file.path, String::from_utf8_lossy(start).trim())
                };
                archive.files().iter().map(file).collect::<Vec<_>>().join(" ")
            }
        };
        let left_out = left_out.iter().map(|text| format!(" [{text}]")).collect::<String>();
        format!("{directory}: {text}{left_out}")
    };
    packages.into_iter().map(package).collect()
}

/// Writes skills with everything that a package must not cost another one.
fn write_shapes(tree: &Path) {
    let skill = |name: &str| {
        fs::create_dir_all(tree.join(name)).unwrap();
        fs::write(
            tree.join(name).join("SKILL.md"),
            format!("---\nname: {name}\ndescription: D.\n---\n"),
        )
        .unwrap();
    };
    ["good", "linked", "leaking", "large", "names", "both/a", "top", "top/in", "index/in", "odd"]
        .into_iter()
        .for_each(skill);
    fs::write(tree.join("index/SKILL.md"), "---\nname: not closed").unwrap();
    fs::write(tree.join("AGENTS.md"), "agents").unwrap();
    symlink("AGENTS.md", tree.join("CLAUDE.md")).unwrap();
    symlink("../AGENTS.md", tree.join("linked/guide.md")).unwrap();
    symlink("../good", tree.join("linked/other")).unwrap();
    symlink("/etc/passwd", tree.join("leaking/users")).unwrap();
    symlink("../../../../../../../../etc", tree.join("leaking/etc")).unwrap();
    fs::create_dir(tree.join("out")).unwrap();
    symlink("/etc/passwd", tree.join("out/SKILL.md")).unwrap();
    fs::write(tree.join("large/model"), noise(LIMIT + 1)).unwrap();
    fs::write(tree.join("names/a?b"), "text").unwrap();
    fs::write(tree.join("docs?"), "text").unwrap();
    fs::write(tree.join("odd").join(OsStr::from_bytes(b"\xff")), "text").unwrap();
    let bad = tree.join(OsStr::from_bytes(b"bad\xff"));
    for (directory, name) in [(bad, "SKILL.md"), (tree.join("near"), "Skill.md")] {
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join(name), "---\nname: n\ndescription: D.\n---\n").unwrap();
    }
}

/// Bytes that cannot be compressed.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut byte = || {
        state = state.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
        (state >> 24) as u8
    };
    (0..length).map(|_| byte()).collect()
}

/// What is found in the shapes, each as a start.
fn expected() -> Vec<String> {
    rows(include_str!("../data/shapes.txt"), "").map(|[row]| row).collect()
}

fn check_shapes(source: &str, hosts: &[&str]) {
    let shown = shown(packages(source, hosts, 64 << 20, &|_| Want::Files));
    assert_eq!(shown.len(), expected().len(), "{source}: {shown:#?}");
    for (shown, expected) in shown.iter().zip(expected()) {
        assert!(shown.starts_with(&expected), "{source}: {shown}");
    }
}

#[test]
fn package_costs_itself_alone() {
    let repository = Repository::new();
    write_shapes(&repository.tree());
    let folder = tempfile::tempdir().unwrap();
    write_shapes(folder.path());
    check_shapes(&folder.path().to_string_lossy(), &[]);
    repository.commit("more", "text");
    check_shapes(&repository.source(), &[]);
    let server = GitServer::new(repository.place.path(), None);
    let source = server.url("/team/skills.git");
    check_shapes(&source, &[&server.host]);
    repository.in_tree(&["config", "uploadpack.allowFilter", "true"]);
    check_shapes(&source, &[&server.host]);
    for (directory, at) in [("both", 1), ("linked/other", 2)] {
        let found = packages(&format!("{source}//{directory}"), &[&server.host], 64 << 20, &|_| {
            Want::Files
        });
        assert_eq!(shown(found), [&*expected()[at]], "{directory}");
    }
}

/// The places of its lock are committed.
#[test]
fn repository_gets_no_secrets_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    for row in rows(include_str!("../data/tables.txt"), "repository_gets_no_secrets_of_a_folder") {
        let [path, text] = row.each_ref().map(String::as_str);
        // The name of a skill says nothing about its files.
        let path = folder.path().join("secrets").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let packed = Archive::new(vec![File::new("a/.env", b"A=1".to_vec())]).unwrap();
    fs::write(folder.path().join("secrets/kit.tgz"), packed.to_tar_gz()).unwrap();
    let source = folder.path().to_string_lossy();
    let all = AnyRemote::new(HttpOptions::default());
    let of_user = shown(packages_of(&all, (&source, &[]), &|_| Want::Files));
    assert!(of_user[0].contains(".env=A=1"), "a user installs all files: {of_user:?}");
    let found = packages_of(&all.for_repository(), (&source, &[]), &|_| Want::Files);
    let named = "[`.env` may hold credentials] [`.ssh/id_rsa` may hold credentials] \
                 [`conf.txt` has a credential] [`creds/x.json` may hold credentials] \
                 [`kit.tgz` has a file in it that may hold credentials]";
    assert_eq!(shown(found), [format!("secrets: SKILL.md=--- n.md=n x.json=1 {named}")]);
}

/// Old programs fetch what a server has left out when they are asked whether it is there. Where the
/// machine has several programs, each of them is used.
#[test]
fn each_program_of_the_machine_fetches_what_is_wanted() {
    let repository = Repository::with("no package");
    repository.in_tree(&["rm", "--quiet", "SKILL.md"]);
    for file in ["a/SKILL.md", "b/SKILL.md"] {
        repository.commit(file, "---\n");
    }
    let home = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let programs = std::env::split_paths(&path).map(|directory| directory.join("git"));
    for program in programs.filter(|program| program.is_file()) {
        let git = GitOptions { program: program.clone(), ..options(home.path()) };
        let only_a = |name: &str| if name == "a" { Want::Files } else { Want::Nothing };
        let fetched = packages_by(git, (&repository.source(), &[]), &[], &only_a);
        assert_eq!(shown(fetched), ["a: SKILL.md=---"], "{}", program.display());
    }
}

#[test]
fn list_names_what_is_too_large() {
    let repository = Repository::new();
    write_shapes(&repository.tree());
    repository.commit("more", "text");
    let folder = tempfile::tempdir().unwrap();
    write_shapes(folder.path());
    let bare = tempfile::tempdir().unwrap();
    let copy = format!("{}/skills.git", bare.path().display());
    repository.in_tree(&["clone", "--quiet", "--bare", ".", &copy]);
    for source in [repository.source(), folder.path().to_string_lossy().into_owned(), copy] {
        let refused = shown(packages(&source, &[], 64 << 20, &|_| Want::Check));
        let names: Vec<_> = refused.iter().filter_map(|it| it.split(':').next()).collect();
        assert_eq!(
            names,
            ["bad\u{fffd}", "large", "names", "near", "odd", "out", "top/in"],
            "{source}: the others can be installed"
        );
        assert!(refused[1].starts_with(&expected()[5]), "{source}: {refused:?}");
    }
}

#[test]
fn rest_of_a_large_repository_stays_there() {
    let repository = Repository::with("no package");
    repository.in_tree(&["rm", "--quiet", "SKILL.md"]);
    for name in ["a", "b", "c"] {
        repository.commit(&format!("{name}/SKILL.md"), "---\n");
    }
    repository.commit("elsewhere", noise(3 << 20));
    repository.commit("b/model", noise(900_000));
    repository.commit("c/model", noise(3 << 20));
    let server = GitServer::new(repository.place.path(), None);
    repository.in_tree(&["config", "uploadpack.allowFilter", "true"]);
    for source in [repository.source(), server.url("/team/skills.git")] {
        let only = |is_wanted| if is_wanted { Want::Files } else { Want::Nothing };
        let fetched = packages(&source, &[&server.host], 200_000, &|name| only(name == "a"));
        assert_eq!(shown(fetched), ["a: SKILL.md=---"], "a and nothing else is fetched");
        let large = packages(&source, &[&server.host], 600_000, &|name| only(name != "c"));
        let large = shown(large);
        assert_eq!(large[0], "a: SKILL.md=---", "{source}: b, which is too large, costs b");
        assert!(large[1].starts_with("b: `b/model` is too large"), "{source}: {large:?}");
    }
}

/// What leads to a skill that is named is fetched, and neither all directories nor each `SKILL.md`.
#[test]
fn named_skill_needs_little_of_many_files() {
    let repository = Repository::new();
    let write = |path: &str, text: &[u8]| {
        let path = repository.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for at in 0..4_000 {
        write(&format!("src/deep/m{}/file{at}", at / 100), format!("{at}").as_bytes());
    }
    let text = noise(1_000);
    for at in 0..400 {
        let text = [format!("---\n{at:<9}").as_bytes(), &text[at..]].concat();
        write(&format!("all/skills/s{at}/SKILL.md"), &text);
    }
    write("all/skills/s7/docs/deep/n.md", b"n");
    symlink("../../../src/deep/m1/file101", repository.tree().join("all/skills/s9/link")).unwrap();
    write("other/s8/SKILL.md", b"---\nno skill of this name");
    repository.commit("more", "text");
    let server = GitServer::new(repository.place.path(), None);
    let s7 = "all/skills/s7: SKILL.md=---7 docs/deep/n.md=n";
    let (s8, s9) = ("all/skills/s8: SKILL.md=---8", "all/skills/s9: SKILL.md=---9 link=101");
    repository.in_tree(&["config", "uploadpack.allowFilter", "true"]);
    for (allows_trees, little) in [("true", 100_000), ("false", 4 << 20)] {
        repository.in_tree(&["config", "uploadpackfilter.tree.allow", allows_trees]);
        for (directory, first, bytes, expected) in [
            ("//all/skills/s7", "", little, s7),
            ("", "s7", little, s7),
            ("", "all/skills/s7", little, s7),
            ("//all/skills", "s7", little, s7),
            // The nearest of this name has another one.
            ("", "s8", 4 << 20, s8),
            // The link leads elsewhere.
            ("", "s9", 4 << 20, s9),
            ("", "Seven", 4 << 20, s7),
        ] {
            let first: Vec<_> = first.split_terminator(' ').collect();
            let source = server.url("/team/skills.git") + directory;
            let home = tempfile::tempdir().unwrap();
            let git = GitOptions { bytes, ..options(home.path()) };
            let own = |it: &str| {
                if expected.starts_with(&format!("{it}:")) { Want::Files } else { Want::Nothing }
            };
            let fetched = shown(packages_by(git, (&source, &first), &[&server.host], &own));
            assert_eq!(fetched.join(" ").replace('\n', ""), expected, "{directory} {first:?}");
        }
    }
}

/// A file and a `SKILL.md` whose objects a repository has lost.
#[test]
fn lost_object_costs_its_own_package() {
    let repository = Repository::new();
    for name in ["a", "b", "c", "d"] {
        let directory = repository.tree().join("skills").join(name);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("SKILL.md"), format!("---\n{name}")).unwrap();
        fs::write(directory.join("n.md"), format!("n{name}")).unwrap();
    }
    repository.commit("more", "text");
    for lost in ["skills/b/n.md", "skills/c/SKILL.md"] {
        let object = repository.in_tree(&["rev-parse", &format!("HEAD:{lost}")]);
        let path = repository.tree().join(".git/objects").join(&object[..2]).join(&object[2..]);
        fs::remove_file(path).unwrap();
    }
    let server = GitServer::new(repository.place.path(), None);
    repository.in_tree(&["config", "uploadpack.allowFilter", "true"]);
    for source in [repository.source(), server.url("/team/skills.git")] {
        let found = shown(packages(&source, &[&server.host], 64 << 20, &|_| Want::Files));
        let [a, b, c, d] = &found[..] else { panic!("{source}: {found:#?}") };
        assert_eq!(
            [a, d],
            ["skills/a: SKILL.md=---\na n.md=na", "skills/d: SKILL.md=---\nd n.md=nd"]
        );
        for (found, reason) in [
            (b, "skills/b: `skills/b/n.md` is lost, or is too large"),
            (c, "skills/c: `skills/c/SKILL.md` is lost, or has more than 2 MiB"),
        ] {
            assert!(found.starts_with(reason), "{source}: {found}");
        }
    }
}

#[test]
fn submodule_costs_its_package() {
    let repository = Repository::with("---\n");
    let commit = repository.in_tree(&["rev-parse", "HEAD"]);
    repository.in_tree(&["mv", "SKILL.md", "moved"]);
    let add = |path: &str| {
        let entry = format!("160000,{commit},{path}");
        repository.in_tree(&["update-index", "--add", "--cacheinfo", &entry]);
        repository.commit_index();
    };
    add("vendor/tools");
    let found = packages(&repository.source(), &[], 64 << 20, &|_| Want::Files);
    let elsewhere = "vendor/tools: `vendor/tools` is a submodule, which is not fetched";
    assert_eq!(shown(found), [elsewhere]);
    for file in ["a/SKILL.md", "b/SKILL.md"] {
        let blob = repository.in_tree(&["rev-parse", "HEAD:moved"]);
        let entry = format!("100755,{blob},{file}");
        repository.in_tree(&["update-index", "--add", "--cacheinfo", &entry]);
    }
    add("b/vendor");
    let found = packages(&repository.source(), &[], 64 << 20, &|_| Want::Files);
    let submodule = "b: `b/vendor` is a submodule, which is not fetched";
    assert_eq!(shown(found), ["a: SKILL.md*=---", submodule, elsewhere]);
    let found = packages(&repository.source(), &[], 64 << 20, &|_| Want::Check);
    assert_eq!(shown(found), [submodule, elsewhere], "a list says it too");
    add("root");
    for (at, path) in ["a", "c"].iter().enumerate() {
        let blob = repository.in_tree(&["rev-parse", "HEAD:moved"]);
        let entry = format!("100644,{blob},skills/{path}/SKILL.md");
        repository.in_tree(&["update-index", "--add", "--cacheinfo", &entry]);
        add(&format!("skills/sub{at}"));
    }
    let found = shown(packages(&repository.source(), &[], 64 << 20, &|_| Want::Check));
    let names = ["b: ", "root: ", "skills/sub0: ", "skills/sub1: ", "vendor/tools: "];
    assert_eq!(found.len(), names.len(), "each is named once: {found:?}");
    for (found, name) in found.iter().zip(names) {
        assert!(found.starts_with(name), "{found}");
    }
    let below = format!("{}//skills", repository.source());
    assert_eq!(
        packages(&below, &[], 64 << 20, &|_| Want::Check).len(),
        2,
        "the others are not meant"
    );
    for inside in ["root", "vendor/tools/skills"] {
        let error = refused(&format!("{}//{inside}", repository.source()));
        assert!(error.message.contains("` is a submodule"), "{error}");
    }
}

#[test]
fn missing_directory_is_not_found() {
    let repository = Repository::with("---\n");
    let error = refused(&format!("{}//gone", repository.source()));
    assert_eq!(error.kind, RemoteErrorKind::NotFound);
}

/// The error of a source that has nothing to fetch.
fn refused(source: &str) -> RemoteError {
    let home = tempfile::tempdir().unwrap();
    let remote = AnyRemote::new(HttpOptions::default()).with_git(options(home.path()));
    let artifacts = remote.resolve(&RemoteRequest::latest(source), &Cancel::default()).unwrap();
    let fetched =
        remote.fetch_packages(&artifacts[0], &mut |_, _| Want::Files, LIMIT, &Cancel::default());
    fetched.expect_err("there is no such directory")
}
