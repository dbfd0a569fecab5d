//! An example for each code of a result: calls, of which the last returns it.

use prowess::gating::codes as gating;
use prowess::{Code, codes, tools, vendor};
use prowess_governance::codes as proposals;
use prowess_script::codes as scripts;
use prowess_shell::codes as shell;

use super::calls::{Calls, Given, PDF};
use super::hosts;
use super::setup::link;

/// A code with what shows it.
pub(super) struct ResultExample {
    pub(super) code: Code,
    pub(super) given: Given,
}

const TWO: &str = "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Forms
//- /user/tables/SKILL.md
---
name: tables
description: Reads tables.
---
Tables
";

const ALIKE: &str = "
//- /user/a/SKILL.md
---
name: Notes
description: Takes notes.
---
//- /user/b/SKILL.md
---
name: notes
description: Takes other notes.
---
";

const LOAD: (&str, &str) = ("skills_load", r#"{"names": ["pdf"]}"#);
const LOAD_TABLES: (&str, &str) = ("skills_load", r#"{"names": ["tables"], "mode": "add"}"#);
const RUN: (&str, &str) = ("skills_run", r#"{"skill": "pdf", "path": "scripts/fill.py"}"#);
const REMOVE: (&str, &str) = ("Bash", r#"{"command": "rm forms.pdf"}"#);

/// Calls over the skill `pdf` by the standard policies.
const fn of_pdf(code: Code, calls: Calls) -> ResultExample {
    by(code, "", calls)
}

/// Calls over the skill `pdf` by these policies.
const fn by(code: Code, policies: &'static str, calls: Calls) -> ResultExample {
    over(code, PDF, policies, calls)
}

const fn over(
    code: Code,
    files: &'static str,
    policies: &'static str,
    calls: Calls,
) -> ResultExample {
    ResultExample { code, given: Given::Calls { files, policies, calls } }
}

/// A host with something that the calls alone do not show.
const fn host(
    code: Code,
    shown: &'static str,
    result: fn() -> Option<(Code, String)>,
) -> ResultExample {
    ResultExample { code, given: Given::Host { shown, result } }
}

/// A system that fails in a way that a test does not bring about.
const fn described(code: Code, shown: &'static str, message: &'static str) -> ResultExample {
    ResultExample { code, given: Given::Described { shown, message } }
}

pub(super) static RESULTS: &[ResultExample] = &[
    of_pdf(tools::codes::UNKNOWN_TOOL, &[("skills_laod", "{}")]),
    of_pdf(tools::codes::INVALID_ARGUMENTS, &[("skills_load", r#"{"name": "pdf"}"#)]),
    host(tools::codes::TOOL_FAILED, "a tool `weather` that panics", hosts::panicking_tool),
    described(
        tools::codes::FUNCTION_FAILED,
        "a function tool `weather` that returns an error",
        "weather failed: there is no city named `Rom`; did you mean `Rome`?",
    ),
    host(
        tools::codes::GATE_FAILED,
        "Bash {\"command\": \"rm forms.pdf\"}\n(and the store of approvals panics)",
        hosts::panicking_approvals,
    ),
    host(
        tools::codes::RATE_LIMITED,
        "skills_load {\"names\": [\"pdf\"]}\n(and the limiter of the host refuses the call)",
        hosts::limited,
    ),
    host(
        tools::codes::AUDIT_UNAVAILABLE,
        "audit: { policy: required }\nskills_load {\"names\": [\"pdf\"]}\n(and the log is on a full disk)",
        hosts::full_audit,
    ),
    host(tools::codes::CANCELLED, "a call of a turn that was cancelled", hosts::cancelled),
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
    host(
        tools::codes::SKILL_CHANGED,
        "(a `SKILL.md` that has another name since the catalog was built)",
        || {
            hosts::after(
                PDF,
                |tree| tree.write("user/pdf/SKILL.md", "---\nname: forms\ndescription: x\n---\n"),
                LOAD,
            )
        },
    ),
    host(
        tools::codes::SKILL_INVALID,
        "(a `SKILL.md` that has lost its description since the catalog was built)",
        || hosts::after(PDF, |tree| tree.write("user/pdf/SKILL.md", "---\nname: pdf\n---\n"), LOAD),
    ),
    host(tools::codes::TOO_MANY_NAMES, "skills_load {\"names\": […]}\n(with 65 names)", || {
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
        "
//- /user/pdf/SKILL.md
---
name: pdf
description: x
requires: forms
---
//- /user/forms/SKILL.md
---
name: forms
description: x
---
",
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
        "tools: { script_read: block_when_active }",
        &[LOAD, ("skills_read", r#"{"path": "scripts/fill.py"}"#)],
    ),
    host(
        vendor::codes::ARGUMENTS_NOT_JSON,
        "a call of `skills_load` with the arguments {\"names\": [\"pdf\"]",
        hosts::broken_arguments,
    ),
    by(gating::SKILL_TOOL_NOT_ALLOWED, "gate: { tool_semantics: restrict }", &[LOAD, REMOVE]),
    by(gating::TOOL_DENIED, "gate: { ceiling: { deny: [Bash] } }", &[REMOVE]),
    by(gating::TOOL_NOT_GRANTED, "gate: { ungranted: deny }", &[REMOVE]),
    of_pdf(gating::APPROVAL_REQUIRED, &[REMOVE]),
    host(
        gating::APPROVAL_DENIED,
        "Bash {\"command\": \"rm forms.pdf\"}\n(and a person refuses it)",
        hosts::denied,
    ),
    host(
        gating::APPROVALS_UNAVAILABLE,
        "Bash {\"command\": \"rm forms.pdf\"}\n(and the database of approvals is locked)",
        hosts::locked_approvals,
    ),
    host(gating::TOOL_PATTERN_INVALID, "allowed-tools: Bash(git:* rm:*)", || {
        hosts::rule("Bash(git:* rm:*)")
    }),
    host(gating::TOOL_NAME_INVALID, "allowed-tools: B\\u{430}sh", || hosts::rule("B\u{430}sh")),
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
    host(
        codes::SKILL_NOT_ALLOWED,
        "skills_load {\"names\": [\"pdf\"]}\n(in a session that may load `tables` alone)",
        hosts::narrowed,
    ),
    host(codes::SESSION_ID_INVALID, "a host that names a session `my talk`", || {
        let error = prowess::SessionId::new("my talk").err()?;
        Some((Code::new(error.code()), error.to_string()))
    }),
    host(
        codes::SESSION_NOT_FOUND,
        "skills_load {\"names\": [\"pdf\"]}\n(after the host closed the session)",
        hosts::closed,
    ),
    described(
        codes::SESSION_CONTENDED,
        "(many programs change one session at the same time)",
        "session `…` was changed by others too often; try again",
    ),
    described(
        codes::SESSION_STORE_FAILED,
        "(the database of sessions is on a full disk)",
        "the session store failed: database or disk is full",
    ),
    of_pdf(
        codes::RESOURCE_NOT_FOUND,
        &[LOAD, ("skills_read", r#"{"path": "references/field.md"}"#)],
    ),
    of_pdf(codes::PATH_ESCAPE, &[LOAD, ("skills_read", r#"{"path": "../../notes.txt"}"#)]),
    of_pdf(codes::NOT_A_FILE, &[LOAD, ("skills_read", r#"{"path": "references"}"#)]),
    host(
        codes::SYMLINK_LOOP,
        "skills_read {\"path\": \"references/more.md\"}\n(which is a link to itself)",
        || {
            let read = ("skills_read", r#"{"skill": "pdf", "path": "references/more.md"}"#);
            hosts::after(PDF, |tree| link(tree, "more.md", "user/pdf/references/more.md"), read)
        },
    ),
    by(
        codes::FILE_TOO_LARGE,
        "tools: { read_limit_bytes: 4 }",
        &[LOAD, ("skills_read", r#"{"path": "references/fields.md"}"#)],
    ),
    described(
        codes::PERMISSION_DENIED,
        "(a file that the user may not read)",
        "`references/fields.md` of skill `pdf` may not be read; tell the user",
    ),
    host(
        codes::MULTIPLE_LINKS,
        "skills_read {\"path\": \"references/fields.md\"}\n(in the layer `project`, and the file has another name too)",
        hosts::hard_link,
    ),
    described(
        codes::CROSS_DEVICE,
        "(a file on a directory that is mounted inside a package of the layer `project`)",
        "`references/fields.md` of skill `pdf` lies on another mount, which is not read in an untrusted layer; read another file",
    ),
    described(
        codes::SKILL_CHANGING,
        "(a file that another program writes without a pause)",
        "`references/fields.md` of skill `pdf` is being written to; try again in a moment",
    ),
    described(
        codes::FOLDER_REPLACED,
        "(a trusted folder that was replaced by another)",
        "`references/fields.md` of skill `pdf` cannot be read now; try again later",
    ),
    described(
        codes::SOURCE_UNAVAILABLE,
        "(a source whose server does not answer)",
        "`references/fields.md` of skill `pdf` cannot be read now; try again later",
    ),
    described(
        tools::codes::SHELL_UNAVAILABLE,
        "tools: { surfaces: [shell] }\n(and the host was built without the feature `virtual-shell`)",
        "there is no sandbox here; read the skill's files with another tool, or tell the user",
    ),
    host(
        shell::COMMAND_TOO_LONG,
        "tools: { surfaces: [shell] }\nsandbox_execute {\"command\": \"…\"}\n(with a command of more than 65,536 bytes)",
        || {
            hosts::by(
                |policies| {
                    policies.tools.surfaces = vec![tools::Surface::Shell];
                    policies.shell.limits.command_bytes = 8;
                },
                ("sandbox_execute", r#"{"command": "echo hello"}"#),
            )
        },
    ),
    described(
        shell::SHELL_BUSY,
        "sandbox_execute {\"command\": \"ls\"}\n(and another command of the session runs for too long)",
        "another command of this session runs; wait for its result",
    ),
    described(
        shell::SHELL_LOST,
        "sandbox_execute {\"command\": \"sort big.txt\"}\n(and it does not end two seconds after its limit)",
        "the command did not end, and the files of its sandbox are dropped; try again with a simpler command",
    ),
    described(
        shell::SHELL_EXHAUSTED,
        "sandbox_execute {\"command\": \"ls\"}\n(and 8 commands did not end at their deadlines)",
        "8 commands still running after the deadline, so no further one starts; tell the user, and try again later",
    ),
    described(
        shell::SKILL_NOT_MOUNTED,
        "get_skill {\"skillName\": \"pdf\"}\n(and the skill has more than 4,096 files; the message is its `mountError`)",
        "`pdf` is not mounted: it has too many files, or some cannot be listed; read its files with another tool, or tell the user",
    ),
    described(
        shell::SNAPSHOT_INVALID,
        "a host restores a sandbox from a damaged file",
        "the snapshot of a sandbox is not usable: it is of another version; begin a new sandbox",
    ),
    described(
        shell::SANDBOX_NOT_FOUND,
        "a host saves the sandbox of a session that has run no command",
        "the session has run no command, so there is nothing to save",
    ),
    described(
        tools::codes::PROPOSALS_UNAVAILABLE,
        "tools: { surfaces: [read_skill] }\npropose_skill_update {\"skill_id\": \"pdf\", \"diff\": \"+x\", \"justification\": \"x\"}\n(without `proposals.directory`)",
        "proposals are not enabled here; tell the user what should change",
    ),
    described(
        proposals::PROPOSAL_TOO_LONG,
        "proposals: { directory: proposals }\n(and a justification of 20,000 bytes)",
        "the justification has 20000 bytes, and the limit is 16384; shorten it",
    ),
    described(
        proposals::PROPOSALS_FULL,
        "proposals: { directory: proposals }\n(and 100 files are in that directory)",
        "the limit of 100 proposals waiting for review is reached; ask the user to review them",
    ),
    described(
        proposals::PROPOSAL_NOT_WRITTEN,
        "proposals: { directory: proposals }\n(and `proposals` is a file)",
        "no proposal can be written here (`proposals` is not a directory); tell the user",
    ),
    described(
        tools::codes::HOOK_REFUSED,
        "tools: { hooks: run }\nBash {\"command\": \"rm -r build\"}\n(and a loaded skill has a hook `PreToolUse` for `Bash`, which exits with 2)",
        "`Bash` was not run: a hook of `pdf` refused it: build files are kept",
    ),
    described(
        tools::codes::HOOK_FAILED,
        "tools: { hooks: run }\nskills_load {\"names\": [\"pdf\"]}\n(whose `hooks` have `pre: scripts/check.sh`, which fails)",
        "skill `pdf` was not loaded: its hook `pre`, `scripts/check.sh`, failed: it ended with exit code 1; tell the user",
    ),
    described(
        scripts::SCRIPT_NOT_TRUSTED,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(of a skill that was replaced by an untrusted one after the gate had decided)",
        "scripts of `pdf` run only with the approval of a person, because the script is from a source that is `untrusted`; follow the skill's instructions without the script, or tell the user",
    ),
    described(
        codes::PACKAGE_CHANGED,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(of a skill whose files change while they are copied)",
        "the files of the skill have changed since its script was approved, so it was not run; repeat the call, which asks for another approval",
    ),
    described(
        scripts::INTERPRETER_MISSING,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(on a machine without Python)",
        "`python3`, which runs `scripts/fill.py`, is not installed where scripts may find it; follow the skill's instructions without the script, or ask the user to install it",
    ),
    described(
        scripts::INTERPRETER_UNKNOWN,
        "skills_run {\"path\": \"scripts/fill\"}\n(which begins with no `#!`)",
        "nothing says what runs `scripts/fill`: it has neither a known extension nor a first line such as `#!/usr/bin/env python3`",
    ),
    described(
        scripts::ENVIRONMENT_NOT_ALLOWED,
        "skills_run {\"path\": \"scripts/fill.py\", \"env\": {\"PYTHONPATH\": \"/tmp\"}}",
        "the variable `PYTHONPATH` cannot be set for a script; pass the value as an argument instead",
    ),
    described(
        scripts::ARGUMENT_TOO_LONG,
        "skills_run {\"path\": \"scripts/fill.py\", \"args\": [\"(200,000 characters)\"]}",
        "argument 1 is longer than 131071 bytes; write it to a file, and pass the file's name",
    ),
    described(
        scripts::WORKING_DIRECTORY_NOT_FOUND,
        "skills_run {\"path\": \"scripts/fill.py\", \"workdir\": \"forms\"}",
        "`forms` is no directory of the skill; name one relative to the skill's directory, or leave `workdir` out",
    ),
    described(
        scripts::PACKAGE_NOT_COPIED,
        "(a script, and a temporary directory on a full disk)",
        "the skill's files cannot be copied: no storage space",
    ),
    described(
        scripts::SCRIPTS_BUSY,
        "(more scripts at once than the runner has places for)",
        "too many scripts run at the moment; try again later",
    ),
    described(
        scripts::SCRIPT_LOST,
        "(a script whose process was killed from outside)",
        "the script's process was lost: broken pipe; try again",
    ),
    described(
        scripts::SECRET_UNAVAILABLE,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(with a grant of a variable that is not set)",
        "the secret for the header `authorization` for `api.example.com` cannot be used: the variable `TOKEN` is not set as a text; follow the skill's instructions without the script, or ask the operator to correct the grant under `scripts.secrets`",
    ),
    described(
        scripts::HOST_NOT_GRANTED,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(which asks for `example.com`, as its answer and `network.refused` of the result say)",
        "host-not-granted: example.com:443: the operator has not granted this host; go on without it, or ask for the grant",
    ),
    described(
        scripts::HOST_ADDRESS_PRIVATE,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(which asks for a granted host whose name leads to 10.0.0.1)",
        "host-address-private: files.example.com:443: the name leads to a private network; the operator has to name the host for that",
    ),
    described(
        scripts::SERVER_NAME_MISMATCH,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(which connects to a granted host and names another one in TLS)",
        "server-name-mismatch: api.example.com:443: connect to the host that TLS is to reach, and do not hide its name",
    ),
    described(
        scripts::CONNECTION_NOT_TLS,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(which sends something else than TLS after `CONNECT`)",
        "connection-not-tls: api.example.com:443: use `https`, or a request for `http://`",
    ),
    described(
        scripts::PROXY_REQUEST_INVALID,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(which sends a body in chunks)",
        "proxy-request-invalid: : send one HTTP/1.1 request of a known length, to the whole URL of the host",
    ),
    described(
        scripts::TRAFFIC_LIMIT,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(which loads more than 256 MiB)",
        "traffic-limit: api.example.com:443: transfer less, or ask the operator for a higher limit",
    ),
    described(
        scripts::HOST_UNREACHABLE,
        "skills_run {\"path\": \"scripts/fill.py\"}\n(which asks for a granted host that is down)",
        "host-unreachable: api.example.com:443: check the name and the certificate, and try again later",
    ),
];
