//! The screens of a real terminal at two widths, as snapshots: nothing is wrapped by the terminal.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::expect_file;
use prowess_testkit::{Tree, rows};

/// The number of columns of a small terminal and of a large one.
const WIDTHS: [usize; 2] = [80, 120];

/// A terminal of this many columns, in a server of its own.
struct Terminal<'p> {
    place: &'p Path,
    columns: usize,
    /// A server that ends keeps its socket for a moment, so each has its own.
    number: usize,
}

impl<'p> Terminal<'p> {
    fn new(place: &'p Path, columns: usize) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self { place, columns, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        command
            .args(["-u", "-f", "/dev/null", "-S"])
            .arg(self.place.join(format!("tmux-{}.socket", self.number)));
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .env("SHELL", "/bin/sh")
            .env("HOME", self.place.join("home"));
        command
    }

    fn ask(&self, args: &[&str]) -> String {
        let output = self.tmux().args(args).output().expect("tmux is installed");
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {args:?}: {problem}");
        String::from_utf8(output.stdout).expect("a screen is UTF-8")
    }

    /// Runs a command line in the terminal, and returns the lines of the screen, as they are and
    /// with wrapped lines joined.
    fn run(&self, line: &str) -> (String, String) {
        self.start(line);
        let screens = (self.ask(&["capture-pane", "-p"]), self.ask(&["capture-pane", "-p", "-J"]));
        self.ask(&["kill-server"]);
        let trimmed = |screen: String| {
            let lines: Vec<_> = screen.lines().map(str::trim_end).collect();
            lines.join("\n").trim_end().to_owned() + "\n"
        };
        (trimmed(screens.0), trimmed(screens.1))
    }

    /// As [`Self::run`], with the escape sequences of the styles on the screen.
    fn run_styled(&self, line: &str) -> String {
        self.start(line);
        let screen = self.ask(&["capture-pane", "-p", "-e"]);
        self.ask(&["kill-server"]);
        screen
    }

    /// Runs a command line to its end and leaves the terminal open.
    fn start(&self, line: &str) {
        // The terminal stays open until both pictures are taken. The program sees the tree at a
        // path that is the same in each run.
        let place = self.place.display();
        std::fs::write(self.place.join("line.sh"), line).expect("there is room");
        let script = format!(
            "unshare --user --map-root-user --mount sh -c \
             'mount --bind {place} /mnt && cd /mnt/desk && HOME=/mnt/home && . /mnt/line.sh'; \
             tmux -S \"${{TMUX%%,*}}\" wait-for -S done; cat",
        );
        let columns = self.columns.to_string();
        self.ask(&["new-session", "-d", "-x", &columns, "-y", "70", "sh", "-c", &script]);
        self.ask(&["wait-for", "done"]);
    }
}

/// A project with skills of long and of wide descriptions, and one with a fault.
fn place() -> Tree {
    let tree = Tree::new("//- /desk/.git/HEAD\nref: refs/heads/main\n");
    std::fs::create_dir(tree.join("home")).unwrap();
    let skill = |name: &str, description: &str| {
        let text =
            format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n\nSteps.\n");
        tree.write(&format!("home/.agents/skills/{name}/SKILL.md"), text);
    };
    skill(
        "pdf-forms",
        "Fills in the fields of forms and flattens them into a new file, without changing the original. \
         Use when the user has a PDF with fields, or asks to sign one.",
    );
    skill("notes", "Writes release notes. Use before a release.");
    skill(
        "translate-documents-for-customers",
        "把文档翻译成客户的语言，并保留格式、表格和脚注。当用户要求翻译手册、合同或发布说明时使用，也适用于字幕。保留原文的语气和术语。",
    );
    skill("broken", "");
    let queries = r#"[{"query": "notes before the release of a new version of the whole program for every customer of ours", "expect": ["pdf-forms"]},
        {"query": "\u628a\u624b\u518c\u7ffb\u8bd1\u6210\u5ba2\u6237\u7684\u8bed\u8a00", "expect": ["translate-documents-for-customers"]}]"#;
    tree.write("desk/queries.json", queries);
    tree
}

/// Shows a command line at each width, which no line exceeds.
fn check(name: &str, args: &str) {
    let tree = place();
    for columns in WIDTHS {
        let terminal = Terminal::new(tree.path(), columns);
        let line = format!("{} {args}", env!("CARGO_BIN_EXE_prowess"));
        let (screen, joined) = terminal.run(&line);
        assert_eq!(screen, joined, "`prowess {args}` fits {columns} columns");
        let screen = without_sandbox(&screen);
        expect_file![format!("screens/{name}-{columns}.txt")].assert_eq(&screen);
    }
}

