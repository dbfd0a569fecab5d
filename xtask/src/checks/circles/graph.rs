//! Which file needs which, and the circles in that.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Module, ModulePath};

type Modules = BTreeMap<ModulePath, Module>;

/// The circles, each by the paths of its modules.
pub(super) fn circles(modules: &Modules) -> Vec<Vec<String>> {
    let reached: BTreeMap<_, _> =
        modules.keys().map(|module| (module, reach(modules, module))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        let mutual = others.iter().copied().filter(|other| reached[*other].contains(module));
        let mut circle: Vec<_> = mutual.map(|path| path.join("::")).collect();
        if circle.len() > 1 {
            circle.sort();
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// Every module that one needs, directly or through others.
fn reach<'m>(modules: &'m Modules, from: &'m ModulePath) -> BTreeSet<&'m ModulePath> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(module) = pending.pop() {
        for next in needs(modules, module) {
            if reached.insert(next) {
                pending.push(next);
            }
        }
    }
    reached
}

/// The modules that one names, without its parents and children.
fn needs<'m>(modules: &'m Modules, from: &ModulePath) -> BTreeSet<&'m ModulePath> {
    let named = &modules[from].named;
    let targets = named.iter().filter_map(|path| resolve(modules, path, 8));
    targets.filter(|target| !target.starts_with(from) && !from.starts_with(target)).collect()
}

/// The module in which a path ends, through re-exports.
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
    use super::super::paths::module;
    use super::*;

    fn check(files: &[(&str, &str)], expected: &[&[&str]]) {
        let mut modules = Modules::new();
        for (name, text) in files {
            let path: ModulePath =
                name.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
            modules.insert(path.clone(), module(&path, text).expect("the sample is Rust"));
        }
        assert_eq!(circles(&modules), expected, "{files:?}");
    }

    #[test]
    fn two_files_that_need_each_other_are_a_circle() {
        let one = "use crate::b::B; struct A(B);";
        check(&[("", ""), ("a", one), ("b", "fn f() { crate::a::g() }")], &[&["a", "b"]]);
        check(&[("", ""), ("a", one), ("b", "struct B;")], &[]);
    }

    #[test]
    fn a_re_export_leads_to_the_file_it_names() {
        let root = "pub use a::A; pub use b::B;";
        check(&[("", root), ("a", "use crate::B;"), ("b", "use super::A;")], &[&["a", "b"]]);
    }

    #[test]
    fn a_parent_and_its_child_are_no_circle() {
        check(&[("", ""), ("a", "use a::b::B;"), ("a::b", "use super::A;")], &[]);
    }

    #[test]
    fn modules_of_tests_do_not_count() {
        let tested = "struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }";
        check(&[("", ""), ("a", "use crate::b::B;"), ("b", tested)], &[]);
    }
}
