use prowess_text::{push_xml_element, push_xml_line, xml_attribute, xml_element, xml_entities};

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
