//! `prowess plugin list`, `inspect` and `trust`: shapes, verdicts, and that no library is opened.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc;

use expect_test::{Expect, expect};
use prowess_testkit::{PluginFile, build_plugin_example};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{PATIENCE, Program, Ran};

/// A home with a directory of plugins.
struct Home {
    directory: TempDir,
    path: PathBuf,
}

impl Home {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().canonicalize().expect("it is there");
        std::fs::create_dir_all(path.join(".prowess/plugins")).expect("a directory can be made");
        Self { directory, path }
    }

    /// Installs a plugin that says by a file if its code runs.
    fn install(&self, name: &str, version: &str) -> PathBuf {
        let manifest =
            prowess::plugin_host::Manifest { version: version.into(), ..PluginFile::manifest() };
        let trap = format!(
            "#include <stdio.h>\n\
             __attribute__((constructor)) static void run(void) {{ fopen(\"{}\", \"w\"); }}",
            self.trap().display()
        );
        self.write(name, &PluginFile::new(&manifest).code(&trap).build())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let file = self.path.join(".prowess/plugins").join(name);
        std::fs::write(&file, bytes).expect("a file can be written");
        file
    }

    fn trap(&self) -> PathBuf {
        self.path.join("it-ran")
    }

    fn run(&self, args: &[&str]) -> Ran {
        // The store of trust is what these tests are about.
        let ran = Program::new().linked().at_home_in(&self.path).run(args);
        assert!(!self.trap().exists(), "no code of a plugin runs by `prowess {}`", args.join(" "));
        ran
    }

    fn trust(&self, file: &Path) -> Ran {
        self.run(&["plugin", "trust", &file.display().to_string()])
    }

    /// The document of a run, with what differs from run to run replaced.
    #[track_caller]
    fn check(&self, args: &[&str], expected: &Expect) {
        let ran = self.run(&[args, &["--format", "json"]].concat());
        assert_eq!(ran.code, Some(0), "the run succeeds: {}", ran.stderr);
        self.compare(&ran.json(), expected);
    }

    #[track_caller]
    fn check_failure(&self, args: &[&str], expected: &Expect) {
        let ran = self.run(&[args, &["--format", "json"]].concat());
        assert_eq!(ran.code, Some(1), "the run fails: {}", ran.stdout);
        self.compare(&ran.error(), expected);
    }

    #[track_caller]
    fn compare(&self, document: &Value, expected: &Expect) {
        let mut text = format!("{document:#}\n").replace(&self.path.display().to_string(), "$HOME");
        while let Some(at) = text.find("sha256:").filter(|at| text.len() > at + 71) {
            text.replace_range(at..at + 71, "$DIGEST");
        }
        text = text.replace(&PluginFile::manifest().target, "$TARGET");
        expected.assert_eq(&text);
    }
}

