//! `prowess plugin check`: each rule has a plugin that breaks it, and the others pass.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use prowess::plugin_host::{Manifest, PanicStrategy};
use prowess_plugin_host::check::check_names;
use prowess_testkit::{PluginFile, build_plugin, build_plugin_example};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Program, Ran};
#[cfg(all(feature = "http", feature = "mcp-sources"))]
use crate::serve_http::HttpServer;

/// A home in which one plugin lies, trusted or not.
struct Place {
    home: TempDir,
    file: PathBuf,
}

impl Place {
    fn new(bytes: &[u8]) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let file = home.path().join("plugin.so");
        std::fs::write(&file, bytes).expect("a file can be written");
        Self { home, file }
    }

    fn trusted(file: &Path) -> Self {
        let place = Self::new(&std::fs::read(file).expect("the plugin is built"));
        place.run(&["plugin", "trust", &place.name()]).text();
        place
    }

    fn name(&self) -> String {
        self.file.display().to_string()
    }

    fn run(&self, args: &[&str]) -> Ran {
        Program::new().at_home_in(self.home.path()).run(args)
    }

    fn check(&self, args: &[&str]) -> Ran {
        self.run(&[&["plugin", "check", &self.name(), "--format", "json"], args].concat())
    }
}

/// The plugin that breaks what its configuration says, trusted.
fn careless() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| Place::trusted(&build_plugin_example("prowess-plugin-sdk", "careless")))
}

/// The check of this name in a report.
#[track_caller]
fn result<'r>(report: &'r Value, name: &str) -> &'r Value {
    let checks = report["checks"].as_array().expect("a report has checks");
    let check = checks.iter().find(|check| check["name"] == name);
    check.unwrap_or_else(|| panic!("the report has the check `{name}`: {report:#}"))
}

/// The names of the checks that ended this way.
fn ended<'r>(report: &'r Value, outcome: &str) -> Vec<&'r str> {
    let checks = report["checks"].as_array().expect("a report has checks");
    let ended = checks.iter().filter(|check| check["outcome"] == outcome);
    ended.map(|check| check["name"].as_str().expect("a check has a name")).collect()
}

#[test]
fn a_plugin_that_keeps_every_rule_passes() {
    let ran = careless().check(&[]);
    assert_eq!(ran.code, Some(0), "the plugin passes: {}{}", ran.stdout, ran.stderr);
    let report = ran.json();
    assert_eq!(ended(&report, "failed"), [""; 0], "no check failed: {report:#}");
    assert_eq!(ended(&report, "skipped"), [""; 0], "no check was skipped: {report:#}");
    let passed = ended(&report, "passed");
    let opened = check_names().count();
    assert_eq!(passed.len(), opened + 4, "every check is run: {passed:?}");
    assert_eq!(report["summary"]["passed"], passed.len(), "the summary has the number of checks");
    assert_eq!(report["passed"], true, "the report has passed");
}

#[test]
fn every_shipped_plugin_passes() {
    let skills = prowess_testkit::Tree::new(include_str!("../data/plugin-check-tree.txt"));
    let copies = prowess_testkit::Tree::new("");
    copies.write(
        "prowess.yaml",
        format!(
            "plugins:\n  settings:\n    prowess-plugin-mcp:\n      rights: {{ network: true }}\n    \
             prowess-plugin-remote:\n      rights: {{ read: [{}], write: [{}] }}\n",
            skills.path().display(),
            copies.path().display()
        ),
    );
    let policies = copies.join("prowess.yaml").display().to_string();
    #[cfg(all(feature = "http", feature = "mcp-sources"))]
    let server = HttpServer::start::<&str>(skills.path(), &[]);
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    for folder in std::fs::read_dir(plugins).expect("the folder of plugins is there") {
        let folder = folder.expect("it can be listed");
        if !folder.path().join("Cargo.toml").is_file() {
            continue;
        }
        let name = folder.file_name().into_string().expect("a folder has a plain name");
        let config = match &*name {
            "filesystem" => json!({"roots": [{"root": skills.path()}]}),
            "memory" => json!({"files": {
                "pdf/SKILL.md": "---\nname: pdf\ndescription: Fills forms.\n---\nBody\n",
                "pdf/references/fields.md": "Fields\n",
            }}),
            #[cfg(all(feature = "http", feature = "mcp-sources"))]
            "mcp" => json!({"label": "team", "url": server.url, "hosts": [server.host]}),
            // It needs a server over HTTP, which this program cannot be.
            #[cfg(not(all(feature = "http", feature = "mcp-sources")))]
            "mcp" => continue,
            "remote" => json!({"sources": [skills.path()], "directory": copies.path()}),
            _ => Value::Null,
        };
        let place = Place::trusted(&build_plugin(&format!("prowess-plugin-{name}")));
        let ran = place.check(&["--config", &policies, "--with", &config.to_string()]);
        assert_eq!(ran.code, Some(0), "`{name}` passes: {}{}", ran.stdout, ran.stderr);
    }
}

