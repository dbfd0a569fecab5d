//! Repositories of git, over a real server and on this machine.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use prowess_archive::{Limits, read};
use prowess_core::{Cancel, Remote, RemoteArtifact, RemoteError, RemoteErrorKind, RemoteRequest};
use prowess_source_remote::{AnyRemote, GitOptions, HttpOptions};

use crate::git_server::{GitServer, Repository};
use crate::server::Server;

const SKILL: &str = "---\nname: pdf\ndescription: Fills forms.\n---\n";

/// Options whose program finds `git`, and a home of this directory.
pub(crate) fn options(home: &Path) -> GitOptions {
    let variable = |key: &str, value: OsString| (OsString::from(key), value);
    let path = std::env::var_os("PATH").unwrap();
    let environment = vec![variable("PATH", path), variable("HOME", home.into())];
    GitOptions { environment, ..GitOptions::default() }
}

fn remote(home: &Path, hosts: &[&str]) -> AnyRemote {
    let named_hosts = hosts.iter().map(|&host| host.to_owned()).collect();
    let http = HttpOptions { named_hosts, ..HttpOptions::default() };
    AnyRemote::new(http).with_git(options(home))
}

fn resolve(
    remote: &AnyRemote,
    source: &str,
    reference: Option<&str>,
) -> Result<RemoteArtifact, RemoteError> {
    let reference = reference.map(str::to_owned);
    let request = RemoteRequest { reference, ..RemoteRequest::latest(source) };
    Ok(remote.resolve(&request, &Cancel::default())?.remove(0))
}

fn fetch(remote: &AnyRemote, source: &str) -> Result<Vec<u8>, RemoteError> {
    let artifact = resolve(remote, source, None)?;
    remote.fetch(&artifact, 1024 * 1024, &Cancel::default())
}

/// The paths of the files of a source, with their contents.
fn files(remote: &AnyRemote, source: &str) -> Vec<(String, String)> {
    let archive = read(&fetch(remote, source).unwrap(), &Limits::default()).unwrap();
    let text = |content: &[u8]| String::from_utf8_lossy(content).into_owned();
    archive.files().iter().map(|file| (file.path.clone(), text(&file.content))).collect()
}

#[test]
fn references_resolve_to_commits() {
    let repository = Repository::with(SKILL);
    let first = repository.in_tree(&["rev-parse", "HEAD"]);
    repository.in_tree(&["tag", "--annotate", "--message=one", "v1"]);
    repository.in_tree(&["branch", "feature/a"]);
    let second = repository.commit("notes.md", "two");
    let home = repository.place.path();
    let server = GitServer::new(home, None);
    let remote = remote(home, &[&server.host]);
    for source in [server.url("/team/skills.git"), repository.source()] {
        for (reference, expected) in [
            (None, &second),
            (Some("main"), &second),
            (Some("refs/heads/main"), &second),
            (Some("v1"), &first),
            (Some("feature/a"), &first),
            (Some(first.as_str()), &first),
        ] {
            let artifact = resolve(&remote, &source, reference).unwrap();
            assert_eq!(artifact.revision.as_ref(), Some(expected), "{source} {reference:?}");
            let fetched = remote.fetch(&artifact, 1024 * 1024, &Cancel::default()).unwrap();
            let archive = read(&fetched, &Limits::default()).unwrap();
            assert_eq!(archive.files().len(), if *expected == first { 1 } else { 2 });
        }
        for (reference, kind) in [
            ("v2", RemoteErrorKind::NotFound),
            ("0123456", RemoteErrorKind::NotFound),
            ("--upload-pack=touch", RemoteErrorKind::Unsupported),
            ("main:notes.md", RemoteErrorKind::Unsupported),
        ] {
            let error = resolve(&remote, &source, Some(reference)).unwrap_err();
            assert_eq!(error.kind, kind, "{reference}: {error}");
        }
        let gone = "0123456789012345678901234567890123456789";
        let artifact = resolve(&remote, &source, Some(gone)).unwrap();
        let error = remote.fetch(&artifact, 1024, &Cancel::default()).unwrap_err();
        assert_eq!(error.kind, RemoteErrorKind::NotFound, "{error}");
    }
}

/// Returns why the commit that a reference means may be a step back from an earlier one.
fn step_back(remote: &AnyRemote, source: &str, reference: Option<&str>, from: &str) -> String {
    let to = resolve(remote, source, reference).unwrap().revision.unwrap();
    let reference = reference.map(str::to_owned);
    let request = RemoteRequest { reference, ..RemoteRequest::latest(source) };
    let answer = remote.step_back(&request, from, &to, &Cancel::default());
    answer.unwrap().unwrap_or_default()
}