#[test]
fn without_plugins_the_list_is_empty() {
    let home = Home::new();
    home.check(
        &["plugin", "list"],
        &expect![[r#"
        {
          "directories": [
            "$HOME/.prowess/plugins"
          ],
          "plugins": []
        }
    "#]],
    );
    let ran = home.run(&["plugin", "list"]);
    assert!(ran.text().starts_with("0 plugins in "), "the places are named: {ran:?}");
    drop(home.directory);
}

#[test]
fn list_shows_each_verdict() {
    let home = Home::new();
    home.trust(&home.install("notes.so", "1.2.0")).text();
    home.install("other.so", "1.3.0");
    home.write("text.so", b"text");
    home.check(&["plugin", "list"], &expect![[r#"
        {
          "directories": [
            "$HOME/.prowess/plugins"
          ],
          "plugins": [
            {
              "file": "$HOME/.prowess/plugins/notes.so",
              "name": "notes",
              "version": "1.2.0",
              "description": "Notes as skills",
              "kinds": [
                "source"
              ],
              "digest": "$DIGEST",
              "verdict": "in-process",
              "reason": "may run in this process",
              "code": null,
              "help": null
            },
            {
              "file": "$HOME/.prowess/plugins/other.so",
              "name": "notes",
              "version": "1.3.0",
              "description": "Notes as skills",
              "kinds": [
                "source"
              ],
              "digest": "$DIGEST",
              "verdict": "refused",
              "reason": "`$HOME/.prowess/plugins/other.so` is a second plugin named `notes`: `$HOME/.prowess/plugins/notes.so` is the first; nothing was executed",
              "code": "plugin-name-taken",
              "help": "remove one of them, or build it under another name"
            },
            {
              "file": "$HOME/.prowess/plugins/text.so",
              "name": null,
              "version": null,
              "description": null,
              "kinds": [],
              "digest": null,
              "verdict": "refused",
              "reason": "`$HOME/.prowess/plugins/text.so` is not a dynamic library (no ELF, Mach-O or PE header); nothing was executed",
              "code": "plugin-not-a-library",
              "help": "name the dynamic library that the plugin's build made"
            }
          ]
        }
    "#]]);
    let lists = [(), ()].map(|()| home.run(&["plugin", "list", "--format", "json"]).json());
    assert_eq!(lists[0], lists[1], "what is known from the last list is the same");
}

#[test]
fn inspect_shows_the_manifest_and_the_verdict() {
    let home = Home::new();
    let file = home.install("notes.so", "1.2.0").display().to_string();
    let shown = home.run(&["plugin", "inspect", &file, "--format", "json"]).json();
    assert_eq!(shown["manifest"]["name"], "notes", "the manifest is there: {shown:#}");
    assert_eq!(shown["verdict"], "refused", "it is not trusted: {shown:#}");
    assert_eq!(shown["code"], "plugin-not-trusted", "and the code says so: {shown:#}");
    home.trust(Path::new(&file)).text();
    let shown = home.run(&["plugin", "inspect", &file, "--format", "json"]).json();
    assert_eq!(shown["verdict"], "in-process", "a pinned release runs in the host: {shown:#}");
    let text = home.run(&["plugin", "inspect", &file]);
    assert!(text.text().contains("in-process: may run"), "people read the same: {text:?}");
}

#[test]
fn file_that_is_no_plugin_is_reported_on_one_line() {
    let home = Home::new();
    let text = home.write("text.so", b"text").display().to_string();
    home.check_failure(&["plugin", "inspect", &text], &expect![[r#"
        {
          "code": "plugin-not-a-library",
          "message": "`$HOME/.prowess/plugins/text.so` is not a dynamic library (no ELF, Mach-O or PE header); nothing was executed",
          "help": "name the dynamic library that the plugin's build made"
        }
    "#]]);
    home.check_failure(&["plugin", "trust", &text], &expect![[r#"
        {
          "code": "plugin-not-a-library",
          "message": "`$HOME/.prowess/plugins/text.so` is not a dynamic library (no ELF, Mach-O or PE header); nothing was executed",
          "help": "name the dynamic library that the plugin's build made"
        }
    "#]]);
    home.check_failure(&["plugin", "trust", "/nowhere.so"], &expect![[r#"
        {
          "code": "plugin-unreadable",
          "message": "`/nowhere.so` cannot be read: No such file or directory (os error 2); nothing was executed",
          "help": "name a plugin that exists"
        }
    "#]]);
}

#[test]
fn trust_is_added_listed_and_revoked() {
    let home = Home::new();
    let file = home.install("notes.so", "1.2.0");
    let shown = home.trust(&file);
    assert!(shown.text().contains("notes 1.2.0 may run with your rights"), "{shown:?}");
    let listed = home.run(&["plugin", "trust", "--list", "--format", "json"]).json();
    assert_eq!(listed["pins"][0]["name"], "notes", "the pin is listed: {listed:#}");
    assert_eq!(listed["keys"], serde_json::json!([]), "and no key: {listed:#}");
    home.check(
        &["plugin", "trust", "--revoke", "notes"],
        &expect![[r#"
        {
          "revoked": [
            {
              "kind": "pin",
              "name": "notes",
              "digest": "$DIGEST"
            }
          ]
        }
    "#]],
    );
    home.check_failure(
        &["plugin", "trust", "--revoke", "notes"],
        &expect![[r#"
        {
          "code": "plugin-not-trusted",
          "message": "nothing is trusted under `notes`",
          "help": "see `prowess plugin trust --list` for names, digests and keys"
        }
    "#]],
    );
    let shown = home.run(&["plugin", "inspect", &file.display().to_string()]);
    assert!(shown.text().contains("its pin was revoked"), "the pin is revoked: {shown:?}");
}

#[test]
fn older_version_needs_allow_older() {
    let home = Home::new();
    home.trust(&home.install("new.so", "1.10.0")).text();
    let old = home.install("old.so", "1.9.0").display().to_string();
    home.check_failure(&["plugin", "trust", &old], &expect![[r#"
        {
          "code": "plugin-rollback",
          "message": "`$HOME/.prowess/plugins/old.so` is version 1.9.0 of `notes`, but 1.10.0 is trusted; nothing was executed",
          "help": "trust the newer one, or use `--allow-older` for the older one"
        }
    "#]]);
    home.run(&["plugin", "trust", "--allow-older", &old]).text();
}

#[test]
fn a_key_is_trusted_by_its_file() {
    let home = Home::new();
    let file = home.path.join("author.pub");
    let key = "untrusted comment: minisign public key\n\
               RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n";
    std::fs::write(&file, key).expect("a file can be written");
    let file = file.display().to_string();
    home.run(&["plugin", "trust", "--key", &file]).text();
    let listed = home.run(&["plugin", "trust", "--list"]);
    assert!(listed.text().contains("key E7620F1842B4E81F"), "the key has its number: {listed:?}");
    std::fs::write(&file, "no key").expect("a file can be written");
    home.check_failure(&["plugin", "trust", "--key", &file], &expect![[r#"
        {
          "code": "plugin-key-invalid",
          "message": "`$HOME/author.pub` cannot be used: it is not a minisign public key: Invalid encoding in minisign data",
          "help": "name the `.pub` file written by `minisign -G`"
        }
    "#]]);
}

#[test]
fn a_damaged_store_trusts_nothing() {
    let home = Home::new();
    home.trust(&home.install("notes.so", "1.2.0")).text();
    let store = home.path.join(".local/state/prowess/plugins.json");
    std::fs::write(&store, "{").expect("a file can be written");
    for args in [&["plugin", "list"][..], &["plugin", "trust", "--list"]] {
        let error = home.run(&[args, &["--format", "json"]].concat()).error();
        assert_eq!(error["code"], "plugin-trust-invalid", "{error:#}");
    }
}

/// The plugin of skills in its own configuration, installed, and the file that configures it.
fn memory(home: &Home, isolation: &str) -> (String, String) {
    let built = std::fs::read(prowess_testkit::build_plugin("prowess-plugin-memory"));
    let file = home.write("memory.so", &built.expect("the plugin is built"));
    let config = format!(
        "plugins:
  isolation: {isolation}
  settings:
    prowess-plugin-memory:
      layer: user
      config:
        name: notes
        files:
          pdf/SKILL.md: \"---\\nname: pdf\\ndescription: Fills forms.\\n---\\nThe instructions\\n\"
"
    );
    let path = home.path.join("prowess.yaml");
    std::fs::write(&path, config).expect("a file can be written");
    (file.display().to_string(), path.display().to_string())
}

#[test]
fn plugin_skills_are_listed_in_both_isolations() {
    for isolation in ["in-process", "process", "auto"] {
        let home = Home::new();
        let (file, config) = memory(&home, isolation);
        home.trust(Path::new(&file)).text();
        let run = |args: &[&str]| {
            let ran = home.run(&[&["--plugin", &file, "--config", &config], args].concat());
            assert_eq!(ran.code, Some(0), "{isolation}: {}", ran.stderr);
            ran.json()
        };
        let listed = run(&["list", "--format", "json"]);
        let skills = listed["skills"].as_array().expect("there are skills");
        let pdf = skills.iter().find(|skill| skill["id"] == "pdf").expect("the plugin's is there");
        assert_eq!(pdf["source"], "notes", "{isolation}: it says where it is from: {pdf:#}");
        assert_eq!(pdf["layer"], "user", "{isolation}: it is where the settings say: {pdf:#}");
        let shown = run(&["show", "pdf", "--format", "json"]);
        assert_eq!(shown["body"], "The instructions\n", "{isolation}: its body is read");
    }
}

#[test]
fn plugin_skills_default_to_the_plugins_layer() {
    let home = Home::new();
    let (file, _) = memory(&home, "in-process");
    home.trust(Path::new(&file)).text();
    let own =
        r#"{"name":"own","files":{"tea/SKILL.md":"---\nname: tea\ndescription: Tea.\n---\n"}}"#;
    let layer = |named: &str| {
        let path = home.path.join("layers.yaml");
        let layers = format!("layers:\n- {{name: user, trust: trusted}}\n{named}");
        std::fs::write(&path, layers).expect("a file can be written");
        let (plugin, config) = (format!("{file}={own}"), path.display().to_string());
        let ran = home
            .run(&["--config", &config, "--plugin", &plugin, "show", "tea", "--format", "json"]);
        ran.json()["record"]["layer"].clone()
    };
    assert_eq!(layer(""), "embedded", "there is no such layer, so it is the lowest");
    let named = "- {name: plugin, trust: untrusted}\n- {name: project, trust: ask_first}\n";
    assert_eq!(layer(named), "plugin");
}

#[test]
fn a_plugin_is_configured_where_it_is_named() {
    let home = Home::new();
    let (file, config) = memory(&home, "in-process");
    home.trust(Path::new(&file)).text();
    let own =
        r#"{"name":"own","files":{"tea/SKILL.md":"---\nname: tea\ndescription: Tea.\n---\n"}}"#;
    let list = |plugin: &str| {
        let ran = home.run(&["--config", &config, "--plugin", plugin, "list", "--format", "json"]);
        let skills = ran.json()["skills"].clone();
        let of_plugin = |skill: &&Value| skill["source"] == "notes" || skill["source"] == "own";
        let skills = skills.as_array().into_iter().flatten().filter(of_plugin);
        let line =
            |skill: &Value| format!("{} {} {}", skill["id"], skill["source"], skill["layer"]);
        skills.map(line).collect::<Vec<_>>().join(", ")
    };
    let named = list(&format!("project={file}={own}"));
    assert_eq!(named, r#""tea" "own" "project""#, "what is typed goes before the file");
    let layer = list(&format!("project={file}"));
    assert_eq!(layer, r#""pdf" "notes" "project""#, "what is not typed is the file's");
    let configuration = list(&format!("{file}={own}"));
    assert_eq!(configuration, r#""tea" "own" "user""#, "so is the layer");
    let ran = home.run(&["--plugin", &format!("{file}={{")]);
    assert_eq!(ran.code, Some(2), "what is no JSON is a wrong command line: {ran:?}");
}

#[test]
fn the_built_in_sources_may_be_plugins() {
    let home = Home::new();
    let skills = home.path.join("skills");
    let skill = "---\nname: pdf\ndescription: Fills forms.\n---\nThe instructions\n";
    std::fs::create_dir_all(skills.join("pdf")).expect("a directory can be made");
    std::fs::write(skills.join("pdf/SKILL.md"), skill).expect("a file can be written");
    let skills = skills.display().to_string();
    let installed = home.path.join("built-in");
    std::fs::create_dir(&installed).expect("a directory can be made");
    let files = ["filesystem", "embedded"].map(|name| {
        let built = prowess_testkit::build_plugin(&format!("prowess-plugin-{name}"));
        let file = installed.join(built.file_name().expect("it is a file"));
        std::fs::copy(built, &file).expect("a file can be copied");
        file
    });
    let dynamic = ["--dynamic", &installed.display().to_string()].map(str::to_owned);
    let dynamic = dynamic.each_ref().map(String::as_str);
    let rooted = ["--root", &*skills, "list", "--format", "json"];
    let of_machine = ["list", "--format", "json"];
    let refused = home.run(&[&dynamic[..], &rooted].concat()).error();
    assert_eq!(refused["code"], "plugin-not-trusted", "nobody trusts them: {refused:#}");
    for file in &files {
        home.trust(file).text();
    }
    for list in [&rooted[..], &of_machine] {
        let [linked, loaded] = [home.run(list), home.run(&[&dynamic[..], list].concat())];
        assert_eq!(loaded.json(), linked.json(), "the catalog is the same");
    }
    std::fs::remove_file(&files[0]).expect("a file can be removed");
    let missing = home.run(&[&dynamic[..], &rooted].concat()).error();
    assert_eq!(missing["code"], "plugin-unreadable", "it is not there: {missing:#}");
}

#[test]
fn untrusted_plugin_is_not_loaded() {
    let home = Home::new();
    let file = home.install("notes.so", "1.2.0").display().to_string();
    let ran = home.run(&["--plugin", &file, "list", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "the run fails: {}", ran.stdout);
    let error = ran.error();
    assert_eq!(error["code"], "plugin-not-trusted", "{error:#}");
    let message = error["message"].as_str().expect("there is a message");
    assert!(message.ends_with("; nothing was executed"), "{message}");
}

#[test]
fn plugin_warning_is_a_line_on_stderr() {
    let home = Home::new();
    let built = std::fs::read(build_plugin_example("prowess-plugin-sdk", "faulty"));
    let file = home.write("faulty.so", &built.expect("the plugin is built"));
    home.trust(&file).text();
    let plugin = format!(r#"{}={{"init": "warn"}}"#, file.display());
    let policies = home.path.join("prowess.yaml");
    for isolation in ["in-process", "process"] {
        let text = format!("plugins: {{isolation: {isolation}}}\n");
        std::fs::write(&policies, text).expect("a file can be written");
        let named = ["--config", &policies.display().to_string(), "--plugin", &plugin, "prompt"];
        let run = |args: &[&str]| {
            let ran = home.run(&[&named, args].concat());
            assert_eq!(ran.code, Some(0), "{isolation}: {}", ran.stderr);
            let lines = ran.stderr.lines().filter(|line| line.starts_with("plugin "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let line = r"plugin prowess-plugin-sdk: faulty: is \u{1b}[31mred\u{a}and has two lines";
        assert_eq!(run(&[]), [line], "{isolation}: it is reported once, and nothing less grave is");
        assert_eq!(run(&["--quiet"]), [""; 0], "{isolation}: it is a remark");
        let listed = home.run(&[&named[..4], &["list", "--format", "json"]].concat());
        assert!(listed.json().is_object(), "{isolation}: beside a document nothing is said");
    }
}

#[test]
fn server_reports_a_rejected_new_build() {
    let home = Home::new();
    let (file, config) = memory(&home, "in-process");
    home.trust(Path::new(&file)).text();
    let (mut command, _place) = Program::new().at_home_in(&home.path).linked().into_command();
    command.args(["serve", "--plugin", &file, "--config", &config]).stdin(Stdio::piped());
    let mut server = command.spawn().expect("the program starts");
    let stderr = server.stderr.take().expect("it is piped");
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(stderr).lines().map_while(Result::ok);
        lines.for_each(|line| drop(sender.send(line)));
    });
    let until = |part: &str| loop {
        let line = lines.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|_| panic!("nothing with `{part}` is said"));
        if line.contains(part) {
            break;
        }
    };
    until("serving on standard input and output");
    home.write("memory.so", b"text");
    until("plugin-not-a-library");
    assert!(server.try_wait().is_ok_and(|ended| ended.is_none()), "the server goes on");
    server.kill().and_then(|()| server.wait()).expect("it can be ended");
}

/// A configuration with a plugin that fails `init` in this way beside one that works.
fn beside_a_failure(home: &Home, isolation: &str, init: &str) -> [String; 6] {
    let (good, config) = memory(home, isolation);
    let built = std::fs::read(build_plugin_example("prowess-plugin-sdk", "faulty"));
    let faulty = home.write("faulty.so", &built.expect("the plugin is built"));
    for file in [Path::new(&good), &faulty] {
        home.trust(file).text();
    }
    let text = std::fs::read_to_string(&config).expect("it was written");
    let limits = format!("plugins:\n  isolation: {isolation}\n  limits: {{init_ms: 3000}}\n");
    let text = text.replace(&format!("plugins:\n  isolation: {isolation}\n"), &limits);
    std::fs::write(&config, text).expect("a file can be written");
    let faulty = format!("{}={{\"init\":\"{init}\"}}", faulty.display());
    ["--config".into(), config, "--plugin".into(), faulty, "--plugin".into(), good]
}

#[test]
fn plugin_that_fails_init_is_a_diagnostic_and_the_others_load() {
    for isolation in ["in-process", "process"] {
        for (init, code) in [
            ("refuse", "plugin-init-failed"),
            ("panic", "plugin-panicked"),
            ("hang", "plugin-init-failed"),
        ] {
            let home = Home::new();
            let plugins = beside_a_failure(&home, isolation, init);
            let plugins = plugins.each_ref().map(String::as_str);
            let ran = home.run(&[&plugins[..], &["list", "--format", "json"]].concat());
            assert_eq!(ran.code, Some(0), "{isolation}, {init}: `list` works: {}", ran.stderr);
            let listed = ran.json();
            let skills = listed["skills"].as_array().expect("there are skills");
            let of_other = skills.iter().any(|skill| skill["source"] == "notes");
            assert!(of_other, "{isolation}, {init}: the other plugin's skills are there");
            let diagnostics = listed["diagnostics"].as_array().expect("there are diagnostics");
            let found = diagnostics.iter().find(|found| found["code"] == code);
            let found = found.unwrap_or_else(|| panic!("{isolation}, {init}: {listed:#}"));
            let path = found["path"].as_str().expect("it names the file");
            assert!(path.ends_with("faulty.so"), "{isolation}, {init}: {found:#}");
            let served = home.run(&[&plugins[..], &["serve"]].concat());
            assert_eq!(served.code, Some(0), "{isolation}, {init}: `serve` works: {served:?}");
            assert!(served.stderr.contains(code), "{isolation}, {init}: {}", served.stderr);
        }
    }
}

#[test]
fn two_plugins_of_one_name_are_refused_as_such() {
    let home = Home::new();
    let (first, config) = memory(&home, "process");
    home.trust(Path::new(&first)).text();
    let mut bytes = std::fs::read(&first).expect("the plugin is there");
    bytes.extend(b"another build");
    let second = home.write("second.so", &bytes).display().to_string();
    let ran = home.run(&[
        "--config", &config, "--plugin", &first, "--plugin", &second, "list", "--format", "json",
    ]);
    let error = ran.error();
    assert_eq!(error["code"], "plugin-name-taken", "its bytes are not what is wrong: {error:#}");
}

#[test]
fn fifo_next_to_a_plugin_does_not_block() {
    let home = Home::new();
    let file = home.install("notes.so", "1.2.0").display().to_string();
    let made = std::process::Command::new("mkfifo").arg(format!("{file}.minisig")).status();
    assert!(made.expect("the system has `mkfifo`").success(), "a FIFO can be made");
    let listed = home.run(&["plugin", "list", "--format", "json"]).json();
    assert_eq!(listed["plugins"][0]["code"], "plugin-signature-invalid", "{listed:#}");
    let inspected = home.run(&["plugin", "inspect", &file, "--format", "json"]).json();
    assert_eq!(inspected["code"], "plugin-signature-invalid", "{inspected:#}");
}
