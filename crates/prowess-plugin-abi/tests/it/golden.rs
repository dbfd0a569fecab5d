//! The layout of the boundary types, for reviewers. It has no signatures: `compatibility` is
//! complete.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use abi_stable::StableAbi;
use abi_stable::type_layout::TypeLayout;
use expect_test::expect_file;
use prowess_plugin_abi::PluginModule_Ref;

/// Returns all types of this package that are reachable from the root module, by module and name.
fn reachable() -> BTreeMap<String, &'static TypeLayout> {
    let mut found = BTreeMap::new();
    let mut open: Vec<&'static TypeLayout> = vec![PluginModule_Ref::LAYOUT];
    let mut seen = std::collections::HashSet::new();
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

#[test]
fn layout_is_unchanged() {
    let mut dump = String::new();
    for (name, layout) in reachable() {
        let head = format!("{name}: size {} alignment {}\n", layout.size(), layout.alignment());
        dump.push_str(&head);
        for field in layout.get_fields().into_iter().flatten() {
            let field_type = field.layout().full_type();
            let line = format!("    {}: {field_type}", field.name());
            writeln!(dump, "{}", line.trim_end()).expect("writing to a string does not fail");
        }
    }
    expect_file!["../../fixtures/layout.txt"].assert_eq(&dump);
}
