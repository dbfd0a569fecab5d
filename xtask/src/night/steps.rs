//! The steps of the night.

use std::path::Path;

use crate::process::Failure;

/// A check with what it guards and about how long it takes.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) about: &'static str,
    /// The arguments of `cargo xtask`.
    pub(crate) command: Vec<String>,
    pub(crate) when: When,
    /// The beginnings of the paths that it guards: a change of one runs the step with the change.
    pub(crate) guards: Vec<String>,
    /// About how long it takes after the tests on two cores, with what it compiles and installs.
    pub(crate) seconds: u64,
    /// The programs that it needs beside Rust and a C compiler.
    pub(crate) programs: &'static [&'static str],
}

/// When a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Each night, and with a change of what it guards.
    Night,
    /// Only with a change of what it guards: at night, another step has it.
    Changed,
    /// Only if it is named.
    Asked,
}

impl Step {
    /// Creates a step of each night. The command is the arguments of `cargo xtask`.
    pub(crate) fn new(name: &str, about: &'static str, command: &str) -> Self {
        Self {
            name: name.to_owned(),
            about,
            command: command.split_whitespace().map(str::to_owned).collect(),
            when: When::Night,
            guards: Vec::new(),
            seconds: 600,
            programs: &[],
        }
    }

    fn guards(mut self, seconds: u64, paths: &[&str]) -> Self {
        self.seconds = seconds;
        self.guards = paths.iter().map(ToString::to_string).collect();
        self
    }

    fn needs(mut self, programs: &'static [&'static str]) -> Self {
        self.programs = programs;
        self
    }

    /// Sets about how long a step takes that runs only if it is named.
    fn asked(self, seconds: u64) -> Self {
        Self { when: When::Asked, seconds, ..self }
    }

    /// Returns the first program that is not installed.
    pub(crate) fn missing_program(&self) -> Option<&'static str> {
        let places = std::env::var_os("PATH").unwrap_or_default();
        let places: Vec<_> = std::env::split_paths(&places).collect();
        let mut programs = self.programs.iter().copied();
        programs.find(|program| !places.iter().any(|place| place.join(program).is_file()))
    }
}

/// The crates that start threads, whose interleavings matter.
const CONCURRENT: [&str; 6] = [
    "crates/prowess-audit/",
    "crates/prowess-plugin-host/",
    "crates/prowess-plugin-sdk/",
    "crates/prowess-registry/",
    "crates/prowess-session/",
    "crates/prowess-state/",
];

/// The crates of discovery, whose costs are counted.
const DISCOVERY: [&str; 5] = [
    "crates/prowess-core/",
    "crates/prowess-dir/",
    "crates/prowess-format/",
    "crates/prowess-registry/",
    "crates/prowess-source-fs/",
];

const REMOTES: [&str; 5] = [
    "crates/prowess-archive/",
    "crates/prowess-signature/",
    "crates/prowess-source-remote/",
    "crates/prowess-store/",
    "plugins/remote/",
];

const PLUGINS: [&str; 4] = [
    "crates/prowess-plugin-abi/",
    "crates/prowess-plugin-host/",
    "crates/prowess-plugin-sdk/",
    "plugins/",
];

const SERVER: [&str; 2] = ["crates/prowess-mcp/", "crates/prowess-source-mcp/"];

/// Returns all steps: those that are always there, and one for the night's tests of each crate that
/// has some.
pub(crate) fn steps(root: &Path) -> Result<Vec<Step>, Failure> {
    let mut steps = fixed();
    steps.extend(night_tests(root)?);
    Ok(steps)
}

