//! Links of a tree of files lead to something in it, or to nothing.

use std::collections::BTreeMap;

use prowess_archive::{Listing, Node};

/// A listing of files, of links as `path -> target`, and of refused ones as `!path`.
fn listing(nodes: &[&str]) -> Listing {
    let node = |text: &&str| match (text.split_once(" -> "), text.strip_prefix('!')) {
        (Some((path, target)), _) => (path.to_owned(), Node::Link(target.to_owned())),
        (_, Some(path)) => (path.to_owned(), Node::Refused("is a submodule")),
        _ => ((*text).to_owned(), Node::File { is_executable: text.ends_with(".sh") }),
    };
    Listing::new(nodes.iter().map(node).collect::<BTreeMap<_, _>>())
}

/// Checks the files of the package `a`, as `path` or `path = content`, and what is left out.
fn check(nodes: &[&str], files: &[&str], left_out: &[&str]) {
    let package = listing(nodes).package("a", 100).expect("nothing is refused");
    let shown = package.files.iter().map(|file| match file.content.strip_prefix("a/") {
        Some(content) if content == file.path => file.path.clone(),
        _ => format!("{} = {}", file.path, file.content),
    });
    assert_eq!(shown.collect::<Vec<_>>(), files, "{nodes:?}");
    assert_eq!(package.left_out, left_out, "{nodes:?}");
}

#[test]
fn link_is_a_copy_of_what_it_leads_to() {
    check(&["a/SKILL.md", "b/SKILL.md", "ab"], &["SKILL.md"], &[]);
    check(&["a/x -> ../b/y", "b/y -> z", "b/z"], &["x = b/z"], &[]);
    check(&["a/x -> ./y/../z", "a/y/w", "a/z"], &["x = a/z", "y/w", "z"], &[]);
    check(&["a/d -> ../b", "b/c/e", "b/f -> c/e"], &["d/c/e = b/c/e", "d/f = b/c/e"], &[]);
    check(&["a/d -> ../l/c", "l -> b", "b/c/e"], &["d/e = b/c/e"], &[]);
    let package = listing(&["a/x -> ../b.sh", "b.sh"]).package("a", 100).unwrap();
    assert!(package.files[0].is_executable, "as what it leads to");
}

#[test]
fn link_elsewhere_is_left_out() {
    let out = ["`a/x` is a link that leads out of the source"];
    for target in ["/etc/passwd", "../../x", "../../repo/a/y", "../b/../../x", "b/../../../x"] {
        check(&[&format!("a/x -> {target}"), "a/b/y", "b/y"], &["b/y"], &out);
    }
    check(
        &["a/x -> y", "a/y -> /etc"],
        &[],
        &[out[0], "`a/y` is a link that leads out of the source"],
    );
    let to_nothing = ["`a/x` is a link that leads to nothing"];
    for target in ["gone", "b/gone", "b/y/z", "b/y/../y", "b/y/"] {
        let nodes = [&*format!("a/x -> {target}"), "a/b/y"];
        let is_file = target == "b/y/";
        let files: &[&str] = if is_file { &["b/y", "x = a/b/y"] } else { &["b/y"] };
        check(&nodes, files, if is_file { &[] } else { &to_nothing });
    }
    check(&["a/x -> x"], &[], &["`a/x` is a link that leads to itself"]);
    check(&["a/x -> ../s", "!s"], &[], &["`a/x` is a link to `s`, which is a submodule"]);
    for target in [".", "..", "../a"] {
        let around = ["`a/x` leads to a directory around it"];
        check(&[&format!("a/x -> {target}"), "a/y", "b"], &["y"], &around);
    }
}

#[test]
fn linked_directories_end() {
    let listing = listing(&["a/x -> ../b", "b/y -> ../c", "c/z -> ../b", "c/f", "!a/s"]);
    assert_eq!(listing.package("a", 100), Err("`a/s` is a submodule".to_owned()));
    // Each directory links to each other one: the number of paths has no end without a limit.
    let names: Vec<_> = (0..30).map(|number| format!("d{number}")).collect();
    let links =
        names.iter().flat_map(|from| names.iter().map(move |to| format!("{from}/{to} -> ../{to}")));
    let links: Vec<_> = links.chain(["a/x -> ../d0".to_owned()]).collect();
    let links: Vec<_> = links.iter().map(String::as_str).collect();
    let refused = self::listing(&links).package("a", 1000);
    assert_eq!(refused, Err("it has more than 1000 files".to_owned()));
}

#[test]
fn packages_are_outermost_directories() {
    let listing = listing(&[
        "x/SKILL.md",
        "x/y/SKILL.md",
        "x-1/SKILL.md",
        "z/w/SKILL.md -> ../v",
        "z/v",
        "l -> x",
        "!s/SKILL.md",
    ]);
    let packages = |below: &str, index: &str| {
        let found = listing.packages(below, &["SKILL.md"], &|it| it != index).found;
        found.into_keys().collect::<Vec<_>>()
    };
    assert_eq!(packages("", ""), ["x", "x-1", "z/w"]);
    assert_eq!(packages("x/y", ""), ["x/y"]);
    assert_eq!(packages("", "x"), ["x", "x-1", "x/y", "z/w"], "an index hides no package");
    assert_eq!(listing.file("z/w", &["SKILL.md"]), Ok("z/v".to_owned()));
    assert_eq!(listing.directory("l/y").as_deref(), Some("x/y"));
    for missing in ["gone", "l/../..", "/x", "z/v"] {
        assert_eq!(listing.directory(missing), None, "{missing}");
    }
}
