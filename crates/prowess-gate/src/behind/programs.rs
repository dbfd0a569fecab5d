//! Programs with a way of their own to run others.

use prowess_format::tool_pattern::ProgramKind;

use super::wrapper::{has, is_question};
use super::{Run, Runs, Table, language, managers};

/// Programs that run code of the project, or what is in a file of it.
static RUNNERS: Table = Table::new(include_str!("programs/runners.txt"));

/// The commands of git, none of which can be an alias. Others may be one.
static GIT: Table = Table::new(include_str!("programs/git.txt"));

/// The options before the command that run nothing and have no further word.
static GIT_OPTIONS: Table = Table::new(include_str!("programs/git_options.txt"));

/// Those to which words that are not known give nothing to run.
const GIT_OF_FILES: &str = include_str!("programs/git_of_files.txt");

/// Options whose value is a line for a shell, or a program.
static LINES: Table = Table::new(include_str!("programs/lines.txt"));

/// Options by which a program runs what is in a file, or in a word of another form.
static HIDING: Table = Table::new(include_str!("programs/hiding.txt"));

/// Settings of git whose value is no program, by their beginnings. Any other one may name a
/// program, unless its value is `true` or a number.
const SETTINGS: &str = include_str!("programs/settings.txt");

/// Settings of git whose value is a program or a file, whatever it is.
const OF_PROGRAMS: &str = "core. alias. pager. include. includeif. credential. filter. diff. merge. gpg. \
    init. sequence. protocol. url. submodule.";

/// Settings of `wget` whose value is no program.
const WGET_SETTINGS: &str = "robots timeout tries checkcertificate useragent httpproxy httpsproxy \
    continue quiet verbose header referer waitretry wait limitrate progress timestamping";

/// Programs whose words are data, or that are followed here.
static KNOWN: Table = Table::new(
    "find gfind bfs fd fdfind awk gawk mawk nawk original-awk sed gsed ssed tar bsdtar gtar",
);

/// Adds what a program runs, if it is one of these. Returns whether that is all.
pub(super) fn follow(runs: &mut Runs, name: &str, run: &Run) -> bool {
    let plain = name.trim_end_matches(|end: char| end.is_ascii_digit() || "._-".contains(end));
    let plain = plain.to_ascii_lowercase();
    let arguments = &run.words[1..];
    let kind = ProgramKind::of(name);
    let is_shell = kind == Some(ProgramKind::Shell);
    let is_language = kind == Some(ProgramKind::Language);
    let is_console = kind == Some(ProgramKind::Console);
    let is_runner = RUNNERS.has(&plain) || (plain != name && RUNNERS.has(name));
    let is_interpreter = is_language || is_console || is_runner;
    let options = LINES.row(name);
    let is_known = options.is_some() || KNOWN.has(name);
    let is_awk = matches!(name, "awk" | "gawk" | "mawk" | "nawk" | "original-awk");
    let is_sed = matches!(name, "sed" | "gsed" | "ssed");
    if is_shell {
        shell(runs, name, run);
    } else if is_interpreter && !is_question(&plain, arguments) {
        // `make -f -`
        let is_text = |word: &String| ["-", "-f-", "/dev/stdin"].contains(&word.as_str());
        let is_shown =
            is_runner && !arguments.iter().any(|it| is_text(it) || it.starts_with("--eval"));
        match is_shown || is_language && language::runs_file(&plain, arguments) {
            true => runs.hide_code(name),
            false => runs.hide(name),
        }
    } else if (run.is_fed && is_known && name != "git")
        || ((is_awk || is_sed) && has_open_script(run))
        || HIDING.rows(&plain).iter().any(|options| has_any(arguments, options))
        || (is_awk && awk_runs(arguments))
        || (is_sed && sed_runs(run))
    {
        runs.hide(name);
    } else if matches!(name, "find" | "gfind" | "bfs" | "fd" | "fdfind") {
        find(runs, run);
    } else if name == "git" {
        git(runs, run);
    } else if is_awk && awk_opens(arguments) {
        runs.obscure(name);
    }
    if name == "wget" {
        for setting in values(run, "-e").chain(values(run, "--execute")) {
            let (key, program) = setting.split_once('=').unwrap_or((setting, ""));
            let key = key.replace(['-', '_', ' '], "").to_ascii_lowercase();
            if !has(WGET_SETTINGS, &key) {
                runs.add_text(run, program);
                runs.hide(name);
            }
        }
    }
    if matches!(name, "ssh" | "scp" | "sftp" | "sshfs" | "autossh" | "slogin" | "mosh") {
        remote_options(runs, run);
    }
    let is_bundle = |word: &String| !word.starts_with('-') && word.contains(['I', 'F']);
    if matches!(name, "tar" | "bsdtar" | "gtar") && arguments.first().is_some_and(is_bundle) {
        runs.hide(name);
    }
    if let Some(options) = options {
        lines(runs, run, options);
    }
    let is_manager = managers::follow(runs, &plain, run);
    is_shell || is_interpreter || KNOWN.has(name) || name == "git" || is_manager
}

