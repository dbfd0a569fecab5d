use proptest::prelude::*;
use prowess_testkit::hostile_texts;
use prowess_text::{
    is_one_line, one_line, push_xml_code, push_xml_element, push_xml_label, push_xml_line,
    xml_attribute, xml_element, xml_entities,
};

#[test]
fn an_element_keeps_its_lines() {
    assert_eq!(
        xml_element("a\r\n<b> & \"c\" 'd'"),
        "a\n&lt;b&gt; &amp; &quot;c&quot; &#x27;d&#x27;"
    );
    let mut text = "x".to_owned();
    push_xml_element(&mut text, "a\n<");
    push_xml_line(&mut text, " a\n < ");
    assert_eq!(text, "xa\n&lt;a &lt;");
}

#[test]
fn an_attribute_is_on_one_line() {
    assert_eq!(xml_attribute("a\" b='<&>\n\t"), "a&quot; b=&#x27;&lt;&amp;&gt;&#10;&#9;");
    assert_eq!(xml_attribute("plain"), "plain");
}

#[test]
fn entities_alone_leave_the_rest() {
    assert_eq!(xml_entities("a\u{202e}\n<"), "a\u{202e}\n&lt;");
}

/// Encodes one character after the other.
fn plainly_encoded(text: &str) -> String {
    let entity = |character| match character {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#x27;".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(entity).collect()
}

proptest! {
    #[test]
    fn texts_of_any_length_are_encoded_like_their_characters(
        text in "[ -~\\t\\n]{0,70}|[a-z ]{0,70}[&<>\"']?[a-z ]{0,70}…?",
    ) {
        let (mut element, mut line) = (String::new(), String::new());
        let is_plain = push_xml_element(&mut element, &text);
        let is_plain_line = push_xml_line(&mut line, &text);
        prop_assert!(!is_plain || element == text);
        prop_assert!(!is_plain_line || line == text);
        let words: Vec<_> = text.split_whitespace().collect();
        prop_assert_eq!(&element, &plainly_encoded(&text));
        prop_assert_eq!(&line, &plainly_encoded(&words.join(" ")));
        let is_folded = words.join(" ") == text;
        prop_assert_eq!(is_one_line(&text), is_folded && text.is_ascii());
    }
}

#[test]
fn appended_text_equals_the_encoded_one() {
    for text in hostile_texts() {
        let (mut element, mut line) = ("x".to_owned(), "x".to_owned());
        push_xml_element(&mut element, &text);
        push_xml_line(&mut line, &text);
        assert_eq!(element[1..], xml_element(&text), "{text:?}");
        assert_eq!(line[1..], xml_element(&one_line(&text)), "{text:?}");
    }
}

#[test]
fn plain_texts_are_reported() {
    let mut text = String::new();
    assert!(push_xml_element(&mut text, "a\nb"));
    assert!(push_xml_line(&mut text, "c d"));
    assert!(push_xml_line(&mut text, "e…"), "a shortened text");
    assert!(!push_xml_line(&mut text, "f\ng"));
    assert_eq!(text, "a\nbc de…f g");
}

#[test]
fn labels_and_code_end_where_they_end() {
    let mut text = String::new();
    push_xml_label(&mut text, "a: b<:c");
    text.push_str(": ");
    push_xml_code(&mut text, "d`e\nf");
    assert_eq!(text, "a&#58; b&lt;:c: d&#96;e f");
    push_xml_label(&mut text, "plain");
    assert_eq!(text, "a&#58; b&lt;:c: d&#96;e fplain", "what was there stays");
}
