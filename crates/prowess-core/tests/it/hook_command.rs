//! Commands of hooks that can run without a shell.

use prowess_core::HookCommand;

/// Each line has a command, and its path and arguments or a part of the reason why it has none.
#[test]
fn paths_of_the_package_run_without_a_shell() {
    for line in include_str!("../data/hook-commands.jsonl").lines() {
        let (command, expected): (String, Result<Vec<String>, String>) =
            serde_json::from_str(line).expect("JSON");
        match (HookCommand::parse(&command), expected) {
            (Ok(call), Ok(words)) => {
                let path = call.path.as_str().to_owned();
                let found: Vec<_> = [path].into_iter().chain(call.arguments).collect();
                assert_eq!(found, words, "{command:?}");
            }
            (Err(reason), Err(part)) => assert!(reason.contains(&part), "{command:?}: {reason}"),
            (found, expected) => panic!("{command:?}: {found:?} instead of {expected:?}"),
        }
    }
}
