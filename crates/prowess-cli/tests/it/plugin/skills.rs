//! The skills of plugins in other commands.

use std::path::Path;

use serde_json::Value;

use super::{Home, memory};

/// A configuration of the plugin with a skill of its own.
const OWN: &str =
    r#"{"name":"own","files":{"tea/SKILL.md":"---\nname: tea\ndescription: Tea.\n---\n"}}"#;

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
    let layer = |named: &str| {
        let path = home.path.join("layers.yaml");
        let layers = format!("layers:\n- {{name: user, trust: trusted}}\n{named}");
        std::fs::write(&path, layers).expect("a file can be written");
        let (plugin, config) = (format!("{file}={OWN}"), path.display().to_string());
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
    let list = |plugin: &str| {
        let ran = home.run(&["--config", &config, "--plugin", plugin, "list", "--format", "json"]);
        let skills = ran.json()["skills"].clone();
        let of_plugin = |skill: &&Value| skill["source"] == "notes" || skill["source"] == "own";
        let skills = skills.as_array().into_iter().flatten().filter(of_plugin);
        let line =
            |skill: &Value| format!("{} {} {}", skill["id"], skill["source"], skill["layer"]);
        skills.map(line).collect::<Vec<_>>().join(", ")
    };
    let named = list(&format!("project={file}={OWN}"));
    assert_eq!(named, r#""tea" "own" "project""#, "what is typed goes before the file");
    let layer = list(&format!("project={file}"));
    assert_eq!(layer, r#""pdf" "notes" "project""#, "what is not typed is the file's");
    let configuration = list(&format!("{file}={OWN}"));
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
    assert_eq!(refused["code"], "plugin-not-trusted", "they are not trusted: {refused:#}");
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
