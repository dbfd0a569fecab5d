//! `prowess plugin list` and `inspect`.

use std::path::Path;

use expect_test::expect_file;
use prowess::plugin_host::Manifest;
use prowess_testkit::PluginFile;

use super::Home;

#[test]
fn empty_list_names_the_directories() {
    let home = Home::new();
    let ran = home.run(&["plugin", "list"]);
    assert!(ran.text().starts_with("0 plugins in "), "{ran:?}");
}

#[test]
fn list_shows_each_verdict() {
    let home = Home::new();
    home.trust(&home.install("notes.so", "1.2.0")).text();
    home.install("other.so", "1.3.0");
    home.write("text.so", b"text");
    let listed = home.run(&["plugin", "list", "--format", "json"]).json();
    expect_file!["list.json"].assert_eq(&home.fixed(&listed));
    let again = home.run(&["plugin", "list", "--format", "json"]).json();
    assert_eq!(again, listed, "what is known from the last list is the same");
}

#[test]
fn command_of_the_list_loads_the_plugin() {
    let home = Home::new();
    let file = home.install("notes.so", "1.2.0");
    home.trust(&file).text();
    let state = || {
        let listed = home.run(&["plugin", "list", "--format", "json"]).json();
        let plugin = listed["plugins"][0].clone();
        (plugin["loaded"].clone(), plugin["load"].as_str().map(str::to_owned))
    };
    let (loaded, command) = state();
    assert_eq!(loaded, false, "an installed plugin is not loaded");
    let value = command.as_deref().and_then(|it| it.strip_prefix("prowess config set --add "));
    let (key, value) = value.and_then(|it| it.split_once(' ')).expect("a command");
    home.run(&["config", "set", "--add", key, value]).text();
    assert_eq!(state(), (true.into(), None));
    home.run(&["config", "set", key, "[~/.prowess/plugins/notes.so]"]).text();
    assert_eq!(state(), (true.into(), None), "`~` is the home");
    assert!(home.run(&["config", "check"]).text().starts_with("valid: "));
    let refused = home.run(&["config", "set", key, "[~/gone.so]"]);
    let gone = home.path.join("gone.so").display().to_string();
    assert!(refused.code == Some(2) && refused.stderr.contains(&gone), "{refused:?}");
    home.run(&["config", "unset", key]).text();
    let more = Manifest { name: "more".into(), ..PluginFile::manifest() };
    home.trust(&home.write("more.so", &PluginFile::new(&more).build())).text();
    let listed = home.run(&["plugin", "list"]);
    let commands = listed.stdout.lines().filter(|it| it.contains("config set --add"));
    assert_eq!(commands.count(), 2, "each adds to the list: {listed:?}");
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
    let message = "is not a dynamic library (no ELF, Mach-O or PE header); nothing was executed";
    home.check_failure(&["plugin", "inspect", &text], "plugin-not-a-library", message);
    let message = "`/nowhere.so` cannot be read: No such file or directory (os error 2)";
    home.check_failure(&["plugin", "trust", "/nowhere.so"], "plugin-unreadable", message);
}
