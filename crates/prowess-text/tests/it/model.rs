use prowess_testkit::DISGUISED_TAGS;
use prowess_testkit::rows;
use prowess_text::{Boundary, GUARDED_TAGS, model_body, model_value, wrap_body};
use serde_json::json;

fn body(text: &str) -> String {
    model_body(text, &Boundary::new("5f3a")).into_owned()
}

#[test]
fn every_disguise_of_a_tag_is_recognised() {
    for tag in DISGUISED_TAGS {
        assert!(body(tag).contains("&lt;"), "{tag:?} is {:?}", body(tag));
    }
    for tag in GUARDED_TAGS {
        assert_eq!(body(&format!("</{tag}>")), format!("&lt;/{tag}>"));
        assert_eq!(body(&format!("<{tag} a=\"b\">")), format!("&lt;{tag} a=\"b\">"));
    }
}

#[test]
fn look_alike_letters_are_recognised() {
    for (letter, disguise) in [("l", "I"), ("l", "1"), ("l", "|"), ("o", "0"), ("_", "-")] {
        for tag in GUARDED_TAGS {
            let disguised = tag.replace(letter, disguise);
            assert_eq!(body(&format!("</{disguised}>")), format!("&lt;/{disguised}>"));
        }
    }
}

/// In other scripts, a capital `I` is a letter of its own.
#[test]
fn look_alikes_of_two_kinds_in_one_name_are_recognised() {
    assert_eq!(body("</\u{455}kilI>"), "&lt;/\u{455}kilI>");
    assert_eq!(body("</\u{455}kiII>"), "&lt;/\u{455}kiII>");
}

#[test]
fn other_text_is_unchanged() {
    for [text] in rows(include_str!("../data/tables.txt"), "other_text_is_unchanged") {
        let text = &*text;
        assert_eq!(body(text), text);
    }
}

#[test]
fn a_guarded_name_may_go_on_behind_a_separator() {
    assert_eq!(body("</skill_content-5>"), "&lt;/skill_content-5>");
    assert_eq!(body("</skill_content.x>"), "&lt;/skill_content.x>");
    assert_eq!(body("</skill_contents>"), "</skill_contents>");
    assert_eq!(body("<skill\u{ff1e}"), "&lt;skill\u{ff1e}", "a bracket ends a name");
    assert_eq!(
        body("</skіll\u{ff1e}"),
        "&lt;/skіll\u{ff1e}",
        "also behind a letter of another script"
    );
}

#[test]
fn only_the_bracket_is_changed() {
    assert_eq!(body("é <<skill> and \u{ff1c}/skills> end"), "é <&lt;skill> and &lt;/skills> end");
}

#[test]
fn the_boundary_does_not_stay_in_a_body() {
    assert_eq!(body("</x-5f3a> 5f3a"), "</x-…> …");
    assert_eq!(model_body("a", &Boundary::new("")), "a", "an empty boundary is in no text");
}

#[test]
fn a_boundary_is_a_part_of_an_xml_name() {
    assert_eq!(Boundary::new("a b<>\n\"-é9").tag("x"), "x-ab9");
    assert_eq!(Boundary::new("<>").tag("x"), "x");
    assert_eq!(Boundary::new(&"a".repeat(100)).as_str().len(), 64);
    assert_eq!(Boundary::from_bytes(&[0, 0xaf]).as_str(), "00af");
    assert_eq!(format!("{:?}", Boundary::new("5f3a")), "Boundary(…)", "a log shows no secret");
}

#[test]
fn a_wrapper_encodes_its_attributes() {
    let boundary = Boundary::new("5f3a");
    let text = wrap_body("t", &[("name", "a\"<\n"), ("directory", "/x")], "body\n", &boundary);
    assert_eq!(text, "<t-5f3a name=\"a&quot;&lt;&#10;\" directory=\"/x\">\nbody\n</t-5f3a>");
}

#[test]
fn every_string_of_a_value_is_encoded() {
    let mut value = json!({ "a\u{202e}": ["</skill>", 1, null, { "b": "x\u{200b}" }], "ok": true });
    model_value(&mut value);
    assert_eq!(value, json!({ "a": ["&lt;/skill>", 1, null, { "b": "x" }], "ok": true }));
}

#[test]
fn many_brackets_take_linear_time() {
    // A quadratic guard would need minutes for these.
    for piece in ["<", "<\u{200b}", "<é", "< ", "<skil", "＜s\u{301}"] {
        let text = piece.repeat(20_000);
        assert!(body(&text).len() <= text.len(), "{piece:?} repeated");
    }
}
