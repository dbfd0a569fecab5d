//! Any input returns an answer.

use proptest::prelude::*;
use prowess_lint::reference::{read_properties, validate};

/// Lines that reach each state of the scanner.
const LINES: &[&str] = &[
    "name: pdf\n",
    "description: Fills forms.\n",
    "description: |+2\n    a\n   b\n\n",
    "description: >-\n  a\n    b\n  # no comment\n",
    "description: \"\\x41 \\u00e9 \\q\"\n",
    "description: 'it''s\n  folded'\n",
    "license: !!str MIT\n",
    "license: !<tag:yaml.org,2002:str> MIT\n",
    "%YAML 1.2\n---\n",
    "%TAG ! tag:example.com,2000:\n",
    "compatibility: &a x\nmetadata: *a\n",
    "metadata:\n  a: [1, {b: c}]\n  ? - d\n  : e\n",
    "metadata:\n  - a\n  - - b\n    - c: d\n",
    "metadata:\n  a: b\n  a: c\n",
    "? name\n: pdf\n",
    "allowed-tools: Read, Bash(git:*)\n",
    "\tname: pdf\n",
    "name: @pdf\n",
    "name: `pdf\n",
    "name: pdf # comment\n",
    "name: Über-ﬁle\n",
    "name: \u{1d7d8}\u{200d}\u{85}\u{2028}\n",
    "...\nb: c\n",
    "- a\n- b: c\n",
    "a: b: c\n",
    "}\n",
];

fn frontmatter() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        6 => prop::sample::select(LINES).prop_map(str::to_owned),
        1 => "[ -~]{0,12}\n",
    ];
    let start = prop_oneof![Just(""), Just("name: pdf\ndescription: x\n")];
    (start, prop::collection::vec(line, 0..6))
        .prop_map(|(start, lines)| start.to_owned() + &lines.concat())
}

proptest! {
    #[test]
    fn any_input_returns_an_answer(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        yaml in frontmatter(),
    ) {
        let framed = [b"---\n".as_slice(), &bytes, b"\n---\n"].concat();
        for file in [bytes, framed, format!("---\n{yaml}---\n").into_bytes()] {
            let messages = validate(&file, "pdf");
            let properties = read_properties(&file);
            if messages == Ok(Vec::new()) {
                prop_assert!(properties.is_ok(), "a valid skill has properties");
            }
        }
    }
}
