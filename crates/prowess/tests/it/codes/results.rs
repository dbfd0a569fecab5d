//! An example for each code of a result: calls, of which the last returns it.

use prowess::gating::codes as gating;
use prowess::{Code, codes, tools, vendor};

use super::calls::{Calls, Given, PDF};
use super::hosts::{self, LOAD, TWO};
use super::setup::link;

const ALIKE: &str = include_str!("../../data/codes-results.txt");

const LOAD_TABLES: (&str, &str) = ("skills_load", r#"{"names": ["tables"], "mode": "add"}"#);
const RUN: (&str, &str) = ("skills_run", r#"{"skill": "pdf", "path": "scripts/fill.py"}"#);
const REMOVE: (&str, &str) = ("Bash", r#"{"command": "rm forms.pdf"}"#);

/// A code with what shows it.
type Example = (Code, Given);

/// Calls over the skill `pdf` by the standard policies.
const fn of_pdf(code: Code, calls: Calls) -> Example {
    by(code, "", calls)
}

/// Calls over the skill `pdf` by these policies.
const fn by(code: Code, policies: &'static str, calls: Calls) -> Example {
    over(code, PDF, policies, calls)
}

const fn over(code: Code, files: &'static str, policies: &'static str, calls: Calls) -> Example {
    (code, Given::Calls { files, policies, calls })
}

/// A host with something that the calls alone do not show.
const fn host(code: Code, result: fn() -> Option<(Code, String)>) -> Example {
    (code, Given::Host(result))
}

/// Codes that are not here take a system that fails in a way that a test does not bring about: the
/// page alone has their examples.
pub(super) static RESULTS: &[Example] = &[
    of_pdf(tools::codes::UNKNOWN_TOOL, &[("skills_laod", "{}")]),
    of_pdf(tools::codes::INVALID_ARGUMENTS, &[("skills_load", r#"{"name": "pdf"}"#)]),
    host(tools::codes::TOOL_FAILED, hosts::panicking_tool),
    host(tools::codes::RATE_LIMITED, hosts::limited),
    host(tools::codes::AUDIT_UNAVAILABLE, hosts::full_audit),
    host(tools::codes::CANCELLED, hosts::cancelled),
    of_pdf(tools::codes::SKILL_NOT_FOUND, &[("skills_load", r#"{"names": ["pfd"]}"#)]),
    over(
        tools::codes::SKILL_AMBIGUOUS,
        ALIKE,
        "registry: { name_rule: any, name_mismatch: allow }\ntools: { skill_lookup: casefold_unique }",
        &[("skills_load", r#"{"names": ["NOTES"]}"#)],
    ),
    over(
        tools::codes::SKILL_HIDDEN,
        "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
disable-model-invocation: true
---
",
        "",
        &[LOAD],
    ),
    over(
        tools::codes::SKILL_NOT_READY,
        "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
metadata:
  openclaw:
    requires:
      bins: [pdf-writer]
---
",
        "",
        &[LOAD],
    ),
    of_pdf(
        tools::codes::SKILL_NOT_ACTIVE,
        &[("skills_read", r#"{"path": "references/fields.md"}"#)],
    ),
    host(tools::codes::SKILL_CHANGED, || {
        hosts::after(
            PDF,
            |tree| tree.write("user/pdf/SKILL.md", "---\nname: forms\ndescription: x\n---\n"),
            LOAD,
        )
    }),
    host(tools::codes::SKILL_INVALID, || {
        hosts::after(PDF, |tree| tree.write("user/pdf/SKILL.md", "---\nname: pdf\n---\n"), LOAD)
    }),
    host(tools::codes::TOO_MANY_NAMES, || {
        hosts::by(
            |policies| policies.tools.names_per_call = 1,
            ("skills_load", r#"{"names": ["pdf", "tables"]}"#),
        )
    }),
    over(
        tools::codes::REQUIREMENT_UNMET,
        "//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: x\nrequires: forms\n---\n",
        "tools: { requires: auto_load }",
        &[LOAD],
    ),
    over(
        tools::codes::REQUIREMENT_CYCLE,
        "//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: x\nrequires: pdf\n---\n",
        "tools: { requires: auto_load }",
        &[LOAD],
    ),
    over(
        tools::codes::REQUIREMENT_NOT_LOADED,
        include_str!("../../data/requirement.txt"),
        "tools: { requires: check }",
        &[LOAD],
    ),
    of_pdf(tools::codes::INVALID_PATH, &[LOAD, ("skills_read", r#"{"path": "a\u0000b"}"#)]),
    by(
        tools::codes::PATH_NOT_ALLOWED,
        "tools: { read_scope: resources }",
        &[LOAD, ("skills_read", r#"{"path": "scripts/fill.py"}"#)],
    ),
    of_pdf(tools::codes::SCRIPTS_UNAVAILABLE, &[LOAD, RUN]),
    by(
        tools::codes::SCRIPT_READ_BLOCKED,
        "{ tools: { script_read: block_when_active }, delivery: { show_location: none } }",
        &[LOAD, ("skills_read", r#"{"path": "scripts/fill.py"}"#)],
    ),
    host(vendor::codes::ARGUMENTS_NOT_JSON, hosts::broken_arguments),
    by(gating::SKILL_TOOL_NOT_ALLOWED, "gate: { tool_semantics: restrict }", &[LOAD, REMOVE]),
    by(gating::TOOL_DENIED, "gate: { ceiling: { deny: [Bash] } }", &[REMOVE]),
    by(gating::TOOL_NOT_GRANTED, "gate: { ungranted: deny }", &[REMOVE]),
    of_pdf(gating::APPROVAL_REQUIRED, &[REMOVE]),
    host(gating::APPROVAL_DENIED, hosts::denied),
    host(gating::APPROVALS_UNAVAILABLE, hosts::locked_approvals),
    host(gating::TOOL_NAME_INVALID, || hosts::rule("B\u{430}sh")),
    over(codes::TOO_MANY_SKILLS, TWO, "session: { max_active: 1 }", &[LOAD, LOAD_TABLES]),
    by(
        codes::ALREADY_ACTIVE,
        "session: { on_reload: error }",
        &[LOAD, ("skills_load", r#"{"names": ["pdf"], "mode": "add"}"#)],
    ),
    over(
        codes::NOT_ON_TOP,
        TWO,
        "session: { discipline: stack }",
        &[LOAD, LOAD_TABLES, ("skills_unload", r#"{"names": ["pdf"]}"#)],
    ),
    over(
        codes::NOTHING_ACTIVE,
        TWO,
        "session: { discipline: stack }\ntools: { surfaces: [skill] }",
        &[("skill", r#"{"skill_name": "pdf", "action": "deactivate"}"#)],
    ),
    host(codes::SKILL_NOT_ALLOWED, hosts::narrowed),
    host(codes::SESSION_ID_INVALID, || {
        let error = prowess::SessionId::new("my talk").err()?;
        Some((Code::new(error.code()), error.to_string()))
    }),
    host(codes::SESSION_NOT_FOUND, hosts::closed),
    of_pdf(
        codes::RESOURCE_NOT_FOUND,
        &[LOAD, ("skills_read", r#"{"path": "references/field.md"}"#)],
    ),
    of_pdf(codes::PATH_ESCAPE, &[LOAD, ("skills_read", r#"{"path": "../../notes.txt"}"#)]),
    of_pdf(codes::NOT_A_FILE, &[LOAD, ("skills_read", r#"{"path": "references"}"#)]),
    host(codes::SYMLINK_LOOP, || {
        let read = ("skills_read", r#"{"skill": "pdf", "path": "references/more.md"}"#);
        hosts::after(PDF, |tree| link(tree, "more.md", "user/pdf/references/more.md"), read)
    }),
    by(
        codes::FILE_TOO_LARGE,
        "tools: { read_limit_bytes: 4 }",
        &[LOAD, ("skills_read", r#"{"path": "references/fields.md"}"#)],
    ),
    host(codes::MULTIPLE_LINKS, hosts::hard_link),
];
