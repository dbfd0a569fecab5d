//! The snapshot of everything that crosses the boundary: layouts, signatures and numbers. A change
//! of it is a change of the ABI, by the rules in the crate's documentation.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use abi_stable::StableAbi;
use abi_stable::type_layout::{TLField, TypeLayout};
use expect_test::expect_file;
use prowess_plugin_abi::PluginModule_Ref;

/// Returns all types of this package that are reachable from the root module, by module and name.
fn reachable() -> BTreeMap<String, &'static TypeLayout> {
    let mut found = BTreeMap::new();
    let mut open: Vec<&'static TypeLayout> = vec![PluginModule_Ref::LAYOUT];
    let mut seen = HashSet::new();
    while let Some(layout) = open.pop() {
        if !seen.insert(layout.get_utypeid()) {
            continue;
        }
        if layout.package() == env!("CARGO_PKG_NAME") {
            let name = format!("{}::{}", layout.mod_path(), layout.full_type());
            found.insert(name, layout);
        }
        open.extend(layout.shared_vars().type_layouts().iter().map(|layout| layout()));
    }
    found
}

/// Returns the field's type, or its signature if it is a function.
fn type_of(field: &TLField) -> String {
    let Some(function) = field.function_range().iter().next() else { return name(field.layout()) };
    let parameters: Vec<_> =
        function.param_type_layouts.iter().map(|layout| name(layout())).collect();
    let returned = function.return_type_layout().map(|layout| name(layout()));
    format!("fn({}) -> {}", parameters.join(", "), returned.as_deref().unwrap_or("()"))
}

/// Returns the name of a type, for containers of abi_stable with their contents.
fn name(layout: &'static TypeLayout) -> String {
    let contents = match layout.name() {
        "RResult" => 2,
        "RVec" | "RSlice" => 1,
        _ => return layout.full_type().to_string(),
    };
    let contents = layout.shared_vars().type_layouts().iter().take(contents);
    let contents: Vec<_> = contents.map(|layout| name(layout())).collect();
    format!("{}<{}>", layout.name(), contents.join(", "))
}

/// Returns the declarations of the numbers: a layout does not have their values.
fn numbers() -> String {
    let source = include_str!("../../src/boundary/numbers.rs").lines();
    let is_declaration =
        |line: &&str| ["pub mod", "pub const"].iter().any(|start| line.trim().starts_with(start));
    source.filter(is_declaration).map(|line| format!("{}\n", line.trim_end_matches(" {"))).collect()
}

#[test]
fn boundary_is_unchanged() {
    let mut dump = String::new();
    for (name, layout) in reachable() {
        let head = format!("{name}: size {} alignment {}\n", layout.size(), layout.alignment());
        dump.push_str(&head);
        for field in layout.get_fields().into_iter().flatten() {
            let line = format!("    {}: {}", field.name(), type_of(&field));
            writeln!(dump, "{}", line.trim_end()).expect("writing to a string does not fail");
        }
    }
    dump.push_str(&numbers());
    expect_file!["../../fixtures/layout.txt"].assert_eq(&dump);
}
