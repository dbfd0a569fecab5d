//! `prowess run --shell` in a real terminal.

use prowess_testkit::Tree;

use crate::night::screens::Terminal;
use crate::shell::FILES;

#[test]
fn person_types_commands_into_one_sandbox() {
    let tree = Tree::new(FILES);
    let terminal = Terminal { place: tree.path(), columns: 80 };
    let program = env!("CARGO_BIN_EXE_prowess");
    let line = format!("{program} --root user=../skills run --shell; echo code $?");
    let typed = ["x=kept; cd /tmp", "echo $x in \\", "$PWD", "ls /none", "exit 7"];
    let (screen, _) = terminal.run_typing(&line, &typed);
    assert!(screen.contains("kept in /tmp\n"), "the sandbox keeps its state: {screen}");
    assert!(screen.contains("No such file"), "{screen}");
    assert!(screen.contains("code 7\n"), "`exit` ends the shell: {screen}");
}
