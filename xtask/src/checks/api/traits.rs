//! The traits that types have by `derive` or from the compiler, such as `Clone` and `Send`.

use std::collections::{BTreeMap, BTreeSet};

/// Traits that no user of a type can name or notice.
const INTERNAL: [&str; 3] = ["Freeze", "StructuralPartialEq", "UnsafeUnpin"];

/// What the compiler gives to most types. A type that has all of them has `auto`.
const AUTO: [&str; 5] = ["RefUnwindSafe", "Send", "Sync", "Unpin", "UnwindSafe"];

/// Returns a line for each type with the traits that are among all items and not among those that
/// are written out.
pub(super) fn page(written: &str, all: &str) -> String {
    let written: BTreeSet<&str> = written.lines().collect();
    let mut types: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for line in all.lines().filter(|line| !written.contains(line)) {
        let Some((of, name)) = implementation(line) else { continue };
        types.entry(of).or_default().insert(name);
    }
    let lines = types.into_iter().map(|(of, mut names)| {
        if AUTO.iter().all(|&name| names.contains(name)) {
            names.retain(|name| !AUTO.contains(&name.as_str()));
            names.insert("auto".to_owned());
        }
        let names: Vec<String> = names.into_iter().collect();
        format!("{of}: {}\n", names.join(", "))
    });
    lines.collect()
}

/// Returns the type of an item that implements a trait, and the trait without its path, with its
/// condition in brackets.
fn implementation(line: &str) -> Option<(&str, String)> {
    let (head, of) = line.strip_prefix("impl")?.split_once(" for ")?;
    let path = head.rsplit("> ").next().unwrap_or(head).trim_start();
    let generics = path.find('<').unwrap_or(path.len());
    let name = path[..generics].rsplit("::").next().unwrap_or(path);
    let no = if path.starts_with('!') { "!" } else { "" };
    if INTERNAL.contains(&name) {
        return None;
    }
    let (of, condition) = of.split_once(" where ").unwrap_or((of, ""));
    let name = format!("{no}{name}{}", &path[generics..]);
    let brackets = if condition.is_empty() { name } else { format!("{name} ({condition})") };
    Some((of, brackets))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "impl core::fmt::Display for a::One\npub struct a::One\n";
    const DERIVED: &str = "impl core::clone::Clone for a::One\npub fn a::One::clone(&self) -> a::One\n\
                           impl core::marker::Send for a::One\nimpl core::marker::Freeze for a::One\n";

    #[test]
    fn derived_traits_are_listed_by_type() {
        let before = page(WRITTEN, &format!("{WRITTEN}{DERIVED}"));
        assert_eq!(before, "a::One: Clone, Send\n", "traits that are written out are items");
        let lost = DERIVED.replace("impl core::marker::Send", "impl !core::marker::Send");
        let after = page(WRITTEN, &format!("{WRITTEN}{lost}"));
        assert_eq!(after, "a::One: !Send, Clone\n", "a lost `Send` is shown");
        let auto = AUTO.map(|name| format!("impl core::marker::{name} for a::One\n")).concat();
        assert_eq!(page("", &format!("{DERIVED}{auto}")), "a::One: Clone, auto\n");
        for (line, expected) in [
            (
                "impl<'a, T> core::marker::Send for a::Of<'a, T> where T: core::marker::Send\n",
                "a::Of<'a, T>: Send (T: core::marker::Send)\n",
            ),
            (
                "impl<T: core::cmp::PartialEq<u8>> core::cmp::PartialEq<u8> for a::Of<T>\n",
                "a::Of<T>: PartialEq<u8>\n",
            ),
        ] {
            assert_eq!(page("", line), expected, "the condition of a generic type is kept");
        }
    }
}
