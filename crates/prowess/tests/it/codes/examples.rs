//! An example for each code.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use prowess::registry::{MissingTools, UnknownLayer};
use prowess::{Policies, Runtime, registry, source_fs, state};
use prowess_testkit::Tree;

use super::Example;
use super::setup::{Setup, Stranger, link, no_skill, shelf};

const ONE: &str = "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Forms
";

const COPIES: &str = "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Forms
//- /project/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Forms
";

const REQUIRES: &str = "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
requires: forms
---
Forms
";

const CYCLE: &str = "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
requires: pdf
---
Forms
";

const TOOLS: &str = "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
allowed-tools: Bash
---
Forms
";

fn nothing(_tree: &Tree) {}

/// A tree as it is, by these policies.
const fn tree(files: &'static str, policies: &'static str) -> Setup {
    Setup::Tree { files, policies, done: nothing }
}

/// A tree in which something was done.
const fn done(files: &'static str, done: fn(&Tree)) -> Setup {
    Setup::Tree { files, policies: "", done }
}

const fn machine(files: &'static str, policies: &'static str, done: fn(&Tree)) -> Setup {
    Setup::Machine { files, policies, done }
}

const NOBODY_ELSE: &str = "discovery: { organization: null }";

pub(super) static EXAMPLES: &[Example] = &[
    Example {
        code: registry::codes::SKILL_SHADOWED,
        shown: "user/pdf/SKILL.md and project/pdf/SKILL.md, both with `name: pdf`",
        setup: tree(Tree::SAME_NAME_IN_TWO_LAYERS, ""),
    },
    Example {
        code: registry::codes::SKILL_COPY,
        shown: "user/pdf/SKILL.md and project/pdf/SKILL.md, which are the same",
        setup: tree(COPIES, ""),
    },
    Example {
        code: registry::codes::SKILL_RENAMED,
        shown: "user/pdf/SKILL.md and project/pdf/SKILL.md, both with `name: pdf`, and\nregistry: { collision: disambiguate }",
        setup: tree(Tree::SAME_NAME_IN_TWO_LAYERS, "registry: { collision: disambiguate }"),
    },
    Example {
        code: registry::codes::SKILL_COLLISION,
        shown: "two skills of the layer `user` with `name: pdf`, and\nregistry: { collision: error }",
        setup: tree(
            "
//- /user/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
//- /user/forms/SKILL.md
---
name: pdf
description: Merges files.
---
",
            "registry: { collision: error }",
        ),
    },
    Example {
        code: registry::codes::TOOL_MISSING,
        shown: "allowed-tools: Bash\n\n(and the host offers `Read` alone and flags missing tools)",
        setup: Setup::Host(TOOLS, |tree| {
            let mut policies = Policies::default();
            policies.audience.tools = Some(["Read".to_owned()].into());
            policies.visibility.missing_tools = MissingTools::Flag;
            Runtime::builder().policies(policies).tree("user", tree.join("user"))
        }),
    },
    Example {
        code: registry::codes::REQUIREMENT_UNMET,
        shown: "requires: forms",
        setup: tree(REQUIRES, ""),
    },
    Example {
        code: registry::codes::REQUIREMENT_CYCLE,
        shown: "name: pdf\nrequires: pdf",
        setup: tree(CYCLE, ""),
    },
    Example {
        code: registry::codes::ALIAS_TAKEN,
        shown: "user/pdf/SKILL.md, and\naliases: { pdf: forms }",
        setup: tree(ONE, "aliases: { pdf: forms }"),
    },
    Example {
        code: registry::codes::ALIAS_UNKNOWN,
        shown: "aliases: { ship: deploy }",
        setup: tree(ONE, "aliases: { ship: deploy }"),
    },
    Example {
        code: registry::codes::ROOT_SHARED,
        shown: "(two sources that begin at memory://shelf)",
        setup: Setup::TwiceTheSame,
    },
    Example {
        code: registry::codes::LAYER_UNKNOWN,
        shown: "(a host adds a source to the layer `friends`, and accepts unknown layers)",
        setup: Setup::Host(ONE, |tree| {
            let mut policies = Policies::default();
            policies.registry.unknown_layer = UnknownLayer::Lowest;
            Runtime::builder().policies(policies).tree("friends", tree.join("user"))
        }),
    },
    Example {
        code: registry::codes::NAME_UNUSED,
        shown: "(a source of two skills that is to go by the name `forms`)",
        setup: Setup::Named(shelf),
    },
    Example {
        code: registry::codes::SKILL_MD_MISSING,
        shown: "(a source without a `SKILL.md` that is to go by the name `forms`)",
        setup: Setup::Named(no_skill),
    },
    Example {
        code: registry::codes::BODY_TOKENS_SOFT_LIMIT,
        shown: "(a `SKILL.md` of 33,000 bytes)",
        setup: Setup::Tree {
            files: ONE,
            // Said outright, so that a first scan asks for sizes too.
            policies: "registry: { limits: { body_tokens: { max: 8000, severity: warning } } }",
            done: |tree| {
                let text = fs::read_to_string(tree.join("user/pdf/SKILL.md")).expect("it is there");
                tree.write("user/pdf/SKILL.md", text + &"x".repeat(33_000));
            },
        },
    },
    Example {
        code: registry::codes::SOURCE_FAILED,
        shown: "(a source whose server does not answer)",
        setup: Setup::Source(|| Stranger::Away),
    },
    Example {
        code: registry::codes::PACKAGE_PATH_INVALID,
        shown: "(a source that reports a package at `../pdf`)",
        setup: Setup::Source(|| Stranger::LeadsOut),
    },
    Example {
        code: registry::codes::SKILL_KEPT,
        shown: "user/pdf/SKILL.md, which was good, without its `description`",
        setup: Setup::Reloaded(ONE, |tree| {
            tree.write("user/pdf/SKILL.md", "---\nname: pdf\n---\nForms\n");
        }),
    },
    Example {
        code: registry::codes::SOURCE_NOT_WATCHED,
        shown: "refresh: { mode: watch }\n(and the operating system has no watches left)",
        setup: Setup::Source(|| Stranger::Unwatched),
    },
    Example {
        code: source_fs::codes::ROOT_MISSING,
        shown: "(the directory `user` is not there)",
        setup: done("", |tree| fs::remove_dir(tree.join("user")).expect("it is empty")),
    },
    Example {
        code: source_fs::codes::ROOT_NOT_A_DIRECTORY,
        shown: "(`user` is a file)",
        setup: done("", |tree| {
            fs::remove_dir(tree.join("user")).expect("it is empty");
            tree.write("user", "text");
        }),
    },
    Example {
        code: source_fs::codes::ROOT_OUTSIDE,
        shown: "project/.agents/skills -> /elsewhere",
        setup: machine(
            "//- /elsewhere/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            NOBODY_ELSE,
            |tree| {
                fs::create_dir_all(tree.join("project/.agents")).expect("there is room");
                link(tree, "/elsewhere", "project/.agents/skills");
            },
        ),
    },
    Example {
        code: source_fs::codes::ROOT_REPEATED,
        shown: "discovery: { roots: { user: [/home/skills], project: [/home/skills] } }",
        setup: machine(
            "//- /home/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            "discovery: { organization: null, roots: { user: [$HERE/home/skills], project: [$HERE/home/skills] } }",
            nothing,
        ),
    },
    Example {
        code: source_fs::codes::ROOT_NOT_ABSOLUTE,
        shown: "discovery: { roots: { user: [skills] } }",
        setup: machine("", "discovery: { organization: null, roots: { user: [skills] } }", nothing),
    },
    Example {
        code: registry::codes::PROJECT_NOT_TRUSTED,
        shown: "project/.agents/skills/pdf/SKILL.md",
        setup: machine(
            "//- /project/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            NOBODY_ELSE,
            nothing,
        ),
    },
    Example {
        code: source_fs::codes::DIRECTORY_UNREADABLE,
        shown: "user -> other\nother -> user",
        setup: done("", |tree| {
            fs::remove_dir(tree.join("user")).expect("it is empty");
            link(tree, "/other", "user");
            link(tree, "/user", "other");
        }),
    },
    Example {
        code: source_fs::codes::NOT_A_FILE,
        shown: "user/pdf/SKILL.md/",
        setup: done("", |tree| {
            fs::create_dir_all(tree.join("user/pdf/SKILL.md")).expect("there is room");
        }),
    },
    Example {
        code: source_fs::codes::FILE_MISNAMED,
        shown: "user/pdf/Skill.md",
        setup: tree("//- /user/pdf/Skill.md\n---\nname: pdf\ndescription: x\n---\n", ""),
    },
    Example {
        code: source_fs::codes::FILE_UNREADABLE,
        shown: "(a `SKILL.md` that the user may not read, on a disk that fails)",
        setup: Setup::Reported,
    },
    Example {
        code: source_fs::codes::DANGLING_LINK,
        shown: "user/pdf -> /gone",
        setup: done("", |tree| link(tree, "/gone", "user/pdf")),
    },
    Example {
        code: source_fs::codes::SYMLINK_LOOP,
        shown: "user/pdf -> pdf",
        setup: done("", |tree| link(tree, "pdf", "user/pdf")),
    },
    Example {
        code: state::codes::CACHE_NOT_WRITTEN,
        shown: "a cache directory on a full disk",
        setup: Setup::Reported,
    },
    Example {
        code: source_fs::codes::SKILL_MD_REPEATED,
        shown: "user/pdf/SKILL.md\nuser/pdf/skill.md",
        setup: done(
            "//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n//- /user/pdf/skill.md\nx\n",
            |_| {},
        ),
    },
    Example {
        code: source_fs::codes::MULTIPLE_LINKS,
        shown: "project/pdf/SKILL.md, which is the same file as /elsewhere/SKILL.md",
        setup: done("//- /elsewhere/SKILL.md\ntext\n//- /project/pdf/x\nx\n", |tree| {
            let link = tree.join("project/pdf/SKILL.md");
            fs::hard_link(tree.join("elsewhere/SKILL.md"), link).expect("it is on one disk");
        }),
    },
    Example {
        code: source_fs::codes::CROSS_DEVICE,
        shown: "project/pdf, on which another directory is mounted",
        setup: Setup::Reported,
    },
    Example {
        code: source_fs::codes::PATH_ESCAPE,
        shown: "user/pdf/SKILL.md -> /elsewhere/SKILL.md",
        setup: done("//- /elsewhere/SKILL.md\ntext\n", |tree| {
            fs::create_dir(tree.join("user/pdf")).expect("there is room");
            link(tree, "/elsewhere/SKILL.md", "user/pdf/SKILL.md");
        }),
    },
    Example {
        code: source_fs::codes::ROOT_IS_SYMLINK,
        shown: "project/pdf -> /elsewhere",
        setup: done("//- /elsewhere/SKILL.md\ntext\n", |tree| {
            link(tree, "/elsewhere", "project/pdf");
        }),
    },
    Example {
        code: source_fs::codes::DUPLICATE_LINK,
        shown: "user/pdf/SKILL.md\nuser/forms -> pdf",
        setup: done(ONE, |tree| link(tree, "pdf", "user/forms")),
    },
    Example {
        code: source_fs::codes::LINK_NOT_SEARCHED,
        shown: "user/more -> /elsewhere\n/elsewhere/pdf/SKILL.md",
        setup: done("//- /elsewhere/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n", |tree| {
            link(tree, "/elsewhere", "user/more");
        }),
    },
    Example {
        code: source_fs::codes::PATH_NOT_UTF8,
        shown: "user/caf\\xe9/SKILL.md",
        setup: done("", |tree| unusual(tree, b"caf\xe9")),
    },
    Example {
        code: source_fs::codes::PATH_NOT_PORTABLE,
        shown: "user/c:forms/SKILL.md",
        setup: done("", |tree| unusual(tree, b"c:forms")),
    },
    Example {
        code: source_fs::codes::SCAN_TRUNCATED,
        shown: "user/a/b/pdf/SKILL.md, and\ndiscovery: { bounds: { max_depth: 2 } }",
        setup: tree(
            "//- /user/a/b/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            "discovery: { bounds: { max_depth: 2 } }",
        ),
    },
    Example {
        code: source_fs::codes::LEFT_OUT_BY_GITIGNORE,
        shown: "user/.gitignore with the line `drafts/`\nuser/drafts/pdf/SKILL.md\n\ndiscovery: { gitignore: true }",
        setup: tree(
            "//- /user/.gitignore\ndrafts/\n//- /user/drafts/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            "discovery: { gitignore: true }",
        ),
    },
    Example {
        code: source_fs::codes::NORMALISATION_COLLISION,
        shown: "user/caf\\u{e9}/SKILL.md\nuser/cafe\\u{301}/SKILL.md",
        setup: done("", |tree| {
            unusual(tree, "caf\u{e9}".as_bytes());
            unusual(tree, "cafe\u{301}".as_bytes());
        }),
    },
    Example {
        code: state::codes::TRUST_FILE_INVALID,
        shown: "(a file of trusted folders that holds `{`)",
        setup: Setup::TrustFile("{"),
    },
    Example {
        code: state::codes::STATE_DATABASE_INVALID,
        shown: "(a database of approvals that holds `{`)",
        setup: Setup::Database("{"),
    },
    Example {
        code: state::codes::CACHE_IGNORED,
        shown: "(what an earlier start kept was changed by somebody)",
        setup: Setup::Cache,
    },
];

/// A skill in a directory of this name.
fn unusual(tree: &Tree, name: &[u8]) {
    let directory = tree.join("user").join(OsStr::from_bytes(name));
    fs::create_dir_all(&directory).expect("there is room");
    fs::write(directory.join("SKILL.md"), "---\nname: pdf\ndescription: x\n---\n").expect("a file");
}
