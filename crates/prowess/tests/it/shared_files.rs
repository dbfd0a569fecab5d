//! Hard links in a layer that is not trusted, through the whole runtime.

use std::sync::Arc;

use prowess::{Code, Outcome, ToolCall};
use prowess_testkit::{AuditRecorder, Tree};
use serde_json::json;

use crate::dynamic;

#[test]
fn hard_link_in_an_untrusted_layer_is_refused_and_audited() {
    let tree = Tree::new("//- /skills/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\nBody.\n");
    tree.write("CANARY", "CANARY-7f3a");
    std::fs::hard_link(tree.join("CANARY"), tree.join("skills/pdf/h")).expect("it is on one disk");
    for (layer, is_refused) in [("project", true), ("user", false)] {
        let audit = Arc::new(AuditRecorder::default());
        let builder = dynamic::builder().audit(audit.clone());
        let runtime = builder.skills_directory(layer, tree.join("skills")).build();
        let runtime = runtime.expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let turn = runtime.turn(&session).expect("the store is in memory");
        let load = turn.call(&ToolCall::new("skills_load", json!({"names": ["pdf"]})));
        assert!(!load.result.is_error, "{load:?}");
        let read = ToolCall::new("skills_read", json!({"skill": "pdf", "path": "h"}));
        let result = turn.call(&read).result;
        assert_eq!(result.is_error, is_refused, "{layer}: {result:?}");
        assert_ne!(format!("{result:?}").contains("CANARY-7f3a"), is_refused, "{layer}");
        let last = audit.take_calls().pop().map(|call| call.outcome);
        let refused = Outcome::Failed(Code::new("multiple-links"));
        assert_eq!(last, Some(if is_refused { refused } else { Outcome::Done }), "{layer}");
    }
}
