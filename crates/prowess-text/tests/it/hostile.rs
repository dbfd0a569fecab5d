//! The hostile corpus through every destination.

use proptest::prelude::*;
use prowess_testkit::{disguised_tag_in, hostile_texts, invisible_in};
use prowess_text::*;

fn boundary() -> Boundary {
    Boundary::new("5f3a9c1e77b04d28")
}

/// Encodes a text for every destination that a person or a model reads.
fn destinations(text: &str) -> Vec<(&'static str, String)> {
    let mut element = String::new();
    push_xml_element(&mut element, text);
    let mut line = String::new();
    push_xml_line(&mut line, text);
    let mut label = String::new();
    push_xml_label(&mut label, text);
    let mut code = String::new();
    push_xml_code(&mut code, text);
    let mut json = String::new();
    push_json_string(&mut json, &one_line(text));
    let mut value = serde_json::json!({ text: [text] });
    model_value(&mut value);
    vec![
        ("xml_element", xml_element(text).into_owned()),
        ("push_xml_element", element),
        ("push_xml_line", line),
        ("push_xml_label", label),
        ("push_xml_code", code),
        ("push_json_string", json),
        ("xml_attribute", xml_attribute(text).into_owned()),
        ("model_body", model_body(text, &boundary()).into_owned()),
        ("model_value", value.to_string()),
        ("quoted", quoted(text)),
        ("clipped", clipped(text, 400)),
        ("terminal_line", terminal_line(text).into_owned()),
        ("ascii_only", ascii_only(text).into_owned()),
        ("terminal_lines", terminal_lines(text).into_owned()),
        ("terminal_json", terminal_json(&serde_json::json!(text).to_string()).into_owned()),
        ("shell_word", shell_word(text).into_owned()),
        ("markdown_code", markdown_code(text)),
    ]
}

/// The destinations in which a model might mistake a tag for a guarded one.
const READ_BY_MODELS: [&str; 11] = [
    "xml_element", "push_xml_element", "push_xml_line", "push_xml_label", "push_xml_code",
    "push_json_string", "xml_attribute", "model_body", "model_value", "quoted", "clipped",
];

#[test]
fn no_destination_shows_an_invisible_character() {
    for text in hostile_texts() {
        for (destination, encoded) in destinations(&text) {
            let found = invisible_in(&encoded);
            assert_eq!(found, None, "{destination} of {text:?} is {encoded:?}");
        }
    }
}

#[test]
fn no_model_reads_a_guarded_tag() {
    for text in hostile_texts() {
        for (destination, encoded) in destinations(&text) {
            if READ_BY_MODELS.contains(&destination) {
                let found = disguised_tag_in(&encoded);
                assert_eq!(found, None, "{destination} of {text:?} is {encoded:?}");
            }
        }
    }
}

/// The visible text, as an XML parser returns it: every bracket of the corpus that looks like `<`
/// opens a guarded tag.
fn with_plain_brackets(text: &str) -> String {
    visible_lines(text).replace(['\u{ff1c}', '\u{fe64}', '\u{2039}', '\u{3008}'], "<")
}

#[test]
fn an_xml_parser_reads_one_element() {
    for text in hostile_texts() {
        let element = xml_element(&text);
        let attribute = xml_attribute(&text);
        let document = format!("<a b=\"{attribute}\">{element}</a>");
        let document = roxmltree::Document::parse(&document).expect("well-formed XML");
        let root = document.root_element();
        assert_eq!(root.children().filter(roxmltree::Node::is_element).count(), 0, "{text:?}");
        let visible = with_plain_brackets(&text);
        assert_eq!(root.text().unwrap_or_default(), visible, "the text of {text:?}");
        assert_eq!(root.attribute("b"), Some(visible.as_str()), "the attribute of {text:?}");
    }
}

#[test]
fn a_wrapped_body_is_one_element_whatever_its_text() {
    for text in hostile_texts() {
        let wrapped =
            wrap_body("skill_content", &[("name", &text)], &xml_element(&text), &boundary());
        let document = roxmltree::Document::parse(&wrapped).expect("well-formed XML");
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "skill_content-5f3a9c1e77b04d28");
        assert_eq!(root.attribute("name"), Some(with_plain_brackets(&text).as_str()));
    }
}

proptest! {
    #[test]
    fn any_text_is_safe_everywhere(text in "(?s).{0,40}") {
        for (destination, encoded) in destinations(&text) {
            // An emoji keeps its joiners, and only the encoder decides where an emoji is.
            let joiners = ['\u{200d}', '\u{fe0e}', '\u{fe0f}'];
            let others: String = encoded.chars().filter(|c| !joiners.contains(c)).collect();
            prop_assert_eq!(invisible_in(&others), None, "{} of {:?}", destination, text);
        }
        let document = format!("<a>{}</a>", xml_element(&text));
        let is_well_formed = roxmltree::Document::parse(&document).is_ok();
        prop_assert!(is_well_formed, "{document:?}");
    }
}
