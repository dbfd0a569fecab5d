//! Prompts and completions.

use std::sync::Arc;

use prowess::Runtime;
use prowess_testkit::Tree;
use rmcp::model::{ArgumentInfo, CompleteRequestParams, GetPromptRequestParams, Reference};
use rmcp::service::ServiceError;
use serde_json::{Value, json};

use crate::{Client, block_on, greet};

const FORM: &str = "---\nname: form\ndescription: Fills forms.\nargument-hint: a file\n\
    arguments: [{name: file}, {name: colour, default: blue}]\n---\nFill $file in $colour.\n";

/// Connects a client to three skills, of which a user may load two.
async fn connect() -> Client {
    let tree = Tree::new("");
    tree.write("form/SKILL.md", FORM);
    tree.write("plain/SKILL.md", "---\nname: plain\ndescription: x\n---\nFollow me.\n");
    let hidden = "---\nname: hidden\ndescription: x\nuser-invocable: false\n---\nBody\n";
    tree.write("hidden/SKILL.md", hidden);
    let mut policies = prowess_mcp::policies();
    policies.tools.list_page = 1;
    let builder = Runtime::builder().policies(policies).skills_directory("user", tree.path());
    let client = greet(Arc::new(builder.build().expect("the runtime is complete"))).await;
    std::mem::forget(tree);
    client
}

async fn text(client: &Client, name: &str, arguments: Value) -> Result<String, ServiceError> {
    let arguments = arguments.as_object().expect("an object").clone();
    let params = GetPromptRequestParams::new(name).with_arguments(arguments);
    let prompt = client.get_prompt(params).await?;
    assert_eq!(prompt.messages.len(), 1);
    let content = prompt.messages[0].content.as_text().expect("a text");
    Ok(content.text.clone())
}

#[test]
fn each_skill_of_a_user_is_a_prompt() {
    block_on(async {
        let client = connect().await;
        let prompts = client.list_all_prompts().await.expect("an answer");
        let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(names, ["form", "plain"], "each page has one, and `hidden` is for models");
        let arguments = prompts[0].arguments.as_ref().expect("there are arguments");
        let shown: Vec<_> =
            arguments.iter().map(|argument| (&*argument.name, argument.required)).collect();
        let expected = [("file", Some(true)), ("colour", Some(false)), ("arguments", Some(false))];
        assert_eq!(shown, expected);
        assert_eq!(arguments[2].description.as_deref(), Some("a file"));
    });
}

#[test]
fn arguments_are_put_into_the_body() {
    block_on(async {
        let client = connect().await;
        let filled = text(&client, "form", json!({ "file": "a.pdf" })).await.expect("a prompt");
        assert!(filled.contains("Fill a.pdf in blue."), "{filled}");
        let plain = text(&client, "plain", json!({ "arguments": "the road" })).await;
        let plain = plain.expect("a prompt");
        assert!(plain.contains("Follow me.") && plain.contains("ARGUMENTS: the road"), "{plain}");
    });
}

#[test]
fn unknown_prompt_is_invalid_params() {
    block_on(async {
        let client = connect().await;
        for (name, arguments) in
            [("nothing", json!({})), ("hidden", json!({})), ("form", json!({ "file": 7 }))]
        {
            let error = text(&client, name, arguments).await.expect_err("it is refused");
            let ServiceError::McpError(error) = error else { panic!("{error}") };
            assert_eq!(error.code.0, -32602, "{name}: {error}");
        }
    });
}

#[test]
fn skills_of_a_template_are_completed() {
    block_on(async {
        let client = connect().await;
        let template = Reference::for_resource("skill://{skill}/{+path}");
        let skill = ArgumentInfo::new("skill", "f");
        let found = client.complete(CompleteRequestParams::new(template, skill.clone())).await;
        assert_eq!(found.expect("an answer").completion.values, ["form"]);
        let file = ArgumentInfo::new("file", "");
        let known = CompleteRequestParams::new(Reference::for_prompt("form"), file.clone());
        assert!(client.complete(known).await.expect("an answer").completion.values.is_empty());
        let unknown = CompleteRequestParams::new(Reference::for_prompt("nothing"), file);
        assert!(client.complete(unknown).await.is_err(), "there is no such prompt");
    });
}
