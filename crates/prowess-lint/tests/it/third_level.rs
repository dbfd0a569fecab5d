//! The third level of loading: the files that the instructions name, which a model reads on demand.

use proptest::prelude::*;
use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource};

use crate::fixture::{BODY, codes_of, memory};

/// A comment, as a script begins with.
const TEXT: &str = "# Prints a page.\n";

/// A link of the instructions, and the code of what is wrong with it.
fn link() -> impl Strategy<Value = (String, Option<&'static str>)> {
    let file = "[a-z]{1,6}\\.md";
    let inside = file.prop_map(|name| (format!("references/{name}"), None));
    let script = "[a-z]{1,6}".prop_map(|name| (format!("./scripts/{name}.py"), None));
    let back = file.prop_map(|name| (format!("references/../assets/{name}"), None));
    let missing = file.prop_map(|name| (format!("gone/{name}"), Some("link-broken")));
    let leaving = (1..4_usize, file)
        .prop_map(|(up, name)| ("../".repeat(up) + &name, Some("link-leaves-package")));
    let hidden =
        file.prop_map(|name| (format!("references/../../{name}"), Some("link-leaves-package")));
    let absolute = file.prop_map(|name| (format!("/etc/{name}"), Some("link-absolute")));
    prop_oneof![inside, script, back, missing, leaving, hidden, absolute]
}

/// The path in the package of a file that a link leads to.
fn target(link: &str) -> Option<ResourcePath> {
    ResourcePath::new(link).ok().filter(|path| !path.as_str().starts_with("gone/"))
}

proptest! {
    #[test]
    fn files_that_a_body_names_are_in_the_package(
        links in prop::collection::vec(link(), 1..6),
    ) {
        let targets = links.iter().filter(|(_, code)| code.is_none());
        let paths: Vec<String> = targets
            .filter_map(|(link, _)| target(link))
            .map(|path| format!("notes/{}", path.as_str()))
            .collect();
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), TEXT)).collect();
        let lines: String = links.iter().map(|(link, _)| format!("See [it]({link}).\n")).collect();
        let found: Vec<String> =
            codes_of(&format!("{BODY}\n{lines}"), &files).into_iter().map(|(code, _)| code).collect();
        let expected: Vec<&str> = links.iter().filter_map(|(_, code)| *code).collect();
        prop_assert_eq!(found, expected, "{:?}", links);
        let source = memory(&files);
        let package = PackagePath::new("notes").expect("it is a path");
        for (link, code) in &links {
            let read = ResourcePath::new(link)
                .ok()
                .and_then(|path| source.read(&package, &path, ReadLimit::default()).ok());
            prop_assert_eq!(read.is_some(), code.is_none(), "reading `{}` agrees", link);
        }
    }
}
