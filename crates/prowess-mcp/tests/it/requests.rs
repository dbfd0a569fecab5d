//! Every request gets an answer.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use prowess::ToolResult;
use prowess_testkit::{TestTool, rows};
use serde_json::{Value, json};

use crate::raw::{Raw, meta};
use crate::{block_on, embedded, runtime_with};

const REVISION: &str = "2025-11-25";

/// Sends one line to a server that is ready, and returns the answer.
fn answer_to(line: &[u8]) -> Value {
    block_on(async {
        let mut raw = Raw::embedded(REVISION).await;
        raw.send(line).await;
        let answer = raw.receive().await;
        let next = raw.request(json!("next"), "tools/list", json!({})).await;
        assert!(next["result"]["tools"].is_array(), "the connection goes on: {next}");
        answer
    })
}

#[track_caller]
fn check(line: &str, id: &Value, code: i64) {
    let answer = answer_to(line.as_bytes());
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert_eq!(&answer["id"], id, "the answer belongs to its request: {answer}");
    assert!(answer.to_string().len() < 1000, "the request is not repeated: {answer}");
}

#[test]
fn invalid_json_is_a_parse_error() {
    let call = |argument: &str| {
        let params = format!(r#"{{"name":"skills_load","arguments":{{"names":[{argument}]}}}}"#);
        format!(r#"{{"jsonrpc":"2.0","params":{params},"id":7,"method":"tools/call"}}"#)
    };
    check(&call("1e400"), &json!(7), -32700);
    check(&call(r#""\ud800""#), &json!(7), -32700);
    check(&call(&("[".repeat(100_000) + &"]".repeat(100_000))), &json!(7), -32700);
    check(r#"{"jsonrpc":"2.0","id":"a","#, &json!("a"), -32700);
    check("not json", &Value::Null, -32700);
    let answer = answer_to(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}");
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32700)));
}

#[test]
fn wrong_shape_is_an_invalid_request() {
    check("[]", &Value::Null, -32600);
    check("{}", &Value::Null, -32600);
    check("7", &Value::Null, -32600);
    check(r#"{"jsonrpc":"1.0","id":7,"method":"tools/list"}"#, &json!(7), -32600);
    check(r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, &Value::Null, -32600);
    check(r#"{"jsonrpc":"2.0","id":7,"method":7}"#, &json!(7), -32600);
}

#[test]
fn line_over_the_limit_is_an_invalid_request() {
    let long = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{}"}}"#, "a".repeat(17 << 20));
    check(&long, &json!(7), -32600);
}

#[test]
fn wrong_parameters_are_invalid_params() {
    let call = |params: Value| {
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }).to_string()
    };
    check(&call(json!({ "name": "skills_load", "arguments": [] })), &json!(7), -32602);
    check(
        &call(json!({ "name": "skills_load", "arguments": "x".repeat(1 << 20) })),
        &json!(7),
        -32602,
    );
    check(&call(json!({ "arguments": {} })), &json!(7), -32602);
    check(&call(json!({ "name": 7 })), &json!(7), -32602);
    check(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, &json!(7), -32602);
    check(&call(json!({ "name": "x".repeat(1 << 20) })), &json!(7), -32602);
    let list =
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": { "cursor": "x" } });
    check(&list.to_string(), &json!(7), -32602);
}

#[test]
fn unknown_method_is_not_repeated_whole() {
    let request = |method: &str| {
        json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": {} }).to_string()
    };
    check(&request("no/such/method"), &json!(7), -32601);
    check(&request(&"x".repeat(1 << 20)), &json!(7), -32601);
    let answer = answer_to(request("a\u{1b}[2Jb").as_bytes());
    assert_eq!(answer["error"]["message"], r"unknown method `a\u{1b}[2Jb`");
}

#[test]
fn equal_ids_in_flight_are_each_answered() {
    block_on(async {
        let (let_go, held) = channel();
        let held = Mutex::new(held);
        let tool = TestTool::new("held", "Waits.", move |_, _| {
            held.lock().expect("nothing panics").recv().expect("the test lets go");
            ToolResult::text("done")
        });
        let mut raw = Raw::greeted(Arc::new(runtime_with(Arc::new(tool))), REVISION).await;
        raw.ask(json!(7), "tools/call", json!({ "name": "held" })).await;
        for _ in 0..2 {
            let refused = raw.request(json!(7), "tools/list", json!({})).await;
            assert_eq!(refused["error"]["code"], -32600, "the id is in use: {refused}");
        }
        let_go.send(()).expect("the tool waits");
        let first = raw.receive().await;
        assert_eq!(first["result"]["content"][0]["text"], "done", "the first is answered");
        let again = raw.request(json!(7), "tools/list", json!({})).await;
        assert!(again["result"]["tools"].is_array(), "an answered id is free again: {again}");
    });
}

/// The client writes all requests before it reads an answer, between requests to cancel what was
/// never asked.
#[test]
fn ten_thousand_ids_are_each_answered_once() {
    const REQUESTS: u64 = 10_000;
    block_on(async {
        let mut raw = Raw::embedded(REVISION).await;
        let cancelled = |id: u64| {
            let params = json!({ "requestId": id + 1_000_000 });
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
        };
        let call = |id: u64| {
            let params = json!({ "name": "skills_list", "arguments": {} });
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
        };
        let lines: Vec<_> = (1..=REQUESTS)
            .flat_map(|id| [cancelled(id), call(id)])
            .map(|line| line.to_string())
            .collect();
        let answers = raw.send_all(&lines, REQUESTS).await;
        let mut ids: Vec<_> = answers.iter().filter_map(|answer| answer["id"].as_u64()).collect();
        ids.sort_unstable();
        assert!(ids.iter().copied().eq(1..=REQUESTS), "each id is answered once");
        assert!(answers.iter().all(|answer| answer["result"]["isError"] == false));
        assert_eq!(raw.close().await, Vec::<Value>::new(), "nothing else is sent");
    });
}

#[test]
fn ignorable_lines_get_no_answer() {
    block_on(async {
        let mut raw = Raw::embedded(REVISION).await;
        let lines = rows(include_str!("../data/messages.txt"), "ignored").map(|[line]| line);
        for line in lines.chain([String::new()]) {
            raw.send(line.as_bytes()).await;
        }
        raw.request(json!(1), "tools/list", json!({})).await;
        assert_eq!(raw.close().await, Vec::<Value>::new(), "nothing else is sent");
    });
}

#[test]
fn notification_before_the_handshake_is_ignored() {
    block_on(async {
        let mut raw = Raw::start(embedded());
        raw.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        let answer = raw.request(json!(1), "ping", json!({})).await;
        assert_eq!(answer["result"], json!({}), "the server waits for its client");
    });
}

#[test]
fn removed_method_is_unknown() {
    block_on(async {
        let mut raw = Raw::embedded("2026-07-28").await;
        let uri = "skill://skill-writing/SKILL.md";
        for (method, params) in [
            ("initialize", json!({})),
            ("ping", json!({})),
            ("logging/setLevel", json!({ "level": "debug" })),
            ("logging/setLevel", json!({})),
            ("resources/subscribe", json!({ "uri": uri })),
            ("resources/unsubscribe", json!({ "uri": uri })),
        ] {
            let refused = raw.request(json!(1), method, meta("2026-07-28", params)).await;
            assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
        }
    });
}

/// Clients that close their end at once: a pipe, or a shell.
#[test]
fn requests_before_the_end_are_answered() {
    let call = json!({ "name": "skills_load", "arguments": { "names": ["skill-writing"] } });
    let level = json!({ "level": "debug" });
    let mut reporting = call.clone();
    reporting["_meta"] = json!({ "progressToken": "p" });
    let request = |id: u64, method: &str, params: &Value| {
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
    };
    let check = |lines: &[String], tail: &str, answered: &[u64]| {
        let text = lines.join("\n") + tail;
        let sent = block_on(async {
            let mut raw = Raw::embedded(REVISION).await;
            raw.write(text.as_bytes()).await;
            raw.close().await
        });
        let mut ids: Vec<_> = sent.iter().filter_map(|message| message["id"].as_u64()).collect();
        ids.sort_unstable();
        assert_eq!(ids, answered, "{lines:?}: {sent:?}");
    };
    let list = request(1, "tools/list", &json!({}));
    check(std::slice::from_ref(&list), "\n", &[1]);
    check(std::slice::from_ref(&list), "", &[1]);
    let calls: Vec<_> = (2..40).map(|id| request(id, "tools/call", &call)).collect();
    check(&calls, "\n", &(2..40).collect::<Vec<_>>());
    // Notifications precede the answers, and wait until they are sent.
    let logged = [request(1, "logging/setLevel", &level), request(2, "tools/call", &reporting)];
    check(&logged, "\n", &[1, 2]);
}
