//! An example for each code.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use prowess::registry::{MissingTools, UnknownLayer};
use prowess::{Cancel, Code, Policies, Runtime, registry, source_fs, state};
use prowess_testkit::Tree;

use super::setup::{Setup, Stranger, link, no_skill, shelf};

const ONE: &str = "//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills forms.\n---\nForms\n";

const COPIES: &str = include_str!("../../data/codes-examples.txt");

const REQUIRES: &str = "//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills forms.\nrequires: forms\n---\nForms\n";
const CYCLE: &str = "//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills forms.\nrequires: pdf\n---\nForms\n";
const TOOLS: &str = "//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills forms.\nallowed-tools: Bash\n---\nForms\n";

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

pub(super) static EXAMPLES: &[(Code, Setup)] = &[
    (registry::codes::SKILL_SHADOWED, tree(Tree::SAME_NAME_IN_TWO_LAYERS, "")),
    (registry::codes::SKILL_COPY, tree(COPIES, "")),
    (
        registry::codes::SKILL_RENAMED,
        tree(Tree::SAME_NAME_IN_TWO_LAYERS, "registry: { collision: disambiguate }"),
    ),
    (
        registry::codes::SKILL_COLLISION,
        tree(include_str!("../../data/collision.txt"), "registry: { collision: error }"),
    ),
    (
        registry::codes::TOOL_MISSING,
        Setup::Host(TOOLS, |tree| {
            let mut policies = Policies::default();
            policies.audience.tools = Some(["Read".to_owned()].into());
            policies.visibility.missing_tools = MissingTools::Flag;
            Runtime::builder().policies(policies).tree("user", tree.join("user"))
        }),
    ),
    (registry::codes::REQUIREMENT_UNMET, tree(REQUIRES, "")),
    (registry::codes::REQUIREMENT_CYCLE, tree(CYCLE, "")),
    (registry::codes::ALIAS_TAKEN, tree(ONE, "aliases: { pdf: forms }")),
    (registry::codes::ALIAS_UNKNOWN, tree(ONE, "aliases: { ship: deploy }")),
    (registry::codes::ROOT_SHARED, Setup::TwiceTheSame),
    (
        registry::codes::LAYER_UNKNOWN,
        Setup::Host(ONE, |tree| {
            let mut policies = Policies::default();
            policies.registry.unknown_layer = UnknownLayer::Lowest;
            Runtime::builder().policies(policies).tree("friends", tree.join("user"))
        }),
    ),
    (registry::codes::NAME_UNUSED, Setup::Named(shelf)),
    (registry::codes::SKILL_MD_MISSING, Setup::Named(no_skill)),
    (
        registry::codes::BODY_TOKENS_SOFT_LIMIT,
        Setup::Tree {
            files: ONE,
            // Said outright, so that a first scan asks for sizes too.
            policies: "registry: { limits: { body_tokens: { max: 8000, severity: warning } } }",
            done: |tree| {
                let text = fs::read_to_string(tree.join("user/pdf/SKILL.md")).expect("it is there");
                tree.write("user/pdf/SKILL.md", text + &"x".repeat(33_000));
            },
        },
    ),
    (registry::codes::SOURCE_FAILED, Setup::Source(|| Stranger::Away)),
    (
        registry::codes::SOURCE_LATE,
        Setup::Host("", |_| {
            let over = Cancel::default();
            over.cancel();
            Runtime::builder().source("user", Arc::new(Stranger::Slow)).wait_until(over)
        }),
    ),
    (registry::codes::PACKAGE_PATH_INVALID, Setup::Source(|| Stranger::LeadsOut)),
    (
        registry::codes::SKILL_KEPT,
        Setup::Reloaded(ONE, |tree| {
            tree.write("user/pdf/SKILL.md", "---\nname: pdf\n---\nForms\n");
        }),
    ),
    (registry::codes::SOURCE_NOT_WATCHED, Setup::Source(|| Stranger::Unwatched)),
    (
        source_fs::codes::ROOT_MISSING,
        done("", |tree| fs::remove_dir(tree.join("user")).expect("it is empty")),
    ),
    (
        source_fs::codes::ROOT_NOT_A_DIRECTORY,
        done("", |tree| {
            fs::remove_dir(tree.join("user")).expect("it is empty");
            tree.write("user", "text");
        }),
    ),
    (
        source_fs::codes::ROOT_OUTSIDE,
        machine(
            "//- /elsewhere/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            NOBODY_ELSE,
            |tree| {
                fs::create_dir_all(tree.join("project/.agents")).expect("there is room");
                link(tree, "/elsewhere", "project/.agents/skills");
            },
        ),
    ),
    (
        source_fs::codes::ROOT_REPEATED,
        machine(
            "//- /home/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            "discovery: { organization: null, roots: { user: [$HERE/home/skills], project: [$HERE/home/skills] } }",
            nothing,
        ),
    ),
    (
        source_fs::codes::ROOT_NOT_ABSOLUTE,
        machine("", "discovery: { organization: null, roots: { user: [skills] } }", nothing),
    ),
    (
        registry::codes::PROJECT_NOT_TRUSTED,
        machine(
            "//- /project/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            NOBODY_ELSE,
            nothing,
        ),
    ),
    (
        registry::codes::AGENT_SKILLS_HIDDEN,
        machine(
            "//- /agents/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            "discovery: { organization: null, roots: { agents: [$HERE/agents] } }",
            nothing,
        ),
    ),
    (
        source_fs::codes::DIRECTORY_UNREADABLE,
        done("", |tree| {
            fs::remove_dir(tree.join("user")).expect("it is empty");
            link(tree, "/other", "user");
            link(tree, "/user", "other");
        }),
    ),
    (
        source_fs::codes::NOT_A_FILE,
        done("", |tree| {
            fs::create_dir_all(tree.join("user/pdf/SKILL.md")).expect("there is room");
        }),
    ),
    (
        source_fs::codes::FILE_MISNAMED,
        tree("//- /user/pdf/Skill.md\n---\nname: pdf\ndescription: x\n---\n", ""),
    ),
    (
        source_fs::codes::FILE_MISPLACED,
        machine("//- /home/.agents/skills/SKILL.md\nDraft\n", NOBODY_ELSE, nothing),
    ),
    (source_fs::codes::DANGLING_LINK, done("", |tree| link(tree, "/gone", "user/pdf"))),
    (source_fs::codes::SYMLINK_LOOP, done("", |tree| link(tree, "pdf", "user/pdf"))),
    (
        source_fs::codes::SKILL_MD_REPEATED,
        done(
            "//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n//- /user/pdf/skill.md\nx\n",
            |_| {},
        ),
    ),
    (
        source_fs::codes::MULTIPLE_LINKS,
        done("//- /elsewhere/SKILL.md\ntext\n//- /project/pdf/x\nx\n", |tree| {
            let link = tree.join("project/pdf/SKILL.md");
            fs::hard_link(tree.join("elsewhere/SKILL.md"), link).expect("it is on one disk");
        }),
    ),
    (
        source_fs::codes::PATH_ESCAPE,
        done("//- /elsewhere/SKILL.md\ntext\n", |tree| {
            fs::create_dir(tree.join("user/pdf")).expect("there is room");
            link(tree, "/elsewhere/SKILL.md", "user/pdf/SKILL.md");
        }),
    ),
    (
        source_fs::codes::ROOT_IS_SYMLINK,
        done("//- /elsewhere/SKILL.md\ntext\n", |tree| {
            link(tree, "/elsewhere", "project/pdf");
        }),
    ),
    (
        source_fs::codes::LINK_NOT_SEARCHED,
        done("//- /elsewhere/notes.md\ntext\n", |tree| link(tree, "/elsewhere", "user/more")),
    ),
    (source_fs::codes::PATH_NOT_UTF8, done("", |tree| unusual(tree, b"caf\xe9"))),
    (source_fs::codes::PATH_NOT_PORTABLE, done("", |tree| unusual(tree, b"c:forms"))),
    (
        source_fs::codes::SCAN_TRUNCATED,
        tree(
            "//- /user/a/b/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            "discovery: { bounds: { max_depth: 2 } }",
        ),
    ),
    (
        source_fs::codes::LEFT_OUT_BY_GITIGNORE,
        tree(
            "//- /user/.gitignore\ndrafts/\n//- /user/drafts/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n",
            "discovery: { gitignore: true }",
        ),
    ),
    (
        source_fs::codes::NORMALISATION_COLLISION,
        done("", |tree| {
            unusual(tree, "caf\u{e9}".as_bytes());
            unusual(tree, "cafe\u{301}".as_bytes());
        }),
    ),
    (state::codes::TRUST_FILE_INVALID, Setup::TrustFile("{")),
    (state::codes::STATE_DATABASE_INVALID, Setup::Database("{")),
    (state::codes::CACHE_IGNORED, Setup::Cache),
];

/// A skill in a directory of this name.
fn unusual(tree: &Tree, name: &[u8]) {
    let directory = tree.join("user").join(OsStr::from_bytes(name));
    fs::create_dir_all(&directory).expect("there is room");
    fs::write(directory.join("SKILL.md"), "---\nname: pdf\ndescription: x\n---\n").expect("a file");
}
