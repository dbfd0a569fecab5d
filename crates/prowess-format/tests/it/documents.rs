//! Whole files, as authors write them.

use prowess_format::{Profile, parse};

use crate::support::codes;

#[test]
fn a_full_example_keeps_everything() {
    let file = "---\nname: review-code\ndescription: >\n  Reviews changes.\n  Use when asked for a review.\n\
                license: Apache-2.0\ncompatibility: Needs git\nmetadata:\n  author: someone\n  \
                version: \"1.10\"\nallowed-tools: Bash(git diff:*) Read\n---\n# Reviews\n";
    for profile in Profile::ALL {
        assert!(codes(file.as_bytes(), profile).is_empty(), "it has no finding under {profile}");
    }
    let document = parse(file.as_bytes(), Profile::Lenient).document.expect("a document");
    let frontmatter = document.frontmatter;
    assert_eq!(frontmatter.description, "Reviews changes. Use when asked for a review.");
    assert_eq!(frontmatter.license.as_deref(), Some("Apache-2.0"));
    assert_eq!(frontmatter.compatibility.as_deref(), Some("Needs git"));
    assert_eq!(frontmatter.fields.iter().count(), 6);
    assert_eq!((document.body, document.body_line), ("# Reviews\n", 13));
}

#[test]
fn a_title_is_the_first_heading_of_the_first_level() {
    for (body, title) in [
        ("# Filling forms\n# Other\n", Some("Filling forms")),
        ("Text.\n\n  # Filling forms #\r\n", Some("Filling forms")),
        ("## When\n\n# Forms", Some("Forms")),
        ("```sh\n# no title\n~~~\n```\n# Forms\n", Some("Forms")),
        ("#\n# \n#Forms\n    # code\n## When\n", None),
        ("```\n# no title\n", None),
        ("", None),
    ] {
        let file = format!("---\nname: pdf\ndescription: x\n---\n{body}");
        let document = parse(file.as_bytes(), Profile::Lenient).document.expect("a good file");
        assert_eq!(document.title(), title, "{body:?}");
    }
}
