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

impl Outcome {
    fn of(word: &'static str) -> Self {
        match word {
            "nothing" => Nothing,
            "ends the host" => EndsHost,
            "reaches the host" => ReachesHost,
            code => Reports(code),
        }
    }
}

/// Reads a request: an act with its text, or with a key of the configuration and its value.
fn case(text: &'static str) -> (Value, Act) {
    let (act, what) = text.split_once(' ').unwrap_or((text, ""));
    let config = what.split_once('=').map_or_else(
        || json!({}),
        |(key, word)| json!({ key: word.parse().unwrap_or_else(|_| Value::from(word)) }),
    );
    let act = match act {
        "begin" => Begin,
        "scan" => Scan,
        "list" => List(what),
        "read" => Read(what),
        "tool" => Tool(what),
        "watch" => Watch,
        "end" => End,
        other => panic!("`{other}` is no act"),
    };
    (config, act)
}

pub(super) fn rows() -> Vec<Row> {
    let row = |line: &'static str| {
        let parts: Vec<_> = line.split(" ¦ ").collect();
        let [fault, flavor, in_host, in_process, cases] = parts[..] else { panic!("{line}") };
        let flavor = match flavor {
            "usual" => PluginFlavor::Usual,
            _ => PluginFlavor::Foreign,
        };
        let cases = cases.split(", ").map(case).collect();
        let (in_host, in_process) = (Outcome::of(in_host), Outcome::of(in_process));
        Row { fault, flavor, cases, in_host, in_process }
    };
    include_str!("../../data/faults.txt").lines().map(row).collect()
}
