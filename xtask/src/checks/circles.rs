//! The files of a crate that need each other in a circle, which `tidy` reports.
//!
//! A file needs another if a path in it leads there, through re-exports too. A parent and its
//! children may need each other: they are one module in two files.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};

use super::prose::shipped;
use super::tidy::repository::Repository;

/// A path from the root of the crate.
type ModulePath = Vec<String>;

/// A module that is a file.
#[derive(Default)]
struct Module {
    /// The absolute paths that the file names.
    named: BTreeSet<ModulePath>,
    /// The names that `use` brings in, with the paths that they stand for.
    imports: BTreeMap<String, ModulePath>,
}

type Modules = BTreeMap<ModulePath, Module>;

/// Reports every circle.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for package in repository.crates() {
        let sources = format!("{}/src/", package.folder);
        let files = repository.files.iter();
        let files = files.filter_map(|file| Some((file.path.strip_prefix(&sources)?, &file.text)));
        let files = files.filter(|(path, _)| path.ends_with(".rs"));
        match files.map(|(path, text)| module(path, text)).collect::<Result<Modules, String>>() {
            Ok(modules) => problems.extend(
                circles(&modules).iter().map(|circle| format!("{}: {circle}", package.name)),
            ),
            Err(error) => problems.push(format!("{}: {error}", package.folder)),
        }
    }
    problems
}

/// Reads one module: `a/b.rs` and `a/b/mod.rs` are both `a::b`.
fn module(path: &str, text: &str) -> Result<(ModulePath, Module), String> {
    let mut own: ModulePath = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if own.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        own.pop();
    }
    let tokens: Result<TokenStream, _> = shipped(text).parse();
    let tokens = tokens.map_err(|error| format!("{path}: {error}"))?;
    let mut module = Module::default();
    add_named(&own, tokens, &mut module);
    Ok((own, module))
}

/// Adds each `use`, and each path in tokens that begins with `crate`, `self` or `super`.
fn add_named(own: &[String], tokens: TokenStream, module: &mut Module) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        index += 1;
        match token {
            TokenTree::Group(group) => add_named(own, group.stream(), module),
            TokenTree::Ident(name) if name == "use" => {
                let rest = &tokens[index..];
                let end = rest.iter().position(|token| is_sign(token, ';')).unwrap_or(rest.len());
                add_imports(own, &[], &rest[..end], module);
                index += end;
            }
            TokenTree::Ident(name) => {
                let mut path = vec![name.to_string()];
                while let [one, two, TokenTree::Ident(name), ..] = &tokens[index..]
                    && is_sign(one, ':')
                    && is_sign(two, ':')
                {
                    path.push(name.to_string());
                    index += 3;
                }
                module.named.extend(absolute(own, &path));
            }
            _ => {}
        }
    }
}

/// Adds the imports of the tree behind `use`, or of a part of it below a prefix.
fn add_imports(own: &[String], prefix: &[String], tree: &[TokenTree], module: &mut Module) {
    for branch in tree.split(|token| is_sign(token, ',')) {
        let mut path = prefix.to_vec();
        let mut names = Vec::new();
        for token in branch {
            match token {
                TokenTree::Ident(name) => names.push(name.to_string()),
                TokenTree::Group(group) => {
                    path.append(&mut names);
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    add_imports(own, &path, &inner, module);
                }
                token if is_sign(token, '*') => {
                    path.append(&mut names);
                    module.named.extend(absolute(own, &path));
                }
                _ => {}
            }
        }
        // The `self` of `use path::{self, Name}` stands for the path.
        names.retain(|name| prefix.is_empty() || name != "self");
        let alias = names.last().or(path.last()).cloned();
        if let Some(end) = names.iter().position(|name| name == "as") {
            names.truncate(end);
        }
        path.append(&mut names);
        let is_whole = branch.last().is_some_and(|token| matches!(token, TokenTree::Ident(_)));
        if let Some(alias) = alias.filter(|_| is_whole) {
            // `pub use child::Name` starts at this module without saying so.
            let path = absolute(own, &path).unwrap_or_else(|| [own, &path].concat());
            module.imports.insert(alias, path.clone());
            module.named.insert(path);
        }
    }
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Returns the path from the root of the crate, if it is one of this crate.
fn absolute(own: &[String], path: &[String]) -> Option<ModulePath> {
    let (first, mut rest) = path.split_first()?;
    let mut base = match first.as_str() {
        "crate" => Vec::new(),
        "self" => own.to_vec(),
        "super" => own[..own.len().saturating_sub(1)].to_vec(),
        _ => return None,
    };
    while let Some((_, behind)) = rest.split_first().filter(|(first, _)| *first == "super") {
        base.pop();
        rest = behind;
    }
    base.extend_from_slice(rest);
    Some(base)
}

/// Returns the circles, each as the paths of its modules.
fn circles(modules: &Modules) -> BTreeSet<String> {
    let reached: BTreeMap<_, _> =
        modules.keys().map(|module| (module, reach(modules, module))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        let mutual = others.iter().filter(|other| reached[**other].contains(module));
        let circle: Vec<_> = mutual.map(|path| path.join("::")).collect();
        if circle.len() > 1 {
            circles.insert(circle.join(", "));
        }
    }
    circles
}

/// Returns every module that one needs, directly or through others.
fn reach<'m>(modules: &'m Modules, from: &'m ModulePath) -> BTreeSet<&'m ModulePath> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(module) = pending.pop() {
        let named = modules[module].named.iter().filter_map(|path| resolve(modules, path, 8));
        for next in named.filter(|to| !to.starts_with(module) && !module.starts_with(to)) {
            if reached.insert(next) {
                pending.push(next);
            }
        }
    }
    reached
}

/// Returns the module in which a path ends, through re-exports.
fn resolve<'m>(modules: &'m Modules, path: &[String], depth: usize) -> Option<&'m ModulePath> {
    let known = (0..=path.len()).rev().find(|&length| modules.contains_key(&path[..length]))?;
    let (own, module) = modules.get_key_value(&path[..known])?;
    let imported = path.get(known).and_then(|name| module.imports.get(name));
    match imported {
        Some(target) if depth > 0 && target != path => {
            let path = [target, &path[known + 1..]].concat();
            resolve(modules, &path, depth - 1)
        }
        _ => Some(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the circles of a crate with these files and an empty `lib.rs`.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let all = [("lib.rs", "")].iter().chain(files);
        let modules: Result<Modules, _> = all.map(|(path, text)| module(path, text)).collect();
        let circles = circles(&modules.expect("the sample is Rust"));
        assert_eq!(circles.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{files:?}");
    }

    #[test]
    fn files_that_need_each_other_are_a_circle() {
        let one = ("a.rs", "use crate::b::B; struct A(B);");
        check(&[one, ("b.rs", "fn f() { crate::a::g() }")], &["a, b"]);
        check(&[one, ("b.rs", "struct B;")], &[]);
        let tested = "struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }";
        check(&[one, ("b.rs", tested)], &[]);
    }

    #[test]
    fn imports_lead_to_the_files_that_they_name() {
        let root = ("lib.rs", "pub use a::A; pub use b::{self, B as C};");
        check(&[root, ("a.rs", "use crate::C;"), ("b.rs", "use super::A;")], &["a, b"]);
        check(&[("a.rs", "use super::b::*;"), ("b.rs", "use crate::{a, c};")], &["a, b"]);
        check(&[("a/mod.rs", "use a::b::B;"), ("a/b.rs", "use super::A;")], &[]);
    }
}
