//! The modules of a crate, and the paths that each of its files names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, UseTree};

use crate::checks::prose::{is_of_tests, source_files};
use crate::process::Failure;

/// A path from the root of the crate.
pub(super) type ModulePath = Vec<String>;

/// A module that is a file.
#[derive(Default)]
pub(super) struct Module {
    /// The absolute paths that the file names.
    pub(super) named: BTreeSet<ModulePath>,
    /// The names that `use` brings in, with the paths that they stand for.
    pub(super) imports: BTreeMap<String, ModulePath>,
}

/// Reads the modules below a directory of sources, by their paths.
pub(super) fn read(sources: &Path) -> Result<BTreeMap<ModulePath, Module>, Failure> {
    let mut modules = BTreeMap::new();
    for file in source_files(sources)? {
        let below = file.strip_prefix(sources).unwrap_or(&file);
        let own = path_of(below);
        modules.insert(own.clone(), module(&own, &fs::read_to_string(&file)?)?);
    }
    Ok(modules)
}

/// The path of the module in a file: `a/b.rs` and `a/b/mod.rs` are both `a::b`.
fn path_of(file: &Path) -> ModulePath {
    let file = file.with_extension("");
    let mut path: Vec<_> = file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if path.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

/// Reads one module from the text of its file.
pub(super) fn module(own: &[String], text: &str) -> Result<Module, Failure> {
    let mut module = Module::default();
    for item in syn::parse_file(text)?.items.iter().filter(|item| !is_of_tests(item)) {
        if let Item::Use(item) = item {
            add_imports(own, &mut Vec::new(), &item.tree, &mut module);
        } else {
            add_named(own, &item.to_token_stream(), &mut module.named);
        }
    }
    Ok(module)
}

fn add_imports(own: &[String], prefix: &mut Vec<String>, tree: &UseTree, module: &mut Module) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            add_imports(own, prefix, &path.tree, module);
            prefix.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                add_imports(own, prefix, tree, module);
            }
        }
        UseTree::Name(name) => add_import(own, prefix, (&name.ident, &name.ident), module),
        UseTree::Rename(rename) => {
            add_import(own, prefix, (&rename.ident, &rename.rename), module);
        }
        UseTree::Glob(_) => {
            module.named.extend(absolute(own, prefix));
        }
    }
}

fn add_import(
    own: &[String],
    prefix: &[String],
    (name, alias): (&syn::Ident, &syn::Ident),
    module: &mut Module,
) {
    let mut path = prefix.to_vec();
    if name != "self" {
        path.push(name.to_string());
    }
    // `pub use child::Name` starts at this module without saying so.
    let path = absolute(own, &path).unwrap_or_else(|| [own, &path].concat());
    module.imports.insert(alias.to_string(), path.clone());
    module.named.insert(path);
}

/// Adds each path in tokens that begins with `crate`, `self` or `super`.
fn add_named(own: &[String], tokens: &TokenStream, named: &mut BTreeSet<ModulePath>) {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    let mut index = 0;
    while index < tokens.len() {
        match &tokens[index] {
            TokenTree::Group(group) => add_named(own, &group.stream(), named),
            TokenTree::Ident(_) => {
                let (path, after) = path_at(&tokens, index);
                named.extend(absolute(own, &path));
                index = after;
                continue;
            }
            _ => {}
        }
        index += 1;
    }
}

/// The path that begins at a token, and the index after it.
fn path_at(tokens: &[TokenTree], first: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut index = first;
    while let Some(TokenTree::Ident(name)) = tokens.get(index) {
        path.push(name.to_string());
        index += 1;
        if !(is_colon(tokens.get(index)) && is_colon(tokens.get(index + 1))) {
            break;
        }
        index += 2;
    }
    (path, index.max(first + 1))
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':')
}

/// The path from the root of the crate, if it is one of this crate.
fn absolute(own: &[String], path: &[String]) -> Option<ModulePath> {
    let mut rest = path;
    let mut base = match rest.first()?.as_str() {
        "crate" => Vec::new(),
        "self" => own.to_vec(),
        "super" => own[..own.len().saturating_sub(1)].to_vec(),
        _ => return None,
    };
    rest = &rest[1..];
    while rest.first().is_some_and(|first| first == "super") {
        base.pop();
        rest = &rest[1..];
    }
    base.extend_from_slice(rest);
    Some(base)
}