/// Returns whether a program runs code of the project, whatever its words are.
pub(crate) fn runs_code(name: &str) -> bool {
    RUNNERS.has(name) || managers::is_one(name)
}

/// Returns whether a word is one of these options. GNU programs take the beginning of a long
/// name.
pub(crate) fn has_any(arguments: &[String], options: &str) -> bool {
    let is_option = |word: &String, option: &str| {
        let name = word.split('=').next().unwrap_or_default();
        let is_long = name.len() > 2 && name.starts_with("--") && name != "--file";
        word.starts_with(option) || is_long && option.starts_with(name)
    };
    let mut options = options.split_ascii_whitespace();
    options.any(|option| arguments.iter().any(|word| is_option(word, option)))
}

/// Returns whether a word that is not known may be the script, as in `find -exec sed {}`.
fn has_open_script(run: &Run) -> bool {
    let Some(name) = &run.placeholder else { return false };
    let mut pairs = run.words.windows(2).enumerate();
    pairs.any(|(at, pair)| pair[1].contains(name.as_str()) && (at == 0 || pair[0].starts_with('-')))
}

/// `-o ProxyCommand=LINE` and its like.
fn remote_options(runs: &mut Runs, run: &Run) {
    for word in &run.words[1..] {
        let Some((name, line)) = word.split_once(['=', ' ']) else { continue };
        if name.to_ascii_lowercase().ends_with("command") {
            runs.add_line(run, line);
        }
    }
}

/// A shell runs the line after `-c`, a file, or its input.
fn shell(runs: &mut Runs, name: &str, run: &Run) {
    let mut words = run.words[1..].iter();
    let (mut is_line, mut is_input) = (false, false);
    if has("zsh fish", name.trim_end_matches(|it: char| it.is_ascii_digit() || "._-".contains(it)))
    {
        // Their lines have other words: `=ls`, `noglob ls`. Options take a line by themselves.
        let value = |word: &String| word.split_once('=').map(|(_, value)| value.to_owned());
        let attached = |word: &String| word.get(2..).map(str::to_owned);
        let lines = run.words[1..].iter();
        lines
            .flat_map(|it| [Some(it.clone()), value(it), attached(it)].into_iter().flatten())
            .filter(|line| !line.is_empty() && !line.starts_with('-'))
            .for_each(|line| runs.add_line(run, &line));
        return runs.hide(name);
    }
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" | "-" => {}
            "--version" | "--help" => return,
            "--login" | "--norc" | "--noprofile" | "--posix" | "--restricted" | "--verbose" => {}
            long if long.starts_with("--") => break,
            option if option.len() > 1 && option.starts_with(['-', '+']) => {
                is_line |= option.contains('c');
                is_input |= option.contains('s');
                // `-o NAME`, in a group wherever the letter stands.
                for value in words.by_ref().take(option.matches(['o', 'O']).count()) {
                    runs.add_line(run, value);
                }
            }
            line if is_line => {
                runs.obscure(name);
                return runs.add_line(run, line);
            }
            file if is_input || file.starts_with("/dev/") => break,
            _ => return runs.hide_code(name),
        }
    }
    runs.hide(name);
}