#[test]
fn revisions_that_do_not_follow_are_named() {
    let repository = Repository::with(SKILL);
    let first = repository.in_tree(&["rev-parse", "HEAD"]);
    repository.in_tree(&["tag", "--annotate", "--message=one", "v1"]);
    let second = repository.commit("notes.md", "two");
    let home = repository.place.path();
    let server = GitServer::new(home, None);
    let remote = remote(home, &[&server.host]);
    let sources = [server.url("/team/skills.git"), repository.source()];
    for source in &sources {
        assert_eq!(step_back(&remote, source, None, &first), "", "{source}");
        assert_eq!(step_back(&remote, source, None, &second), "", "it is the same");
    }
    // More commits than are fetched first.
    for _ in 0..70 {
        repository.commit_index();
    }
    repository.in_tree(&["tag", "--force", "v1", "HEAD"]);
    repository.in_tree(&["branch", "v1.x", "HEAD"]);
    let page = server.url("/team/skills/-/tree/v1/skills");
    for source in &sources {
        assert_eq!(step_back(&remote, source, None, &first), "", "{source}");
        assert_eq!(step_back(&remote, source, Some("v1.x"), &first), "", "{source}");
        for name in ["v1", "refs/tags/v1"] {
            assert_eq!(resolve(&remote, source, Some(name)).unwrap().is_tag, Some(true), "{name}");
        }
    }
    assert_eq!(resolve(&remote, &page, None).unwrap().is_tag, Some(true));
    let last = repository.in_tree(&["rev-parse", "HEAD"]);
    repository.in_tree(&["reset", "--quiet", "--hard", &second]);
    for commit in [second, repository.commit("notes.md", "other")] {
        let expected =
            format!("the commit {} does not follow the installed {}", &commit[..12], &last[..12]);
        for source in &sources {
            repository.in_tree(&["reset", "--quiet", "--hard", &commit]);
            assert_eq!(step_back(&remote, source, None, &last), expected, "{source}");
        }
    }
}

#[test]
fn directories_pages_and_short_names_are_found() {
    let repository = Repository::with(SKILL);
    repository.commit("skills/pdf/SKILL.md", SKILL);
    repository.in_tree(&["branch", "feature/a"]);
    let home = repository.place.path();
    let server = GitServer::new(home, None);
    let mut options = options(home);
    options.github = server.url("");
    let named_hosts = vec![server.host.clone()];
    let http = HttpOptions { named_hosts, ..HttpOptions::default() };
    let remote = AnyRemote::new(http).with_git(options);
    for source in [
        server.url("/team/skills.git//skills/pdf"),
        "team/skills/skills/pdf".to_owned(),
        "github:team/skills/skills/pdf".to_owned(),
        server.url("/team/skills/-/tree/feature/a/skills/pdf"),
        server.url("/team/skills/-/tree/main/skills/pdf"),
        format!("git+{}", server.url("/team/skills/-/tree/main/skills/pdf")),
    ] {
        let found = files(&remote, &source);
        assert_eq!(found, [("skills/pdf/SKILL.md".to_owned(), SKILL.to_owned())], "{source}");
    }
    assert_eq!(files(&remote, "team/skills").len(), 2);
    for source in ["team/skills/missing", "team/missing"] {
        let kind = fetch(&remote, source).map_err(|error| error.kind);
        assert_eq!(kind, Err(RemoteErrorKind::NotFound), "{source}");
    }
}

