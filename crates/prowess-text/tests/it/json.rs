use prowess_testkit::hostile_texts;
use prowess_text::{push_json_string, terminal_json};
use serde_json::Value;

#[test]
fn terminal_json_has_the_same_value() {
    for text in hostile_texts() {
        let value = serde_json::json!({ text.clone(): [text, 1] });
        for json in [value.to_string(), format!("{value:#}")] {
            let read: Value = serde_json::from_str(&terminal_json(&json)).expect("JSON");
            assert_eq!(read, value);
        }
    }
}

#[test]
fn characters_that_a_terminal_obeys_are_numbers() {
    assert_eq!(terminal_json("\"\u{9b}\u{202e}\u{7f}\""), r#""\u009b\u202e\u007f""#);
    assert_eq!(terminal_json("{\r\n\t\"a\": 1}"), "{\r\n\t\"a\": 1}", "white space of JSON stays");
    assert_eq!(terminal_json("\"é漢👩\u{200d}🔬\""), "\"é漢👩\u{200d}🔬\"");
}

#[test]
fn a_json_string_in_a_prompt_has_no_tag() {
    for text in hostile_texts() {
        let mut json = "x ".to_owned();
        push_json_string(&mut json, &text);
        assert!(!json.contains(['<', '>', '\n']), "{json:?}");
        let read: Value = serde_json::from_str(&json[2..]).expect("JSON");
        assert_eq!(read, Value::from(text));
    }
}