/// `-exec COMMAND {} ;`, and for `fd` `-x COMMAND {}`.
fn find(runs: &mut Runs, run: &Run) {
    let is_fd = run.names.iter().any(|name| name.contains("fd"));
    // `fd -Hx rm`: before the letter, none has a value.
    let in_group = |word: &str| {
        let letters = word.strip_prefix('-').filter(|_| is_fd && !word.starts_with("--"))?;
        let at = letters.find(['x', 'X'])?;
        let is_group = !letters[..at].contains(['t', 'e', 'E', 'S', 'o', 'c', 'j', 'd']);
        is_group.then(|| letters[at + 1..].to_owned())
    };
    let is_start = |word: &String| {
        has("-exec -execdir -ok -okdir --exec --exec-batch", word)
            || in_group(word).is_some_and(|rest| rest.is_empty())
    };
    // `fd -xrm`, `fd --exec=rm`
    let attached = |word: &String| {
        let long = word.strip_prefix("--exec").and_then(|rest| rest.split_once('='));
        let long = long.filter(|_| is_fd).map(|(_, value)| value.to_owned());
        in_group(word).or(long).filter(|value| !value.is_empty())
    };
    // The paths of `find` begin with a place, and are no options.
    let is_fed = run.is_fed || is_fd;
    let inner = Run { placeholder: Some("{}".into()), is_open: true, is_fed, ..Run::default() };
    for (at, word) in run.words.iter().enumerate() {
        if let Some(first) = attached(word) {
            runs.add(&inner, &[&[first], &run.words[at + 1..]].concat());
        }
        if !is_start(word) {
            continue;
        }
        let rest = &run.words[at + 1..];
        let end = rest.iter().position(|word| word == ";").unwrap_or(rest.len());
        match &rest[..end] {
            [] => runs.hide("find"),
            words => runs.add(&inner, words),
        }
    }
}

/// Settings that name a program, and the subcommands that run one.
fn git(runs: &mut Runs, run: &Run) {
    for word in &run.words {
        // A helper that runs a command as the other end.
        if let Some((_, line)) = word.split_once("ext::") {
            runs.add_text(run, line);
            runs.hide("git");
        }
    }
    let mut words = run.words[1..].iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        match word.as_str() {
            command if !command.starts_with('-') => {
                return subcommand(runs, run, command, words.as_slice());
            }
            "-c" => setting(runs, run, words.next().map_or("", String::as_str)),
            _ if matches!(name, "--config-env" | "--exec-path") => return runs.hide("git"),
            // Another repository has settings of its own.
            "--git-dir" if words.as_slice().first().is_some_and(|it| !it.ends_with(".git")) => {
                return runs.hide("git");
            }
            option if option.starts_with("--git-dir=") && !option.ends_with(".git") => {
                return runs.hide("git");
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--attr-source" => {
                _ = words.next();
            }
            _ if GIT_OPTIONS.has(name) => {}
            // One that is not known may have a value, and hide the command.
            _ => runs.hide("git"),
        }
    }
    if run.is_open {
        runs.hide("git");
    }
}

fn setting(runs: &mut Runs, run: &Run, setting: &str) {
    let Some((key, value)) = setting.split_once('=') else { return };
    if let Some(line) = value.strip_prefix('!') {
        runs.add_line(&Run { is_open: true, ..run.clone() }, line);
    } else if names_program(key, value) {
        runs.add_line(&Run { is_open: true, ..run.clone() }, value);
        runs.hide("git");
    }
}

