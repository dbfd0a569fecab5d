//! Any input returns an answer.

use proptest::prelude::*;
use prowess_lint::reference::{read_properties, validate};

/// Lines that reach each state of the scanner.
const LINES: &str = "name: pdf¦description: Fills forms.¦description: |+2\n    a\n   b\n¦\
    description: >-\n  a\n    b\n  # no comment¦description: \"\\x41 \\u00e9 \\q\"¦\
    description: 'it''s\n  folded'¦license: !!str MIT¦license: !<tag:yaml.org,2002:str> MIT¦\
    %YAML 1.2\n---¦%TAG ! tag:example.com,2000:¦compatibility: &a x\nmetadata: *a¦\
    metadata:\n  a: [1, {b: c}]\n  ? - d\n  : e¦metadata:\n  - a\n  - - b\n    - c: d¦\
    metadata:\n  a: b\n  a: c¦? name\n: pdf¦allowed-tools: Read, Bash(git:*)¦\tname: pdf¦\
    name: @pdf¦name: `pdf¦name: pdf # comment¦name: Über-ﬁle¦\
    name: \u{1d7d8}\u{200d}\u{85}\u{2028}¦...\nb: c¦- a\n- b: c¦a: b: c¦}";

fn frontmatter() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        6 => prop::sample::select(LINES.split('¦').collect::<Vec<_>>())
            .prop_map(|line| format!("{line}\n")),
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