/// Leaves out what `doctor` reports about the machine.
fn without_sandbox(screen: &str) -> String {
    let is_heading = |line: &&str| !line.starts_with("Sandbox for");
    let mut lines: Vec<_> = screen.lines().take_while(is_heading).collect();
    let behind = screen.lines().skip_while(is_heading).skip_while(|line| !line.is_empty());
    lines.extend(behind.skip(1));
    lines.join("\n") + "\n"
}

/// The snapshots of screens, and the command lines that they show; then, behind commands that lead
/// to them, those with times, ids and paths of a run.
const SCREENS: &str = include_str!("../../data/screens.txt");

#[test]
fn each_screen_fits() {
    for [name, args] in rows(SCREENS, "") {
        check(&name, &args);
    }
}

#[test]
fn screens_of_a_run_fit() {
    let tree = place();
    let name = "report-with-a-name-of-sixty-letters-which-is-about-the-longest";
    for name in ["report", name] {
        let text =
            format!("---\nname: {name}\ndescription: Reports a month. Use monthly.\n---\nDo it.\n");
        tree.write(&format!("team/{name}/SKILL.md"), text);
    }
    tree.write("team/report/scripts/report.sh", "# Reports.\necho \"$@\"\n");
    let program = env!("CARGO_BIN_EXE_prowess");
    let run = r#"{"skill": "report", "path": "scripts/report.sh", "args": ["for", "a", "month"]}"#;
    let before = format!(
        "{program} add --user ../team; echo More. >>../team/report/SKILL.md; \
         {program} config set audit.log keep; {program} config set scripts.exec tool; \
         {program} call skills_run '{run}' --load report"
    );
    for columns in WIDTHS {
        for [args] in rows(SCREENS, "of a run") {
            let terminal = Terminal::new(tree.path(), columns);
            let line = format!("{{ {before}; }} >/dev/null 2>&1; {program} {args}");
            let (screen, joined) = terminal.run(&line);
            assert_eq!(screen, joined, "`prowess {args}` fits {columns} columns");
            assert!(screen.lines().count() > 0, "`prowess {args}` prints something");
        }
    }
}

/// Words that are too long for the terminal stay whole, so that a path can be copied.
#[test]
fn prompt_is_wrapped_behind_its_margin() {
    let tree = place();
    for columns in WIDTHS {
        let terminal = Terminal::new(tree.path(), columns);
        let (_, joined) = terminal.run(&format!("{} prompt", env!("CARGO_BIN_EXE_prowess")));
        expect_file![format!("screens/prompt-{columns}.txt")].assert_eq(&joined);
        let lines = joined.lines().filter_map(|line| line.split_once(" \u{2502} "));
        let is_word = |text: &str| !text.trim_end().contains(' ');
        for (margin, text) in lines {
            let width = margin.chars().count() + 3 + text.chars().count();
            assert!(width <= columns || is_word(text), "{columns} columns: {text}");
        }
    }
}

/// A directory of three skills with the three roles.
fn place_of_roles() -> Tree {
    let tree = Tree::new("");
    std::fs::create_dir(tree.join("home")).unwrap();
    for name in ["pdf", "hello", "skill"] {
        let text = format!("---\nname: {name}\ndescription: Steps.\n---\n# {name}\n\nSteps.\n");
        tree.write(&format!("desk/{name}/SKILL.md"), text);
    }
    tree
}

#[test]
fn roles_have_colours_in_a_terminal_or_on_request() {
    let colours = ["38;2;245;158;11", "38;2;168;85;247", "38;2;46;95;163"];
    for (before, after, expected) in [
        ("", "", true),
        ("", "| cat", false),
        ("", "--color never", false),
        ("", "--color always | cat", true),
        ("NO_COLOR=1", "", false),
        ("CLICOLOR_FORCE=1", "| cat", true),
        ("NO_COLOR=1", "--color always", true),
    ] {
        let tree = place_of_roles();
        let terminal = Terminal::new(tree.path(), 80);
        let line = format!("{before} {} validate . --roles {after}", env!("CARGO_BIN_EXE_prowess"));
        let screen = terminal.run_styled(&line);
        assert!(screen.contains("Coordinator"), "`{before} … {after}` prints the roles: {screen}");
        for colour in colours {
            assert_eq!(screen.contains(colour), expected, "`{before} … {after}`: {screen:?}");
        }
    }
}