fn names_program(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let is_in = |list: &str| {
        let mut list = list.split_ascii_whitespace();
        list.any(|it| it == key || it.ends_with('.') && key.starts_with(it))
    };
    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit())
        || has("true false yes no on off auto always never", value);
    !is_in(SETTINGS) && (!is_plain || is_in(OF_PROGRAMS))
}

fn subcommand(runs: &mut Runs, run: &Run, command: &str, arguments: &[String]) {
    let rest = |from: &str| {
        let start = arguments.iter().position(|word| word == from)?;
        Some(&arguments[start + 1..]).filter(|words| !words.is_empty())
    };
    match command {
        "bisect" => {
            if let Some(words) = rest("run") {
                runs.add(run, words);
            }
            if let Some(words) = rest("visualize").or(rest("view")) {
                runs.add(run, &[&["git".to_owned()], words].concat());
            }
        }
        "submodule" => {
            if let Some(words) = rest("foreach") {
                let start = words.iter().take_while(|word| word.starts_with('-')).count();
                runs.add_line(run, &words[start..].join(" "));
            }
        }
        "filter-branch" | "filter-repo" | "instaweb" => runs.hide("git"),
        "clone" | "init" if has_any(arguments, "--template") => runs.hide("git"),
        "subtree" => {
            for at in (0..arguments.len()).filter(|at| GIT.has(&arguments[*at])) {
                runs.add(run, &[&["git".to_owned()], &arguments[at..]].concat());
            }
        }
        "clone" => {
            values(run, "-u").for_each(|line| runs.add_line(run, line));
            let settings = values(run, "-c").chain(values(run, "--config"));
            settings.for_each(|it| setting(runs, run, it));
        }
        "difftool" | "mergetool" => {
            values(run, "-t").for_each(|tool| runs.add_text(run, tool));
        }
        // A section may get another name, and a file be edited.
        "config" if has_any(arguments, "--rename-section rename-section --edit -e edit") => {
            runs.hide("git");
        }
        "config" => {
            for line in arguments.iter().filter_map(|word| word.strip_prefix('!')) {
                runs.add_line(run, line);
            }
            for pair in arguments.windows(2) {
                let is_key =
                    pair[0].starts_with(|it: char| it.is_alphabetic()) && pair[0].contains('.');
                let is_set = is_key && !pair[1].starts_with(['!', '-']);
                if is_set && names_program(&pair[0], &pair[1]) {
                    runs.add_text(&Run { is_open: true, ..run.clone() }, &pair[1]);
                    runs.hide("git");
                }
            }
        }
        command if !GIT.has(command) => runs.hide(command),
        _ => {}
    }
    if run.is_fed && !has(GIT_OF_FILES, command) {
        runs.hide("git");
    }
}

/// Follows the options whose value is a line.
fn lines(runs: &mut Runs, run: &Run, options: &'static str) {
    if !run.words.iter().any(|word| word.starts_with(['-', '+'])) {
        return;
    }
    for option in options.split_ascii_whitespace() {
        for line in values(run, option) {
            runs.add_line(run, line.strip_prefix("exec=").unwrap_or(line));
        }
    }
}

/// Returns the values of an option.
fn values<'r>(run: &'r Run, option: &'static str) -> impl Iterator<Item = &'r str> {
    let words = run.words.iter().enumerate().skip(1);
    words.filter_map(move |(at, word)| value(word, option, run.words.get(at + 1)))
}

/// Returns the value of an option, if the word is the option. GNU programs take the beginning of
/// a long name for it.
fn value<'w>(word: &'w str, option: &str, next: Option<&'w String>) -> Option<&'w str> {
    let or_next = |value: &'w str| match value {
        "" => next.map(String::as_str),
        value => Some(value),
    };
    if !option.starts_with("--") {
        // `rsync -ave LINE`, `tar -cvI'LINE'`: the letter may stand in a group.
        let (sign, letters) = option.split_at(1);
        let group = word.strip_prefix(sign).filter(|_| !word.starts_with("--"))?;
        let (before, value) = group.split_once(letters)?;
        let is_group = before.bytes().all(|byte| byte.is_ascii_alphanumeric());
        return is_group.then(|| or_next(value)).flatten();
    }
    let (name, value) = word.split_once('=').map_or((word, ""), |(name, value)| (name, value));
    let is_option = name.len() > 2 && option.starts_with(name);
    is_option.then(|| or_next(value)).flatten()
}

