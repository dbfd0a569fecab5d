//! Names that look alike.

use unicode_security::skeleton;

use super::normalized;

/// Whether a reader may take one name for the other: they differ, and look the same.
///
/// By the skeletons of Unicode's UTS #39, after NFKC and in lower case; `_` counts as `-`.
///
/// ```
/// use prowess_format::are_confusable;
///
/// assert!(are_confusable("p\u{430}yment", "payment"));
/// assert!(!are_confusable("payment", "payment"));
/// ```
pub fn are_confusable(one: &str, other: &str) -> bool {
    normalized(one) != normalized(other) && name_skeleton(one) == name_skeleton(other)
}

/// Returns the skeleton of a name: names with equal skeletons look alike. A caller with many names
/// can use it as the key of a map.
pub fn name_skeleton(name: &str) -> String {
    ascii_skeleton(name).unwrap_or_else(|| skeleton_by_tables(name))
}

/// Returns the skeleton of a name of the letters, digits and signs that nearly all names have,
/// without the tables.
fn ascii_skeleton(name: &str) -> Option<String> {
    let mut skeleton = String::with_capacity(name.len() + 4);
    for byte in name.bytes() {
        match byte.to_ascii_lowercase() {
            b'm' => skeleton.push_str("rn"),
            b'0' => skeleton.push('O'),
            b'1' => skeleton.push('l'),
            b'_' => skeleton.push('-'),
            plain @ (b'a'..=b'z' | b'2'..=b'9' | b'-' | b'.' | b'/') => skeleton.push(plain.into()),
            _ => return None,
        }
    }
    Some(skeleton)
}

fn skeleton_by_tables(name: &str) -> String {
    let lower = normalized(name).to_lowercase().replace('_', "-");
    skeleton(lower.trim()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_needs_no_tables() {
        for byte in 0..0x80_u8 {
            let name = format!("a{}a", char::from(byte));
            let quick = ascii_skeleton(&name);
            assert!(quick.is_none_or(|quick| quick == skeleton_by_tables(&name)), "{name:?}");
        }
        assert!(ascii_skeleton("scripts/Make_1.sh").is_some(), "usual names are quick");
    }
}