#[test]
fn earlier_commit_of_a_page_is_found() {
    let repository = Repository::with(SKILL);
    let first = repository.commit("skills/pdf/SKILL.md", SKILL);
    repository.in_tree(&["branch", "feature/a"]);
    repository.in_tree(&["branch", "old"]);
    repository.commit("skills/pdf/SKILL.md", "changed");
    repository.in_tree(&["branch", "--force", "feature/a", "HEAD"]);
    let home = repository.place.path();
    let server = GitServer::new(home, None);
    let remote = remote(home, &[&server.host]);
    let check = |branch: &str| {
        let source = server.url(&format!("/team/skills/-/tree/{branch}/skills/pdf"));
        let revision = Some(first.clone());
        let request = RemoteRequest { revision, ..RemoteRequest::latest(source) };
        let artifacts = remote.resolve(&request, &Cancel::default()).unwrap();
        assert_eq!(artifacts[0].revision.as_deref(), Some(first.as_str()), "{branch}");
        let fetched = remote.fetch(&artifacts[0], 1024 * 1024, &Cancel::default()).unwrap();
        let archive = read(&fetched, &Limits::default()).unwrap();
        let [file] = archive.files() else { panic!("{branch}: only the directory is fetched") };
        assert_eq!(file.path, "skills/pdf/SKILL.md", "{branch}");
        assert_eq!(file.content, SKILL.as_bytes(), "{branch}");
    };
    check("feature/a");
    repository.in_tree(&["branch", "--delete", "--force", "old"]);
    check("old");
    let revision = Some("main".to_owned());
    let request = RemoteRequest { revision, ..RemoteRequest::latest(repository.source()) };
    let error = remote.resolve(&request, &Cancel::default()).unwrap_err();
    assert_eq!(error.kind, RemoteErrorKind::Unsupported, "a branch is no revision: {error}");
}

#[test]
fn files_are_packed_as_they_were_committed() {
    let repository = Repository::with(SKILL);
    let attributes = "a export-ignore\nb export-subst ident\nc eol=crlf text\nd filter=evil\n";
    repository.commit(".gitattributes", attributes);
    for (path, content) in [("a", "a"), ("b", "$Format:%H$ $Id$"), ("c", "1\n2\n"), ("d", "d")] {
        repository.commit(path, content);
    }
    let home = tempfile::tempdir().unwrap();
    let marker = home.path().join("marker");
    let filter = format!("touch '{}'; echo changed", marker.display());
    fs::write(
        home.path().join(".gitconfig"),
        format!("[filter \"evil\"]\n\tsmudge = \"{filter}\"\n[tar]\n\tumask = 0777\n"),
    )
    .unwrap();
    let found = files(&remote(home.path(), &[]), &repository.source());
    let content = |path: &str| &found.iter().find(|(it, _)| it == path).unwrap().1;
    assert_eq!(content("a"), "a", "no file is left out");
    assert_eq!(content("b"), "$Format:%H$ $Id$");
    assert_eq!(content("c"), "1\n2\n");
    assert_eq!(content("d"), "d");
    assert!(!marker.exists(), "no filter has run");
}

#[test]
fn hostile_repositories_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path(), &[]);
    let refused = |repository: &Repository| {
        fetch(&remote, &repository.source()).map(drop).map_err(|error| error.kind)
    };
    let link = Repository::with(SKILL);
    std::os::unix::fs::symlink("/etc/passwd", link.tree().join("key")).unwrap();
    link.commit("notes.md", "text");
    assert_eq!(refused(&link), Err(RemoteErrorKind::Unsupported));

    let submodule = Repository::with(SKILL);
    let commit = submodule.in_tree(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{commit},vendor/tools");
    submodule.in_tree(&["update-index", "--add", "--cacheinfo", &entry]);
    submodule.commit_index();
    assert_eq!(refused(&submodule), Err(RemoteErrorKind::Unsupported));

    let names = Repository::with(SKILL);
    let blob = names.in_tree(&["rev-parse", "HEAD:SKILL.md"]);
    let raw: Vec<u8> = (0..blob.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&blob[at..at + 2], 16).unwrap())
        .collect();
    fs::write(names.tree().join("tree"), [b"100644 .git\0", &raw[..]].concat()).unwrap();
    let tree = names.in_tree(&["hash-object", "-t", "tree", "--literally", "-w", "tree"]);
    let commit = names.in_tree(&["commit-tree", "-m", "next", &tree]);
    names.in_tree(&["update-ref", "refs/heads/main", &commit]);
    assert_eq!(refused(&names), Err(RemoteErrorKind::Invalid), "a file `.git`");
}