/// Returns which rule is broken, the check that sees it, and a part of what that says, of what is
/// seen at once (0) or at the end of an instance (1).
fn broken(part: usize) -> Vec<[&'static str; 3]> {
    let part = include_str!("../data/plugin-broken.txt").split("\n\n").nth(part);
    let row = |line: &'static str| {
        let mut words = line.splitn(3, ' ');
        [(); 3].map(|()| words.next().expect("three parts"))
    };
    part.expect("two parts").lines().map(row).collect()
}

#[track_caller]
fn is_seen(breaks: &str, check: &str, reason: &str) {
    let config = json!({ "breaks": breaks }).to_string();
    let seconds = if breaks.ends_with("hangs") { "4" } else { "60" };
    let ran = careless().check(&["--only", check, "--with", &config, "--seconds", seconds]);
    assert_eq!(ran.code, Some(1), "`{breaks}` is a failure: {}{}", ran.stdout, ran.stderr);
    let report = ran.json();
    assert_eq!(ended(&report, "failed"), [check], "`{breaks}` fails one check: {report:#}");
    let failed = result(&report, check);
    let text = failed["reason"].as_str().unwrap_or_default();
    assert!(text.contains(reason), "`{breaks}`: `{text}` contains `{reason}`");
    let help = failed["help"].as_str().unwrap_or_default();
    assert!(!help.is_empty(), "`{breaks}` has a help text");
}

#[test]
fn each_broken_rule_is_found() {
    for [breaks, check, reason] in broken(0) {
        is_seen(breaks, check, reason);
    }
}

#[test]
fn each_broken_rule_of_instances_is_found() {
    for [breaks, check, reason] in broken(1) {
        is_seen(breaks, check, reason);
    }
}

#[test]
fn each_check_has_a_plugin_that_fails_it() {
    let broken = [broken(0), broken(1)].concat();
    let failed: Vec<_> = broken.iter().map(|[_, check, _]| *check).collect();
    for name in check_names() {
        assert!(failed.contains(&name), "the tests above fail the check `{name}`");
    }
}

/// The attacks of a plugin that is not checked yet.
const ATTACKS: [&str; 7] = ["read", "write", "connect", "signal", "memory", "environ", "run"];

