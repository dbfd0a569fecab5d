//! Messages that are nearly right.

use prowess_testkit::Random;
use serde_json::{Value, json};

fn pick<'t, T>(random: &mut Random, from: &'t [T]) -> &'t T {
    &from[random.below(from.len())]
}

/// The methods of the protocol, and parameters that are right. Subscriptions are not among them,
/// because they are answered when they end.
fn request(random: &mut Random) -> (String, Value) {
    let lines: Vec<_> = include_str!("requests.jsonl").lines().collect();
    serde_json::from_str(pick::<&str>(random, &lines)).expect("each line is a request")
}

/// Returns a message of one line. Most are requests with this id.
pub(crate) fn message(random: &mut Random, id: u64) -> Vec<u8> {
    let mut message =
        if random.below(20) == 0 { notification(random, id) } else { call(random, id) };
    for _ in 0..random.below(3) {
        spoil_value(random, &mut message, 0);
    }
    let mut bytes = message.to_string().into_bytes();
    if random.below(3) == 0 {
        for _ in 0..=random.below(3) {
            spoil_bytes(random, &mut bytes);
        }
    }
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

fn call(random: &mut Random, id: u64) -> Value {
    let (method, mut params) = request(random);
    let id = match random.below(12) {
        0 => json!(format!("text-{id}")),
        1 => json!(id.saturating_sub(1)),
        2 => hostile(random),
        _ => json!(id),
    };
    if params.is_object() && random.below(3) == 0 {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "soak", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": "p",
        });
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn notification(random: &mut Random, id: u64) -> Value {
    let cancelled = json!({ "requestId": id.saturating_sub(1), "reason": "soak" });
    let notifications = [
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/none" }),
        json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -1, "message": "x" } }),
        json!([{ "jsonrpc": "2.0", "id": id, "method": "ping" }]),
    ];
    pick(random, &notifications).clone()
}

/// Replaces, removes or adds one value somewhere in a message.
fn spoil_value(random: &mut Random, value: &mut Value, depth: usize) {
    let is_here = depth > 0 && random.below(3) == 0;
    match value {
        Value::Object(members) if !is_here && !members.is_empty() => {
            let key = members.keys().nth(random.below(members.len())).cloned().unwrap_or_default();
            match random.below(6) {
                0 => drop(members.remove(&key)),
                1 => drop(members.insert(format!("{key}\u{0}"), hostile(random))),
                _ => spoil_value(random, &mut members[&key], depth + 1),
            }
        }
        Value::Array(items) if !is_here && !items.is_empty() => {
            let at = random.below(items.len());
            spoil_value(random, &mut items[at], depth + 1);
        }
        value => *value = hostile(random),
    }
}

fn hostile(random: &mut Random) -> Value {
    let deep = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    match random.below(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(1e308),
        5 => json!(0.5),
        6 => json!(""),
        7 => json!("x".repeat(10_000)),
        8 => json!("../../../../etc/passwd"),
        9 => json!("\u{0}\u{202e}\u{1b}[2J\u{e0041}"),
        10 => json!({}),
        11 => json!([]),
        12 => deep(60),
        _ => deep(200),
    }
}

pub(crate) fn spoil_bytes(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let start = random.below(bytes.len());
    let end = (start + random.below(16)).min(bytes.len());
    match random.below(6) {
        0 => bytes[start] ^= 1 << random.below(8),
        1 => bytes.truncate(start),
        2 => drop(bytes.drain(start..end)),
        3 => {
            let copy = bytes[start..end].to_vec();
            drop(bytes.splice(start..start, copy));
        }
        4 => bytes.insert(start, *pick(random, b"\0\x7f\xff\xc3{}[]\",:\\\r -e")),
        _ => bytes[start..end].reverse(),
    }
}
