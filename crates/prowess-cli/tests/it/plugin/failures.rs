//! Plugins that are refused or fail.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;

use prowess_testkit::build_plugin_example;

use super::{Home, memory};
use crate::program::{PATIENCE, Program};

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
fn tool_whose_schema_cannot_be_used_is_left_out_alone() {
    let home = Home::new();
    let built = std::fs::read(build_plugin_example("prowess-plugin-sdk", "careless"));
    let file = home.write("careless.so", &built.expect("the plugin is built"));
    home.trust(&file).text();
    let plugin = format!(r#"{}={{"breaks": "tools-schema"}}"#, file.display());
    let run = |args: &[&str]| home.run(&[&["--plugin", &plugin], args].concat());
    assert_eq!(run(&["list"]).code, Some(0), "the skills of the plugin stay");
    let is_full = cfg!(feature = "json-schema");
    let found = run(&["doctor", "--format", "json"]).stdout;
    assert!(found.contains("the tool `careless.count` of the plugin"), "{found}");
    assert!(is_full || found.contains("--features json-schema"), "{found}");
    let called = run(&["call", "careless_count", "{}"]);
    assert_eq!(called.code, Some(if is_full { 1 } else { 2 }), "{}", called.stderr);
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

#[test]
fn plugin_that_fails_init_is_a_diagnostic_and_the_others_load() {
    for isolation in ["in-process", "process"] {
        let home = Home::new();
        let (good, config) = memory(&home, isolation);
        let built = std::fs::read(build_plugin_example("prowess-plugin-sdk", "faulty"));
        let path = home.write("faulty.so", &built.expect("the plugin is built"));
        for file in [Path::new(&good), &path] {
            home.trust(file).text();
        }
        for (init, code) in [("refuse", "plugin-init-failed"), ("panic", "plugin-panicked")] {
            let faulty = format!("{}={{\"init\":\"{init}\"}}", path.display());
            let plugins = ["--config", &config, "--plugin", &faulty, "--plugin", &good];
            let named = home.run(&[&plugins[..], &["list", "--format", "json"]].concat());
            assert_eq!(named.code, Some(1), "{isolation}, {init}: it was asked for: {named:?}");
            assert_eq!(named.error()["code"], code, "{isolation}, {init}");
            let served = home.run(&[&plugins[..], &["serve"]].concat());
            assert_eq!(served.code, Some(0), "{isolation}, {init}: `serve` works: {served:?}");
            assert!(served.stderr.contains(code), "{isolation}, {init}: {}", served.stderr);
            let settings =
                format!("plugins.settings.prowess-plugin-sdk={{config: {{init: {init}}}}}");
            let load = format!("plugins.load=[{}]", path.display());
            let plugins =
                ["--config", &config, "--set", &load, "--set", &settings, "--plugin", &good];
            let ran = home.run(&[&plugins[..], &["list", "--format", "json"]].concat());
            assert_eq!(ran.code, Some(0), "{isolation}, {init}: `list` works: {}", ran.stderr);
            let listed = ran.json();
            let mut skills = listed["skills"].as_array().expect("there are skills").iter();
            let is_there = skills.any(|skill| skill["source"] == "notes");
            assert!(is_there, "{isolation}, {init}: the other plugin's skills are there");
            let mut found = listed["diagnostics"].as_array().expect("a list").iter();
            let found = found.find(|found| found["code"] == code);
            let found = found.and_then(|found| found["path"].as_str()).unwrap_or_default();
            assert!(found.ends_with("faulty.so"), "{isolation}, {init}: {listed:#}");
        }
    }
}
