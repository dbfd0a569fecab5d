//! The extensions that are known by name, as data.

use std::sync::Arc;

use super::{Extension, Extensions, FieldKind as Kind};

/// Every extension that the extended profile knows.
pub(super) fn all() -> Extensions {
    let known = [omniforge(), yodoca(), flexigpt(), claude_code(), openclaw()];
    Extensions(known.into_iter().map(Arc::new).collect())
}

fn omniforge() -> Extension {
    let scope = Kind::record(&[
        ("agents", Kind::texts()),
        ("tenants", Kind::texts()),
        ("environments", Kind::texts()),
    ]);
    Extension::new("omniforge", "1")
        .field("model", Kind::Filled)
        .field("context", Kind::word(&["inherit", "fork"]))
        .field_only_with("agent", Kind::Filled, ("context", "fork"))
        .field("hooks", Kind::record(&[("pre", Kind::PackagePath), ("post", Kind::PackagePath)]))
        .field("priority", Kind::integer())
        .field("tags", Kind::texts())
        .field("scope", scope)
}

fn yodoca() -> Extension {
    Extension::new("yodoca", "1").field("tags", Kind::texts()).field("requires", Kind::texts())
}

fn flexigpt() -> Extension {
    let argument = Kind::record(&[
        ("name", Kind::Identifier),
        ("description", Kind::Text),
        ("default", Kind::Text),
    ]);
    Extension::new("flexigpt", "1")
        .field("insert", Kind::word(&["instructions", "user-message"]))
        .field("arguments", Kind::Unique("name".to_owned(), Box::new(argument)))
        .field("tags", Kind::texts())
}

fn claude_code() -> Extension {
    Extension::new("claude-code", "2")
        .field("argument-hint", Kind::Either(vec![Kind::Text, Kind::texts()]))
        .field("arguments", Kind::listing())
        .field("disable-model-invocation", Kind::Bool)
        .field("user-invocable", Kind::Bool)
        .field("when_to_use", Kind::Text)
        .field("disallowed-tools", Kind::listing())
        .field("effort", Kind::word(&["low", "medium", "high", "xhigh", "max"]))
        .field("paths", Kind::listing())
        .field("shell", Kind::word(&["bash", "powershell"]))
        .field("model", Kind::Filled)
        .field("context", Kind::word(&["fork"]))
        .field_only_with("agent", Kind::Filled, ("context", "fork"))
        .field("hooks", claude_code_hooks())
}

/// Event → matchers → handlers. A new event is no mistake of the author's.
fn claude_code_hooks() -> Kind {
    let handler = Kind::open_record(&[
        ("type", Kind::word(&["command", "http", "prompt", "agent", "mcp_tool"])),
        ("command", Kind::Filled),
        ("timeout", Kind::integer()),
        ("once", Kind::Bool),
    ]);
    let matcher =
        Kind::record(&[("matcher", Kind::Text), ("hooks", Kind::List(Box::new(handler)))]);
    let matchers = Kind::List(Box::new(matcher));
    let events = [
        "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest",
        "PostToolUse", "PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop",
        "Stop", "PreCompact",
    ];
    Kind::record(&events.map(|event| (event, matchers.clone())))
}

fn openclaw() -> Extension {
    let requires = Kind::open_record(&[
        ("bins", Kind::texts()),
        ("anyBins", Kind::texts()),
        ("env", Kind::texts()),
        ("config", Kind::texts()),
    ]);
    let gating = Kind::open_record(&[
        ("os", Kind::List(Box::new(Kind::word(&["darwin", "linux", "win32"])))),
        ("requires", requires),
        ("always", Kind::Bool),
    ]);
    Extension::new("openclaw", "1").field("metadata.openclaw", gating)
}

pub(super) fn boxxy() -> Extension {
    Extension::new("boxxy", "1")
        .field("metadata.trit", Kind::Integer(0..=2))
        .field("metadata.role", Kind::word(&["Coordinator", "Generator", "Verifier"]))
        .field("metadata.colour", Kind::word(&["#F59E0B", "#A855F7", "#2E5FA3"]))
}