fn fixed() -> Vec<Step> {
    let library_features = [
        "crates/prowess/Cargo.toml",
        "crates/prowess/src/lib.rs",
        "crates/prowess-registry/Cargo.toml",
        "crates/prowess-source-fs/Cargo.toml",
    ];
    let cli_features = ["crates/prowess-cli/Cargo.toml", "crates/prowess-cli/src/features"];
    vec![
        Step::new("requests", "request bodies, read by the vendors' own clients", "requests")
            .guards(40, &["crates/prowess-vendor/"])
            .needs(&["python3"]),
        Step::new(
            "features prowess",
            "each feature of the libraries alone",
            "features prowess prowess-registry prowess-source-fs",
        )
        .guards(180, &library_features),
        Step::new(
            "features prowess-cli",
            "each feature of the program alone",
            "features prowess-cli",
        )
        .guards(240, &cli_features),
        Step::new("full", "all tests with all features, those of the night too", "test --full")
            .guards(1_500, &["Cargo.lock"])
            .needs(&["strace", "bwrap"]),
        Step::new("clients", "a conversation with each real client of the protocol", "clients")
            .guards(150, &SERVER)
            .needs(&["python3", "node", "npm"]),
        Step::new("mcp-conformance", "the protocol's conformance suite", "mcp-conformance")
            .guards(200, &SERVER)
            .needs(&["node", "npm"]),
        Step::new("oauth", "tokens of a real authorization server", "oauth")
            .guards(120, &["crates/prowess-mcp/src/http"])
            .needs(&["node", "npm"]),
        Step::new("uv", "a script with dependencies, run by the real `uv`", "uv")
            .guards(60, &["crates/prowess-script/", "crates/prowess-sandbox/"])
            .needs(&["python3"]),
        Step::new("remotes", "installs from and publishing to real servers", "remotes")
            .guards(200, &REMOTES)
            .needs(&["docker-registry", "openssl", "python3"]),
        Step::new(
            "plugins",
            "the plugins, their rules, and their catalog beside the linked one",
            "plugins ../shared/corpus",
        )
        .guards(400, &PLUGINS),
        Step::new("dynamic", "tests again, with built-in sources that are plugins", "dynamic")
            .guards(600, &PLUGINS),
        Step::new("count", "system calls and instructions of discovery", "bench --count")
            .guards(300, &DISCOVERY)
            .needs(&["strace", "valgrind"]),
        Step::new("soak", "reloads, swaps, writers, broken messages and bad scripts", "soak")
            .guards(600, &CONCURRENT),
        Step::new("messages", "a million broken messages", "soak --messages").guards(500, &SERVER),
        Step::new("load", "256 concurrent clients over HTTP", "load")
            .guards(400, &["crates/prowess-mcp/src/http"]),
        Step::new("updates", "an update, killed at each of its system calls", "soak --updates")
            .guards(900, &["crates/prowess-store/"])
            .needs(&["strace"]),
        Step::new("power-cuts", "the power, cut at each moment of a writer", "soak --power-cuts")
            .guards(
                3_600,
                &["crates/prowess-state/", "crates/prowess-audit/", "crates/prowess-store/"],
            )
            .needs(&["strace"]),
        Step::new("msrv", "the oldest supported compiler", "msrv").guards(300, &["Cargo.toml"]),
        Step::new("release", "every crate, built from its package", "release --dry-run")
            .guards(1_500, &["Cargo.toml"]),
        Step::new(
            "install",
            "a new user's first ten minutes with `cargo install`",
            "first-run --install",
        )
        .guards(600, &[".ci/first-ten-minutes"]),
        Step::new("benches", "each benchmark once", "benches").guards(400, &["benches/"]),
        Step::new("coverage", "the lines that tests run in each library", "coverage")
            .guards(2_400, &[]),
        Step::new("mutants", "small changes of the crates that guard something", "mutants")
            .asked(20_000),
        Step::new("fuzz", "the readers of untrusted bytes, for ten minutes", "fuzz 600")
            .asked(1_200),
        Step::new("asan", "the plugin boundary with AddressSanitizer", "asan").asked(900),
        Step::new("miri", "the plugin boundary with Miri", "miri").asked(900),
    ]
}

/// Returns a step for each package that has tests of the night.
fn night_tests(root: &Path) -> Result<Vec<Step>, Failure> {
    let mut steps = Vec::new();
    for folder in ["crates", "plugins"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let directory = entry?;
            let tests = directory.path().join("tests/it");
            if tests.join("night").is_dir() || tests.join("night.rs").is_file() {
                let name = directory.file_name().to_string_lossy().into_owned();
                let prefix = if folder == "plugins" { "prowess-plugin-" } else { "" };
                let package = format!("{prefix}{name}");
                let about = "its tests that take long or need other programs";
                let command = format!("test --night {package}");
                // The flavors of plugins are built first.
                let seconds = if package == "prowess-plugin-host" { 120 } else { 60 };
                let mut step = Step::new(&format!("night {package}"), about, &command)
                    .guards(seconds, &[&format!("{folder}/{name}/")])
                    .needs(&["strace", "bwrap"]);
                step.when = When::Changed;
                steps.push(step);
            }
        }
    }
    steps.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_guarded_paths_exist() {
        let steps = steps(&crate::root()).expect("the repository can be read");
        let mut names = std::collections::BTreeSet::new();
        for step in steps {
            assert!(names.insert(step.name.clone()), "two steps are named `{}`", step.name);
            for path in &step.guards {
                // The last part is the start of a name.
                let path = crate::root().join(path);
                let start = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let parent = path.parent().expect("it is below the top");
                let mut entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
                let is_it = |entry: std::fs::DirEntry| {
                    entry.file_name().to_string_lossy().starts_with(&start)
                };
                assert!(entries.any(is_it), "{}: `{}`", step.name, path.display());
            }
        }
    }

    #[test]
    fn missing_program_is_found() {
        let step = Step::new("one", "", "").needs(&["sh", "no-such-program"]);
        assert_eq!(step.missing_program(), Some("no-such-program"));
        assert_eq!(Step::new("one", "", "").needs(&["sh"]).missing_program(), None);
    }
}