/// The report of a plugin that tries every attack on this process and on a file that it was not
/// given, in a check under this policy.
fn attacked(sandbox: &str) -> String {
    let place = careless();
    let secret = place.home.path().join("secret");
    std::fs::write(&secret, "hidden").expect("a file can be written");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let policies = place.home.path().join(format!("{sandbox}.yaml"));
    let text = format!("plugins: {{sandbox: {sandbox}}}\n");
    std::fs::write(&policies, text).expect("a file can be written");
    let host = std::process::id();
    let breaks = format!("attacks {host} {} {address}", secret.display());
    let config = json!({ "breaks": breaks }).to_string();
    let ran = Program::new().at_home_in(place.home.path()).config(&policies).run(&[
        "plugin",
        "check",
        &place.name(),
        "--format",
        "json",
        "--only",
        "scan",
        "--with",
        &config,
    ]);
    let report = ran.json();
    result(&report, "scan")["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn hostile_plugin_is_confined() {
    for sandbox in ["floor", "namespaces"] {
        let text = attacked(sandbox);
        for what in ATTACKS {
            assert!(text.contains(&format!("{what} is refused: ")), "{sandbox}, {what}: {text}");
        }
    }
}

/// Without the sandbox each attack works, so the test above shows something.
#[test]
fn control_without_sandbox_is_not_confined() {
    let text = attacked("off");
    for what in ATTACKS {
        assert!(text.contains(&format!("{what} works")), "{what}: {text}");
    }
}

#[test]
fn file_fault_is_reported_without_loading_it() {
    let manifest = PluginFile::manifest;
    let aborts = Manifest { panic: PanicStrategy::Abort, ..manifest() };
    let unknown = Manifest { kinds: vec!["themes".into()], ..manifest() };
    let exports = "int stray(void) { return 7; }";
    let plain = |manifest: &Manifest| PluginFile::new(manifest);
    let cases = [
        (b"text".to_vec(), "manifest", "it is not a dynamic library"),
        (plain(&aborts).build(), "manifest", "`panic = \"abort\"`"),
        (plain(&unknown).build(), "manifest", "lists the unknown kind `themes`"),
        (plain(&manifest()).build(), "symbols", "does not export"),
        (plain(&manifest()).code(exports).build(), "symbols", "exports 1 other name: `stray`"),
        (plain(&manifest()).flags(&["-Wl,-rpath,/opt"]).build(), "linkage", "`/opt`"),
        (plain(&manifest()).build(), "trust", "is not trusted"),
    ];
    for (bytes, check, reason) in cases {
        let ran = Place::new(&bytes).check(&[]);
        assert_eq!(ran.code, Some(1), "the plugin fails: {}", ran.stderr);
        let report = ran.json();
        let failed = result(&report, check);
        let text = failed["reason"].as_str().unwrap_or_default();
        assert!(text.contains(reason), "`{text}` contains `{reason}`: {report:#}");
        let begin = result(&report, "begin");
        assert_eq!(
            begin["reason"], "nothing was executed",
            "the library is not opened: {report:#}"
        );
    }
}

#[test]
fn the_report_is_text_or_junit_too() {
    let place = Place::trusted(&build_plugin("prowess-plugin-memory"));
    let file = place.name();
    let args = ["plugin", "check", &file, "--only", "config"];
    let ran = place.run(&args);
    assert!(ran.text().contains("ok      config"), "each check has a line: {ran:?}");
    assert!(
        ran.text().ends_with("6 checks passed, 0 failed, 0 skipped\n"),
        "the last line is a summary: {ran:?}"
    );

    let wrong = ["--with", "{\"files\":\"<&\\u0007>\"}", "--report", "junit"];
    let ran = place.run(&[&args[..], &wrong].concat());
    assert_eq!(ran.code, Some(1), "a report does not change the verdict: {}", ran.stderr);
    let document = roxmltree::Document::parse(&ran.stdout).expect("the report is XML");
    assert_eq!(document.root_element().attribute("tests"), Some("6"), "{}", ran.stdout);
}

#[test]
fn wrong_arguments_are_usage_errors() {
    for (args, code) in
        [(["--only", "themes"], "check-unknown"), (["--with", "{"], "config-invalid")]
    {
        let ran = careless().check(&args);
        assert_eq!(ran.code, Some(2), "it is a usage error: {}", ran.stdout);
        assert_eq!(ran.error()["code"], code, "the error has a code: {}", ran.stderr);
    }
    let place = Place::new(b"");
    std::fs::remove_file(&place.file).expect("the file is there");
    let ran = place.check(&[]);
    assert_eq!(ran.code, Some(1), "a missing file is an error: {ran:?}");
    assert_eq!(ran.error()["code"], "plugin-unreadable", "{}", ran.stderr);
}
