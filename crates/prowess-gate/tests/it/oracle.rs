//! Real shells as the judges: what runs is what was read. Here it is `bash`, at night each of them.
//!
//! Each program of a command is replaced by a stub that logs its arguments, and the builtins that
//! are read as plain programs are disabled. A command runs twice, with stubs that succeed and with
//! stubs that fail, so that both sides of `&&` and `||` run.

pub(crate) mod shells;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::Config;
use prowess_gate::shell_commands;

use crate::corpora::{harmless, hostile};

use shells::{BASH, Shell, check, run};

#[test]
fn bash_runs_what_was_read_of_the_corpora() {
    check_corpora(&BASH);
}

pub(crate) fn check_corpora(shell: &Shell) {
    let commands: BTreeSet<_> =
        harmless().into_iter().chain(hostile()).map(|case| case.command).collect();
    let read = commands.iter().filter(|command| check(shell, command)).count();
    assert!(read > 250, "{read} commands could be read");
}

/// Without this, the other tests might compare nothing with nothing.
#[test]
fn bash_logs_what_was_not_read() {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let command = "git status $(touch pwn) && echo \"a\"b || rm x";
    let calls = run(&BASH, command, &BTreeSet::from(["git"])).calls;
    let expected = [&["git", "status"] as &[_], &["touch", "pwn"], &["echo", "ab"], &["rm", "x"]];
    assert_eq!(calls, expected.map(words).into());
}

/// Pieces that a shell might read in more ways than one; each is a word here.
const PIECES: &str = r#"
    a b git x=y a+=b = - -- 1 10 {} {a} {a,b} {1..2} ~ a~ :~ # a#b ! !! ^ % @ + , . / : ] [ ' "
    'a"b' "a'b" "a\"b" "a\\" "a\b" \ \\ \' \" \$'a\b' \$"a\b" \a \# \; \| \& '' "" | || && & ;
    ;; ( ) { } < > * ? $ $x ` if then fi do done for in case esac time function coproc select [[
    ]] while until else elif é 価 é=1 1a=b a[0]=b"#;

/// Those with white space and other invisible characters.
const BLANK_PIECES: &[&str] = &[
    "2>&1", ">/dev/null", "1>&2", "< /dev/null", "2>> /dev/null", "# c", "'a b'", "\"a b\"", "\\ ",
    "\\\n", "\n", " \n ", "\t", "\r", "\u{a0}", "\u{200b}",
];

/// Those that other shells read otherwise than `bash`.
const OF_BASH: &[&str] = &[
    "|&", " |& ", "&>/dev/null", "&>> /dev/null", ">&/dev/null", ">& /dev/null", "&>x", ">&x",
    "<(b)", " >(b)", "&>(b)", "2>&1 |", "2>&1|&", "&>|", ">|/dev/null", "2&>/dev/null",
];

fn piece(others: &'static [&'static str]) -> impl Strategy<Value = String> {
    let pieces = PIECES.split_ascii_whitespace().chain(BLANK_PIECES.iter().copied());
    let pieces = pieces.chain(others.iter().copied());
    let fixed = prop::sample::select(pieces.collect::<Vec<_>>());
    prop_oneof![
        6 => fixed.prop_map(str::to_owned),
        2 => Just(" ".to_owned()),
        1 => "[ -~]{1,3}",
    ]
}

/// A word as it is written, mostly without anything that is expanded.
fn word() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => "[a-z0-9=:,./@^%+_-]{1,4}",
        2 => "'[ -&(-~\\n]{0,6}'",
        2 => "\"[ !#%-_a-~\\n]{0,6}\"",
        2 => "\\\\[ -~\\n]",
        1 => "[{][a-z0-9]{0,2}[}]",
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.concat())
}

fn separator() -> impl Strategy<Value = String> {
    let separators = vec![" ", " ", " ", "  ", " | ", "|", " && ", "||", ";", "; ", "\n", " # x\n"];
    prop::sample::select(separators).prop_map(str::to_owned)
}

/// Pieces in a row, as words and within one.
pub(crate) fn pieces() -> impl Strategy<Value = String> {
    pieces_of(&[])
}

fn pieces_of(others: &'static [&'static str]) -> impl Strategy<Value = String> {
    (prop::collection::vec(piece(others), 1..10), any::<bool>()).prop_map(|(pieces, is_one)| {
        if is_one { format!("git {}", pieces.concat()) } else { pieces.join(" ") }
    })
}

/// A line of words. Most of these can be read.
pub(crate) fn line() -> impl Strategy<Value = String> {
    (prop::sample::select(vec!["git ", ""]), prop::collection::vec((word(), separator()), 1..8))
        .prop_map(|(start, words)| {
            let words = words.into_iter().flat_map(|(word, separator)| [word, separator]);
            format!("{start}{} end", words.collect::<String>())
        })
}

proptest! {
    #![proptest_config(Config { cases: 192, ..Config::default() })]

    #[test]
    fn bash_runs_what_was_read_of_pieces(command in pieces_of(OF_BASH)) {
        check(&BASH, &command);
    }

    #[test]
    fn bash_runs_what_was_read_of_lines(command in line()) {
        check(&BASH, &command);
    }

    #[test]
    fn words_survive_quoting(words in prop::collection::vec("[ -~\\n]{0,12}", 1..5)) {
        let quoted: Vec<_> =
            words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        let commands = shell_commands(&format!("git {}", quoted.join(" "))).expect("plain words");
        prop_assert_eq!(&commands[0].words[1..], words.as_slice());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = shell_commands(&text);
    }
}
