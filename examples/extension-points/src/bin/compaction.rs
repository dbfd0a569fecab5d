//! A host that has compacted a conversation puts back the bodies of loaded skills that were in it,
//! within a budget of tokens.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use extension_points::kitchen;
use prowess::{BodyDelivery, Error, Policies, ToolCall};
use serde_json::json;

fn main() -> Result<(), Error> {
    let policies = Policies::default().with_body_delivery(BodyDelivery::ToolResult);
    let runtime = kitchen().policies(policies).build()?;
    let session = runtime.open_session()?;
    let load = ToolCall::new("skills_load", json!({ "names": ["tea", "bread"] }));
    runtime.turn(&session)?.call(&load);

    // The summary of the host has kept the body of `bread`.
    let again = runtime.turn(&session)?.compacted(&["bread".to_owned()])?;
    for skill in &again.skills {
        println!("{}: {} tokens, cut: {}", skill.id, skill.tokens, skill.is_cut);
    }
    println!("left out: {:?}", again.left_out);
    println!("{}", again.text.contains("Warm the pot first."));
    Ok(())
}
