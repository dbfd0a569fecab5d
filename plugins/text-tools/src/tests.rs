//! Calls of the tools as a model makes them.

use expect_test::{Expect, expect};
use prowess_plugin_sdk::ToolProvider;
use prowess_plugin_sdk::prowess_core::{Code, Content, ToolResult};
use prowess_testkit::{call_tool, check_tools};
use serde_json::{Value, json};

use super::TextTools;

const CSV: &str =
    "city,people,note\nOslo,717710,\"the | capital\"\nBergen,291940,\"rain,\nmostly\"\n";
const MARKDOWN: &str = "# Tea\n\nIntro\n\n## Green\n\n```\n# not a heading\n```\n\n### Time\n\n2 min\n\n## Black `tea`\n\n4 min\n";
const JSON: &str = r#"{"items": [{"name": "a", "price": 3}, {"name": "b", "price": 12}]}"#;

fn call(name: &str, arguments: &Value) -> ToolResult {
    let tools = TextTools.tools();
    let tool = tools.iter().find(|tool| tool.name() == name);
    call_tool(&**tool.expect("there is such a tool"), arguments)
}

/// Checks the answer, which starts with the code if it is an error.
#[track_caller]
fn check(name: &str, arguments: &Value, expected: &Expect) {
    let result = call(name, arguments);
    let mut text = result.code.map(|code| format!("{code}: ")).unwrap_or_default();
    for content in &result.content {
        let Content::Text { text: part } = content else { panic!("the answer is text") };
        text.push_str(part);
    }
    expected.assert_eq(&text);
}

#[test]
fn tools_pass_the_kit() {
    check_tools(
        &TextTools,
        &[
            ("csv.rows", json!({"csv": CSV})),
            ("markdown.section", json!({"markdown": MARKDOWN, "heading": "green"})),
            ("json.query", json!({"json": JSON, "query": "$.items[*].name"})),
        ],
    );
}

#[test]
fn rows_are_a_table() {
    check(
        "csv.rows",
        &json!({"csv": CSV}),
        &expect![[r#"
        | city | people | note |
        | --- | --- | --- |
        | Oslo | 717710 | the \| capital |
        | Bergen | 291940 | rain, mostly |

        Rows 1 to 2 of 2."#]],
    );
    check(
        "csv.rows",
        &json!({"csv": CSV, "columns": ["people", "city"], "offset": 1, "limit": 1}),
        &expect![[r#"
            | people | city |
            | --- | --- |
            | 291940 | Bergen |

            Rows 2 to 2 of 2."#]],
    );
    check(
        "csv.rows",
        &json!({"csv": "a;b\n1;2\n", "delimiter": ";", "offset": 9}),
        &expect![[r#"
        | a | b |
        | --- | --- |

        No row from 9 on; the table has 1."#]],
    );
    let data = call("csv.rows", &json!({"csv": CSV, "limit": 1})).structured;
    let expected = json!({
        "columns": ["city", "people", "note"],
        "rows": [["Oslo", "717710", "the | capital"]],
        "offset": 0,
        "total": 2,
    });
    assert_eq!(data, Some(expected), "a host gets the rows as data");
}

#[test]
fn an_invalid_table_is_reported() {
    check(
        "csv.rows",
        &json!({"csv": "a,b\n1,2\n3\n"}),
        &expect![
            "invalid-arguments: the table cannot be read: CSV error: record 2 (line: 3, byte: 8): found record with 1 fields, but the previous record has 2 fields"
        ],
    );
    check(
        "csv.rows",
        &json!({"csv": CSV, "columns": ["town"]}),
        &expect!["not-found: no column `town`; there are `city`, `people`, `note`"],
    );
    let wide = vec!["x"; 201].join(",");
    check(
        "csv.rows",
        &json!({"csv": wide}),
        &expect!["too-large: the table has 201 columns, and 200 can be read"],
    );
    let long = format!("a\n{}\n", "x".repeat(200_000));
    check(
        "csv.rows",
        &json!({"csv": long}),
        &expect![
            "too-large: the answer has 200068 bytes, and 100000 are allowed; ask for less of it"
        ],
    );
}

#[test]
fn section_includes_its_subsections() {
    check(
        "markdown.section",
        &json!({"markdown": MARKDOWN, "heading": " GREEN "}),
        &expect![[r#"
        ## Green

        ```
        # not a heading
        ```

        ### Time

        2 min"#]],
    );
    check(
        "markdown.section",
        &json!({"markdown": MARKDOWN, "heading": "black tea"}),
        &expect![[r#"
        ## Black `tea`

        4 min"#]],
    );
    check(
        "markdown.section",
        &json!({"markdown": MARKDOWN}),
        &expect![[r#"
        - Tea
          - Green
            - Time
          - Black tea
    "#]],
    );
    check("markdown.section", &json!({"markdown": "none"}), &expect!["The text has no heading."]);
    check(
        "markdown.section",
        &json!({"markdown": MARKDOWN, "heading": "Red"}),
        &expect![[r#"
        not-found: no heading `Red`; the text has these:
        - Tea
          - Green
            - Time
          - Black tea
    "#]],
    );
}

#[test]
fn query_returns_values_with_paths() {
    check(
        "json.query",
        &json!({"json": JSON, "query": "$.items[?@.price < 10].name"}),
        &expect![[r#"
            {
              "total": 1,
              "values": [
                {
                  "path": "$['items'][0]['name']",
                  "value": "a"
                }
              ]
            }"#]],
    );
    check(
        "json.query",
        &json!({"json": JSON, "query": "$..price", "limit": 1}),
        &expect![[r#"
        {
          "total": 2,
          "values": [
            {
              "path": "$['items'][0]['price']",
              "value": 3
            }
          ]
        }"#]],
    );
    check(
        "json.query",
        &json!({"json": JSON, "query": "$.none"}),
        &expect![[r#"
        {
          "total": 0,
          "values": []
        }"#]],
    );
}

#[test]
fn an_invalid_query_is_reported() {
    check(
        "json.query",
        &json!({"json": "{", "query": "$"}),
        &expect![
            "invalid-arguments: the document is no JSON: EOF while parsing an object at line 1 column 1"
        ],
    );
    check(
        "json.query",
        &json!({"json": JSON, "query": "items"}),
        &expect![
            "invalid-arguments: the query is no JSONPath: at position 0, parser error; it begins with `$`, as in `$.a[0]`"
        ],
    );
}

#[test]
fn expensive_query_is_refused() {
    let deep = "[".repeat(100) + &"]".repeat(100);
    let wide = format!("[{}]", vec!["1"; 10_000].join(","));
    let unions = format!("${}", "[0,0]".repeat(50));
    let nested = format!("$[?{}1==1{}]", "(".repeat(100), ")".repeat(100));
    let cases = [
        (&*deep, "$..*..*..*..*..*..*..*"),
        (&wide, "$[?$..[?@ == 2]]"),
        ("[[]]", &unions),
        ("[]", &nested),
    ];
    for (document, query) in cases {
        let result = call("json.query", &json!({"json": document, "query": query}));
        let code = result.code.as_ref().map(Code::as_str);
        assert!(matches!(code, Some("too-large" | "invalid-arguments")), "{query}: {result:?}");
    }
}

#[test]
fn messages_are_truncated() {
    let many = "# Heading\n\n".repeat(10_000);
    let result = call("markdown.section", &json!({"markdown": many, "heading": "none"}));
    let Some(Content::Text { text }) = result.content.first() else { panic!("it is text") };
    assert!(text.len() < 5_000, "the outline is cut: {} bytes", text.len());
}
