//! The rows of the table: each fault, the requests that cause it, and its effects.

use prowess_testkit::PluginFlavor;
use serde_json::{Value, json};

use Act::{Begin, End, List, Read, Scan, Tool, Watch};
use Outcome::{EndsHost, Nothing, ReachesHost, Reports};

/// A request to the plugin. The texts select the fault, see `act` in the plugin.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    Begin,
    Scan,
    List(&'static str),
    Read(&'static str),
    Tool(&'static str),
    Watch,
    End,
}

/// The effect of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// An error or a diagnostic with this code.
    Reports(&'static str),
    /// The fault has no effect.
    Nothing,
    /// The host's process ends.
    EndsHost,
    /// The host keeps running, but its state has changed.
    ReachesHost,
}

/// A fault, the requests that cause it, and its effects in the host and in a separate process.
pub(super) struct Row {
    pub(super) fault: &'static str,
    pub(super) flavor: PluginFlavor,
    pub(super) cases: Vec<(Value, Act)>,
    pub(super) in_host: Outcome,
    pub(super) in_process: Outcome,
}

fn row(fault: &'static str, cases: Vec<(Value, Act)>, outcomes: (Outcome, Outcome)) -> Row {
    let (in_host, in_process) = outcomes;
    Row { fault, flavor: PluginFlavor::Usual, cases, in_host, in_process }
}

pub(super) fn rows() -> Vec<Row> {
    let same = |code| (Reports(code), Reports(code));
    let with = |key: &str, words: &[&str], act| -> Vec<_> {
        words.iter().map(|word| (json!({ key: word }), act)).collect()
    };
    let usual = |acts: &[Act]| acts.iter().map(|&act| (json!({}), act)).collect::<Vec<_>>();
    let deadly = ["abort", "exit", "segfault", "overflow", "grow"];
    vec![
        row(
            "panics during its start or while it describes what it offers",
            [
                with("init", &["panic", "payload"], Begin),
                with("describe", &["panic"], Begin),
                with("provide", &["panic"], Begin),
            ]
            .concat(),
            same("plugin-panicked"),
        ),
        row(
            "refuses to start, or refuses its configuration",
            [with("init", &["refuse"], Begin), with("tool", &["1"], Begin)].concat(),
            same("plugin-init-failed"),
        ),
        row("does not start in time", with("init", &["hang"], Begin), same("plugin-init-failed")),
        row(
            "offers two tools with the same name",
            vec![(json!({"tools": 2}), Begin)],
            same("plugin-protocol-broken"),
        ),
        row(
            "panics in a call, also with a payload whose drop panics",
            [
                usual(&[Read("panic"), Read("payload"), List("panic"), List("payload")]),
                usual(&[Tool("panic"), Tool("payload")]),
                with("scan", &["panic", "payload"], Scan),
                with("watch", &["panic", "payload"], Watch),
            ]
            .concat(),
            same("plugin-panicked"),
        ),
        row(
            "panics while one of its watches ends, or while it is dropped",
            [with("watch", &["end"], Watch), with("drop", &["panic", "payload"], End)].concat(),
            (Nothing, Nothing),
        ),
        row(
            "does not return from a call",
            [usual(&[Read("hang"), List("hang")]), with("scan", &["hang"], Scan)].concat(),
            same("plugin-deadline"),
        ),
        row(
            "does not return while it is dropped",
            with("drop", &["hang"], End),
            (Nothing, Nothing),
        ),
        row(
            "returns 1 GB, or more than the limit",
            [usual(&[Read("huge"), Read("large"), Tool("large")]), with("scan", &["head"], Scan)]
                .concat(),
            same("plugin-protocol-broken"),
        ),
        row(
            "reports a package twice or by a path that is none, a file that no skill has, or files \
             twice or out of order",
            [
                with("scan", &["twice", "path", "file"], Scan),
                usual(&[List("twice"), List("unsorted")]),
            ]
            .concat(),
            same("plugin-protocol-broken"),
        ),
        row(
            "reports or returns text that is not UTF-8",
            [
                with("scan", &["bytes", "file-bytes", "unchanged-bytes"], Scan),
                usual(&[Tool("bytes")]),
            ]
            .concat(),
            same("plugin-protocol-broken"),
        ),
        row(
            "reports a path of 10 MB, or 200,000 problems",
            with("scan", &["long", "problems"], Scan),
            same("plugin-protocol-broken"),
        ),
        row(
            "calls the host after it was dropped",
            with("drop", &["late"], End),
            (Nothing, Nothing),
        ),
        row(
            "aborts, exits, crashes, overflows its stack or exhausts the memory, in a call",
            [
                deadly.map(|how| (json!({}), Read(how))).to_vec(),
                deadly.map(|how| (json!({}), Tool(how))).to_vec(),
            ]
            .concat(),
            (EndsHost, Reports("plugin-crashed")),
        ),
        row(
            "does so during its start",
            with("init", &deadly, Begin),
            (EndsHost, Reports("plugin-crashed")),
        ),
        row("does so while it is dropped", with("drop", &deadly, End), (EndsHost, Nothing)),
        row("forks, and aborts", usual(&[Read("fork")]), (EndsHost, Reports("plugin-crashed"))),
        row(
            "uses a processor and does not return",
            usual(&[Read("spin")]),
            same("plugin-deadline"),
        ),
        row("prints to standard output", usual(&[Read("print")]), (ReachesHost, Nothing)),
        row(
            "changes the environment or the working directory",
            usual(&[Read("environment"), Read("directory")]),
            (ReachesHost, Nothing),
        ),
        Row {
            flavor: PluginFlavor::Foreign,
            ..row(
                "was built with `panic = \"abort\"`",
                usual(&[Begin]),
                (Reports("plugin-panic-aborts"), Nothing),
            )
        },
        Row {
            flavor: PluginFlavor::Foreign,
            ..row(
                "panics, built with `panic = \"abort\"`",
                usual(&[Read("panic")]),
                (Reports("plugin-panic-aborts"), Reports("plugin-crashed")),
            )
        },
    ]
}
