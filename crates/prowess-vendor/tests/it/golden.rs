//! The messages of each format.

mod anthropic;
mod calls;
mod gemini;
mod mcp;
mod openai;

use expect_test::Expect;
use prowess_vendor::WireFormat;
use serde_json::Value;

use crate::fixture::{answer, definitions, received, refusal};

fn check(found: &Value, expected: &Expect) {
    expected.assert_eq(&serde_json::to_string_pretty(found).expect("it is data"));
}

#[track_caller]
fn check_format(format: WireFormat, expected: [Expect; 3]) {
    let [tools, answered, refused] = expected;
    check(&format.definitions(&definitions()), &tools);
    let received = received(format);
    check(&format.result(&received, &answer()), &answered);
    check(&format.result(&received, &refusal()), &refused);
}
