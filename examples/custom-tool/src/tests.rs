use super::*;

#[test]
fn tool_counts_words_and_other_arguments_are_refused() -> Result<(), Error> {
    let runtime = Runtime::builder().tools(Arc::new(WordCount)).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    let call = |arguments| turn.call(&ToolCall::new("text_count", arguments)).result;
    assert_eq!(call(json!({ "text": "one two" })).structured, Some(json!({ "words": 2 })));
    let code = call(json!({ "txt": "one" })).code;
    assert_eq!(code.as_ref().map(prowess::Code::as_str), Some("invalid-arguments"));
    Ok(())
}