#[test]
fn large_repositories_end() {
    let repository = Repository::with(SKILL);
    let noise: Vec<u8> =
        (0_u32..0x8_0000).flat_map(|it| it.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    repository.commit("noise", noise);
    let home = repository.place.path();
    let small = GitOptions { bytes: 256 * 1024, ..options(home) };
    let remote = AnyRemote::new(HttpOptions::default()).with_git(small);
    let kind = fetch(&remote, &repository.source()).map_err(|error| error.kind);
    assert_eq!(kind, Err(RemoteErrorKind::TooLarge));
}

#[test]
fn credential_helpers_of_the_user_are_used() {
    let repository = Repository::with(SKILL);
    // `u:s3cr3t`
    let server = GitServer::new(repository.place.path(), Some("Basic dTpzM2NyM3Q="));
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path(), &[&server.host]);
    let source = server.url("/team/skills.git");
    let error = resolve(&remote, &source, None).unwrap_err();
    assert_eq!(error.kind, RemoteErrorKind::Denied, "the user is not asked: {error}");
    let helper = "!f() { echo username=u; echo password=s3cr3t; }; f";
    fs::write(home.path().join(".gitconfig"), format!("[credential]\n\thelper = \"{helper}\"\n"))
        .unwrap();
    let artifact = resolve(&remote, &source, None).unwrap();
    assert!(!format!("{artifact:?}").contains("s3cr3t"));
    assert!(remote.fetch(&artifact, 1024 * 1024, &Cancel::default()).is_ok());
}

#[test]
fn other_hosts_and_protocols_are_not_reached() {
    let repository = Repository::with(SKILL);
    let home = repository.place.path();
    let server = Server::new();
    let other = GitServer::new(home, None);
    server.redirect(
        "/team/skills.git/info/refs?service=git-upload-pack",
        &other.url("/team/skills.git/info/refs?service=git-upload-pack"),
    );
    let remote = remote(home, &[&server.host, &other.host]);
    let source = server.url("/team/skills.git");
    let error = resolve(&remote, &source, None).unwrap_err();
    assert!(error.message.contains("redirects"), "{error}");
    let private = AnyRemote::new(HttpOptions::default()).with_git(options(home));
    for (source, kind) in [
        (format!("https://{}/team/skills.git", other.host), RemoteErrorKind::Denied),
        ("https://localhost/team/skills.git".to_owned(), RemoteErrorKind::Denied),
        ("ssh://git@127.0.0.1/team/skills.git".to_owned(), RemoteErrorKind::Denied),
        ("git@localhost:team/skills.git".to_owned(), RemoteErrorKind::Denied),
        (source.clone(), RemoteErrorKind::Unsupported),
    ] {
        let error = resolve(&private, &source, None).unwrap_err();
        assert_eq!(error.kind, kind, "{source}: {error}");
    }
    assert_eq!(other.requests(), 0, "the other server was never asked");

    let marker = home.join("marker");
    let rewritten =
        format!("[url \"ext::touch {} \"]\n\tinsteadOf = {}\n", marker.display(), server.url("/"));
    fs::write(home.join(".gitconfig"), rewritten).unwrap();
    let error = resolve(&remote, &source, None).unwrap_err();
    assert_eq!(error.kind, RemoteErrorKind::Denied, "{error}");
    assert!(!marker.exists());
}

#[test]
fn slow_servers_end() {
    let server = Server::new();
    let cancel = Cancel::default();
    let asked = cancel.clone();
    // The server sends nothing, and waits until the client has given up.
    server.on("/a.git/info/refs?service=git-upload-pack", move |_, stream| {
        asked.cancel();
        let mut byte = [0];
        let _ = std::io::Read::read(stream, &mut byte);
    });
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path(), &[&server.host]);
    let request = RemoteRequest::latest(server.url("/a.git"));
    let kind = remote.resolve(&request, &cancel).map_err(|error| error.kind);
    assert_eq!(kind, Err(RemoteErrorKind::Cancelled));
    let named_hosts = vec![server.host.clone()];
    let http = HttpOptions { named_hosts, ..HttpOptions::default() };
    let timeout = Duration::from_millis(300);
    let impatient = AnyRemote::new(http).with_git(GitOptions { timeout, ..options(home.path()) });
    let kind = impatient.resolve(&request, &Cancel::default()).map_err(|error| error.kind);
    assert_eq!(kind, Err(RemoteErrorKind::Unavailable));
}

#[test]
fn missing_program_is_named() {
    let home = tempfile::tempdir().unwrap();
    let program = home.path().join("no-git");
    let options = GitOptions { program, ..options(home.path()) };
    let remote = AnyRemote::new(HttpOptions::default()).with_git(options);
    let error = resolve(&remote, "git+file:///srv/a.git", None).unwrap_err();
    assert_eq!(error.kind, RemoteErrorKind::Unsupported);
    assert!(error.message.contains("install git"), "{error}");
    let error = resolve(&AnyRemote::new(HttpOptions::default()), "owner/repo", None).unwrap_err();
    assert_eq!(error.kind, RemoteErrorKind::Unsupported, "programs are started by choice");
}
