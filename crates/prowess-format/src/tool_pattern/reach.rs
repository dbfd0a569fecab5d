//! Whether the rule of a skill reaches outside of its package and the working directory.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{CommandPattern, PatternKind, PatternWord};
use crate::ToolRule;

/// The kinds of programs whose words need not show what they reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// A shell, which may be given a line.
    Shell,
    /// An interpreter, which may be given a text instead of a file.
    Language,
    /// A program that takes its commands from a text or from its input, such as an editor.
    Console,
    /// A program that runs others as another user, in another place or at another host.
    Elsewhere,
}

const PROGRAMS: [(ProgramKind, &str); 4] = [
    (ProgramKind::Shell, "sh bash dash ash zsh ksh mksh yash rbash fish lksh oksh posh sash hush"),
    (
        ProgramKind::Language,
        "python pypy ipython perl raku ruby irb node nodejs deno bun php lua luajit tclsh wish \
         expect osascript r rscript java jshell groovy scala kotlin dart ghci ghc runghc ocaml julia \
         elixir erl iex guile racket sbcl clisp octave gnuplot pwsh powershell csh tcsh nu xonsh \
         elvish m4 tsx ts-node crystal bpftrace swipl gforth jruby jython osh ysh rust-script tcc \
         escript mono qemu-x86_64 qemu-x86 qemu-aarch gs csi gosh chez scheme bb",
    ),
    (
        ProgramKind::Console,
        "emacs xemacs emacsclient vi vim gvim vimdiff gvimdiff mvim rvim nvim view ex ed micro kak helix gdb lldb psql mysql mariadb sqlite \
         duckdb sqlite3 ftp lftp sftp telnet nc ncat socat tmux screen at batch crontab dc calc gp \
         maxima pry mongosh mutt mail mailx s-nail newgrp login busctl gdbus eval source",
    ),
    (
        ProgramKind::Elsewhere,
        "sudo doas su runuser sg pkexec run0 chroot unshare nsenter systemd-run machinectl ssh \
         autossh mosh slogin rsh scp sshfs",
    ),
];

/// What they are by their names: most commands are looked up.
static KINDS: LazyLock<HashMap<&str, ProgramKind>> = LazyLock::new(|| {
    let names = |(kind, names): (_, &'static str)| {
        names.split_ascii_whitespace().map(move |name| (name, kind))
    };
    PROGRAMS.into_iter().flat_map(names).collect()
});

/// The ends of names of the same program, built in another way.
const VARIANTS: &str = "-static -dbg -debug -multiarch -nox -gtk -lucid -jit -dev .basic .tiny .gtk .nox \
    -stable -nightly";

impl ProgramKind {
    /// Returns the kind of a program by its name, whose version does not matter: `python3.11` is
    /// `python`.
    pub fn of(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let plain = lower.trim_end_matches(|it: char| it.is_ascii_digit() || "._-".contains(it));
        // `python3.11-dbg`, `vim.gtk3`, `x86_64-linux-gnu-python3`
        let has_end = plain.contains(['-', '.']);
        let mut ends = VARIANTS.split_ascii_whitespace().filter(|_| has_end);
        let plain = ends.find_map(|end| plain.strip_suffix(end)).unwrap_or(plain);
        let plain = plain.rsplit_once("-linux-gnu-").map_or(plain, |(_, program)| program);
        let plain = plain.trim_end_matches(|it: char| it.is_ascii_digit() || "._-".contains(it));
        KINDS.get(plain).or_else(|| KINDS.get(&*lower)).copied()
    }
}

/// Returns whether a rule about files names paths outside of the skill and the working directory.
/// The gate needs a person for those.
pub(crate) fn is_outside(rule: &ToolRule) -> bool {
    let pattern = rule.pattern.as_deref().unwrap_or_default().trim();
    PatternKind::of(&rule.tool) == Some(PatternKind::Path) && pattern.starts_with(['/', '~'])
}

/// Returns whether a rule covers commands that may reach outside of the skill and the working
/// directory, such as `Bash`, `Bash(sudo:*)` and `Bash(cat /etc/*)`. The gate needs a person for
/// those.
pub fn covers_commands_outside(rule: &ToolRule) -> bool {
    let pattern = rule.pattern.as_deref().map_or("*", str::trim);
    let covers = |one: &CommandPattern<'_>| {
        let mut words = one.words();
        let program = words.next().map_or("", |word| word.0);
        // `python3 scripts/a.py` shows what it runs, `python3:*` does not.
        let is_open =
            words.clone().next().map_or(one.is_prefix(), |it| it.0.starts_with(['-', '*']));
        let is_opaque = match ProgramKind::of(program.rsplit('/').next().unwrap_or_default()) {
            Some(ProgramKind::Shell | ProgramKind::Language) => is_open,
            kind => kind.is_some(),
        };
        is_opaque || words.any(leads_out)
    };
    let has_one = || CommandPattern::parse(pattern).is_ok_and(|all| all.iter().any(covers));
    PatternKind::of(&rule.tool) == Some(PatternKind::Command) && (pattern == "*" || has_one())
}

fn leads_out(word: PatternWord<'_>) -> bool {
    let mut parts = word.0.split(['=', ',', '@', ':', '\'', '"', '<']);
    let is_own = word.names_directory() || word.0.contains("://");
    let is_far = |part: &str| part.starts_with('/') || part.split('/').any(|part| part == "..");
    !is_own && parts.any(is_far)
}
