//! Packages of repositories and folders are fetched one by one.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use prowess_archive::{Archive, File, Limits, read};
use prowess_core::{
    Cancel, Remote, RemoteError, RemoteErrorKind, RemotePackage, RemoteRequest, Want,
};
use prowess_source_remote::{AnyRemote, GitOptions, HttpOptions};

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
    packages_by(GitOptions { bytes, ..options(home.path()) }, source, hosts, want)
}

fn packages_by(
    git: GitOptions,
    source: &str,
    hosts: &[&str],
    want: &dyn Fn(&str) -> Want,
) -> Vec<RemotePackage> {
    let named_hosts = hosts.iter().map(|&host| host.to_owned()).collect();
    let http = HttpOptions { named_hosts, ..HttpOptions::default() };
    packages_of(&AnyRemote::new(http).with_git(git), source, want)
}

fn packages_of(
    remote: &AnyRemote,
    source: &str,
    want: &dyn Fn(&str) -> Want,
) -> Vec<RemotePackage> {
    let artifacts = remote.resolve(&RemoteRequest::latest(source), &Cancel::default()).unwrap();
    let mut wanted = |directory: &str, text: &[u8]| {
        assert!(text.starts_with(b"---"), "the text of {directory}");
        want(directory)
    };
    let fetched = remote.fetch_packages(&artifacts[0], &mut wanted, LIMIT, &Cancel::default());
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
    ["good", "linked", "leaking", "large", "names", "both/a", "top", "top/in", "index/in"]
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

const SHAPES: [&str; 11] = [
    "both/a: SKILL.md=---\nname:",
    "good: SKILL.md=---\nname:",
    "index: SKILL.md=---\nname:",
    "index/in: SKILL.md=---\nname:",
    "large: `large/model` is too large: a skill may have ",
    "leaking: SKILL.md=---\nname: [`leaking/etc` is a link that leads out of the source] \
     [`leaking/users` is a link that leads out of the source]",
    "linked: SKILL.md=---\nname: guide.md=agents other/SKILL.md=---\nname:",
    "names: `a?b` is not a name that every file system can store",
    "out: `out/SKILL.md` is a link that leads out of the source",
    "top: SKILL.md=---\nname: in/SKILL.md=---\nname:",
    "top/in: it is a part of the skill in `top`; to install it alone, name the directory `top/in`",
];

fn check_shapes(source: &str, hosts: &[&str]) {
    let shown = shown(packages(source, hosts, 64 << 20, &|_| Want::Files));
    assert_eq!(shown.len(), SHAPES.len(), "{source}: {shown:#?}");
    for (shown, expected) in shown.iter().zip(SHAPES) {
        assert!(shown.starts_with(expected), "{source}: {shown}");
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
    for (directory, expected) in [("both", SHAPES[0]), ("linked/other", SHAPES[1])] {
        let found = packages(&format!("{source}//{directory}"), &[&server.host], 64 << 20, &|_| {
            Want::Files
        });
        assert_eq!(shown(found), [expected], "{directory}");
    }
}

/// The places of its lock are committed.
#[test]
fn repository_gets_no_secrets_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("SKILL.md", "---\n"),
        (".env", "A=1"),
        (".ssh/id_rsa", "key"),
        ("conf.txt", "password = pA7xQ2mZ9kLwB4nV"),
        ("node_modules/a.js", "1"),
        ("creds/x.json", "1"),
        ("x.json", "1"),
        ("n.md", "n"),
    ] {
        // The name of a skill says nothing about its files.
        let path = folder.path().join("secrets").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let packed = Archive::new(vec![File::new("a/.env", b"A=1".to_vec())]).unwrap();
    fs::write(folder.path().join("secrets/kit.tgz"), packed.to_tar_gz()).unwrap();
    let source = folder.path().to_string_lossy();
    let all = AnyRemote::new(HttpOptions::default());
    let of_user = shown(packages_of(&all, &source, &|_| Want::Files));
    assert!(of_user[0].contains(".env=A=1"), "a user installs all files: {of_user:?}");
    let found = packages_of(&all.for_repository(), &source, &|_| Want::Files);
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
        let fetched = packages_by(git, &repository.source(), &[], &only_a);
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
            ["large", "names", "out", "top/in"],
            "{source}: the others can be installed"
        );
        assert!(refused[0].starts_with(SHAPES[4]), "{source}: {refused:?}");
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