/// Returns whether a program of `awk` may run others, or is in a file.
fn awk_runs(arguments: &[String]) -> bool {
    arguments.iter().any(|word| {
        let is_file = word.starts_with('-') && word.contains(['f', 'i', 'l', 'E', '@', 'W'])
            || word.starts_with("--e");
        is_file || word.contains("system") || word.contains(['|', '@'])
    })
}

/// Returns whether a program of `awk` may open files that its words do not show.
fn awk_opens(arguments: &[String]) -> bool {
    let prints = |word: &str| word.split_once("print").is_some_and(|(_, rest)| rest.contains('>'));
    let words = ["getline", "ENVIRON", "ARGV"];
    arguments.iter().any(|word| prints(word) || words.iter().any(|it| word.contains(it)))
}

/// Returns whether a script of `sed` may run a command, or is in a file.
fn sed_runs(run: &Run) -> bool {
    let words = &run.words[1..];
    let has = |letter: char, long: &str| {
        let is_group = |word: &String| !word.starts_with("--") && word.contains(letter);
        let mut options = words.iter().filter(|word| word.starts_with('-'));
        options.any(|word| word.starts_with(long) || is_group(word))
    };
    // `-l 70` takes a word, and the `e` of `-i.e` is of a suffix.
    let takes_word = has('l', "--l");
    let mut scripts: Vec<_> = values(run, "-e").chain(values(run, "--expression")).collect();
    let has_suffix = |word: &String| word.split_once('i').is_some_and(|(_, it)| it.contains('e'));
    let has_suffix = words.iter().any(|word| word.starts_with('-') && has_suffix(word));
    if scripts.is_empty() || takes_word || has_suffix {
        let operands = words.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
        scripts.extend(operands.take(if takes_word { words.len() } else { 1 }));
    }
    has('f', "--fi") || scripts.into_iter().any(script_runs)
}

/// Returns whether a script of `sed` may have the command or the flag `e`: it stands behind what
/// is neither a letter nor a digit, an address, other flags, or a letter that is a delimiter.
fn script_runs(script: &str) -> bool {
    let is_flag = |it: char| "0123456789gpiImM \t".contains(it);
    let begins = |text: &str| text.trim_start_matches(is_flag).starts_with('e');
    if let Some((delimiter, rest)) = script.strip_prefix('s').and_then(split_first)
        && !rest.contains('\\')
        && let [_, _, flags] = rest.split(delimiter).collect::<Vec<_>>()[..]
        && flags.chars().all(|it| it.is_alphanumeric() || is_flag(it))
    {
        return flags.contains('e');
    }
    // `/start/,/end/p`
    let mut outside = script.split('/').step_by(2).flat_map(str::chars);
    if !script.contains(['\\', '[']) && outside.all(|it| "0123456789,$!pdqnPDN=; ".contains(it)) {
        return false;
    }
    let has_delimiter = |(at, _): (usize, &str)| {
        let next = split_first(&script[at + 1..]).filter(|(next, _)| next.is_alphanumeric());
        next.is_some_and(|(next, rest)| {
            let is_end = |it: &str| next == 'e' && it.trim_start_matches(is_flag).is_empty();
            rest.split(next).skip(1).any(|part| begins(part) || is_end(part))
        })
    };
    script.split(|it: char| !it.is_ascii_alphanumeric()).any(begins)
        || script.match_indices(['s', 'y', '\\']).any(has_delimiter)
}

fn split_first(text: &str) -> Option<(char, &str)> {
    let mut characters = text.chars();
    Some((characters.next()?, characters.as_str()))
}
