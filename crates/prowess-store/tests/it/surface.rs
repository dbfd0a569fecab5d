//! The capabilities of a package, and what a change adds to them.

use prowess_archive::File;
use prowess_store::{gained, surface};

/// Each change of a skill, and what it may do then that it could not do before.
#[test]
fn change_gains_what_runs() {
    let of = |part: &str, files: &[(&str, &[u8])]| {
        let (fields, body) = part.split_once("---\n").unwrap_or((part, ""));
        let text = format!("---\nname: pdf\ndescription: Reads.\n{fields}---\nOne.\n{body}");
        let files = files.iter().map(|(path, content)| File::new(*path, content.to_vec()));
        let skill = File::new("SKILL.md", text.into_bytes());
        surface(&files.chain([skill]).collect::<Vec<_>>())
    };
    for line in include_str!("../data/surface.jsonl").lines() {
        let (before, after, expected): (String, String, Vec<String>) =
            serde_json::from_str(line).expect("two skills and facts");
        let found = gained(&of(&before, &[]), &of(&after, &[]));
        let is_same = |(found, expected): (&String, &String)| match expected.ends_with(':') {
            true => {
                found.starts_with(&**expected) && found.contains(" sha256:") && found.len() < 300
            }
            false => found == expected,
        };
        let is_expected = found.len() == expected.len() && found.iter().zip(&expected).all(is_same);
        assert!(is_expected, "{before:?} -> {after:?}: {found:?}");
    }
    let programs: [(&str, &[u8]); 5] = [
        ("lib/x.PY", b"print()"),
        ("a.exe", b"MZ"),
        ("b.txt", b"\x7fELF"),
        ("c.md", b"\xcf\xfa\xed\xfe"),
        ("d.wasm", b"\0asm"),
    ];
    let named = "bin/x Makefile tools/x.ts x.lua x.zsh x.php package.json .mcp.json .envrc x.zip .a/b.md .vscode/tasks.json requirements.txt a.ipynb";
    let programs = programs.into_iter().chain(named.split(' ').map(|path| (path, &b"x"[..])));
    for program in programs {
        let found = gained(&of("", &[]), &of("", &[program]));
        assert!(found.contains(&format!("script:{}", program.0)), "{found:?}");
    }
    for document in ["a.md", "a/B.JSON", "LICENSE", "x.png", "data/x.csv"] {
        let found = gained(&of("", &[]), &of("", &[(document, b"x")]));
        assert_eq!(found, Vec::<String>::new(), "{document} is read, and not run");
    }
}
