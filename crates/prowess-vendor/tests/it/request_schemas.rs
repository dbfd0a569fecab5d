//! JSON schemas of requests, as far as the formats are used. Each object is closed.

use prowess_vendor::WireFormat;
use serde_json::{Map, Value, json};

/// Returns a closed object with these fields. A name that ends with `?` is optional.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, schema) in fields {
        let optional = name.strip_suffix('?');
        if optional.is_none() {
            required.push(name);
        }
        properties.insert(optional.unwrap_or(name).to_owned(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1 })
}

fn any_of<const N: usize>(options: [Value; N]) -> Value {
    json!({ "anyOf": Vec::from(options) })
}

fn word(value: &str) -> Value {
    json!({ "const": value })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn object_of_anything() -> Value {
    json!({ "type": "object" })
}

fn positive() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

pub(crate) fn schema(format: WireFormat) -> Value {
    match format {
        WireFormat::OpenAiChat => openai_chat(),
        WireFormat::OpenAiResponses => openai_responses(),
        WireFormat::Anthropic => anthropic(),
        WireFormat::Gemini => gemini(),
        other => panic!("{other:?} has no requests"),
    }
}

fn openai_chat() -> Value {
    let flag = json!({ "type": "boolean" });
    let function = object([
        ("name", text()),
        ("description", text()),
        ("strict", flag),
        ("parameters", object_of_anything()),
    ]);
    let tool = object([("type", word("function")), ("function", function)]);
    let text_part = object([("type", word("text")), ("text", text())]);
    let url = object([("url", text())]);
    let image = object([("type", word("image_url")), ("image_url", url)]);
    let content = any_of([text(), list(&any_of([text_part, image]))]);
    let made = object([("name", text()), ("arguments", text())]);
    let call = object([("id", text()), ("type", word("function")), ("function", made)]);
    let message = any_of([
        object([("role", word("system")), ("content", text())]),
        object([("role", word("user")), ("content", content)]),
        object([
            ("role", word("assistant")),
            ("content", json!({ "type": ["string", "null"] })),
            ("tool_calls?", list(&call)),
        ]),
        object([("role", word("tool")), ("tool_call_id", text()), ("content", text())]),
    ]);
    object([
        ("model", text()),
        ("max_completion_tokens?", positive()),
        ("tools?", list(&tool)),
        ("messages", list(&message)),
    ])
}

fn openai_responses() -> Value {
    let tool = object([
        ("type", word("function")),
        ("name", text()),
        ("description", text()),
        ("strict", json!({ "type": "boolean" })),
        ("parameters", object_of_anything()),
    ]);
    let text_part = object([("type", word("input_text")), ("text", text())]);
    let image = object([("type", word("input_image")), ("image_url", text())]);
    let output = any_of([text(), list(&any_of([text_part.clone(), image]))]);
    let image =
        object([("type", word("input_image")), ("image_url", text()), ("detail", word("auto"))]);
    let content = any_of([text(), list(&any_of([text_part, image]))]);
    let role = json!({ "enum": ["user", "assistant", "developer"] });
    let item = any_of([
        object([("type", word("message")), ("role", role), ("content", content)]),
        object([
            ("type", word("function_call")),
            ("call_id", text()),
            ("name", text()),
            ("arguments", text()),
        ]),
        object([("type", word("function_call_output")), ("call_id", text()), ("output", output)]),
    ]);
    object([
        ("model", text()),
        ("max_output_tokens?", positive()),
        ("tools?", list(&tool)),
        ("instructions?", text()),
        ("input", list(&item)),
    ])
}

fn anthropic() -> Value {
    let cache = object([("type", word("ephemeral"))]);
    let tool = object([
        ("name", text()),
        ("description", text()),
        ("input_schema", object_of_anything()),
        ("cache_control?", cache.clone()),
    ]);
    let said = json!({ "type": "string", "minLength": 1 });
    let text_block =
        object([("type", word("text")), ("text", said), ("cache_control?", cache.clone())]);
    let source = object([("type", word("base64")), ("media_type", text()), ("data", text())]);
    let image =
        object([("type", word("image")), ("source", source), ("cache_control?", cache.clone())]);
    let call = object([
        ("type", word("tool_use")),
        ("id", text()),
        ("name", text()),
        ("input", object_of_anything()),
        ("cache_control?", cache.clone()),
    ]);
    let result = object([
        ("type", word("tool_result")),
        ("tool_use_id", text()),
        ("content", list(&text_block)),
        ("is_error?", json!({ "const": true })),
        ("cache_control?", cache),
    ]);
    let from_user = list(&any_of([text_block.clone(), image, result]));
    let message = any_of([
        object([("role", word("user")), ("content", from_user)]),
        object([
            ("role", word("assistant")),
            ("content", list(&any_of([text_block.clone(), call]))),
        ]),
    ]);
    object([
        ("model", text()),
        ("max_tokens", positive()),
        ("tools?", list(&tool)),
        ("system?", list(&text_block)),
        ("messages", list(&message)),
    ])
}

fn gemini() -> Value {
    let declaration =
        object([("name", text()), ("description", text()), ("parameters?", object_of_anything())]);
    let tool = object([("functionDeclarations", list(&declaration))]);
    let text_part = object([("text", text())]);
    let inline = object([("mimeType", text()), ("data", text())]);
    let call = object([("id?", text()), ("name", text()), ("args", object_of_anything())]);
    let response = object([("id?", text()), ("name", text()), ("response", object_of_anything())]);
    let part = any_of([
        text_part.clone(),
        object([("inlineData", inline)]),
        object([("functionCall", call)]),
        object([("functionResponse", response)]),
    ]);
    let role = json!({ "enum": ["user", "model"] });
    object([
        ("systemInstruction?", object([("parts", list(&text_part))])),
        ("tools?", list(&tool)),
        ("contents", list(&object([("role", role), ("parts", list(&part))]))),
        ("generationConfig?", object([("maxOutputTokens", positive())])),
    ])
}
