//! The order of the places of configuration, with a file of the system in a mount namespace.

use std::process::Command;

use crate::configuration::{machine, run, value};
use crate::program::Ran;

/// Each place is added to the one before, from the weakest to the strongest, in the order of the
/// README. The file of the system is in a mount namespace of the run.
#[test]
fn later_places_win() {
    let tree = machine();
    let key = "registry.limits.body_lines.max";
    let text =
        |number: u8| format!("registry: {{ limits: {{ body_lines: {{ max: {number} }} }} }}\n");
    let mut environment = Vec::new();
    let mut options = Vec::new();
    let show_key = |key: &str, environment: &[(&str, String)], options: &[String]| {
        let script = "mount -t tmpfs none /etc && mkdir /etc/prowess && \
                      cp \"$0\" /etc/prowess/config.yaml && exec \"$@\"";
        let output = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
            .arg(tree.join("system.yaml"))
            .arg(env!("CARGO_BIN_EXE_prowess"))
            .args(options)
            .args(["config", "show", key, "--format", "json"])
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", tree.join("home"))
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .current_dir(tree.join("repository"))
            .output()
            .expect("`unshare` starts");
        let text = |bytes| String::from_utf8(bytes).expect("what is printed is UTF-8");
        let ran = Ran {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        value(&ran, key)
    };
    let show = |environment: &[_], options: &[_]| show_key(key, environment, options);
    tree.write("system.yaml", text(11));
    assert_eq!(show(&environment, &options), "11 /etc/prowess/config.yaml");
    tree.write("home/.config/prowess/config.yaml", text(12));
    assert_eq!(show(&environment, &options), "12 .config/prowess/config.yaml");
    tree.write("repository/.prowess/config.yaml", text(2));
    run(&tree, &["trust"]).text();
    assert_eq!(show(&environment, &options), "2 .prowess/config.yaml");
    tree.write("home/named.yaml", text(3));
    environment.push(("PROWESS_CONFIG", tree.join("home/named.yaml").display().to_string()));
    assert_eq!(show(&environment, &options), "3 named.yaml");
    environment.push(("PROWESS_REGISTRY__LIMITS__BODY_LINES__MAX", "4".to_owned()));
    assert_eq!(show(&environment, &options), "4 PROWESS_REGISTRY__LIMITS__BODY_LINES__MAX");
    tree.write("home/option.yaml", text(5));
    options.extend(["--config".to_owned(), tree.join("home/option.yaml").display().to_string()]);
    assert_eq!(show(&environment, &options), "5 option.yaml");
    options.extend(["--set".to_owned(), "registry.limits.body_lines.max=6".to_owned()]);
    assert_eq!(show(&environment, &options), "6 --set registry.limits.body_lines.max");
    let no_file = show(&[], &["--no-config".to_owned()]);
    assert_eq!(no_file, "500 ", "no file counts with `--no-config`");

    // The option chooses the preset, whose values are below those of every place.
    tree.write("system.yaml", "preset: boxxy\nregistry: { name_rule: unicode }\n");
    let preset = ["--preset".to_owned(), "sandbox".to_owned()];
    assert_eq!(show_key("registry.collision", &[], &[]), "\"error\" boxxy");
    assert_eq!(show_key("registry.profile", &[], &[]), "\"strict\" boxxy");
    assert_eq!(show_key("registry.collision", &[], &preset), "\"error\" sandbox");
    assert_eq!(show_key("registry.profile", &[], &preset), "\"lenient\" ", "no value of boxxy");
    let rule = show_key("registry.name_rule", &[], &preset);
    assert_eq!(rule, "\"unicode\" /etc/prowess/config.yaml");
}
