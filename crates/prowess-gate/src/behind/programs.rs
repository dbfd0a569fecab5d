//! Programs with a way of their own to run others.

use super::wrapper::{has, is_question};
use super::{Run, Runs, managers};

const SHELLS: &str = "sh bash dash ash zsh ksh mksh yash rbash fish lksh oksh posh sash hush";

/// Programs that run a text or a file of commands, which cannot be read here.
const INTERPRETERS: &str = "python pypy ipython perl raku ruby irb node nodejs deno bun php lua \
    luajit tclsh wish expect osascript r rscript java jshell groovy scala kotlin dart ghci ghc \
    runghc ocaml julia elixir erl iex guile racket sbcl clisp octave gnuplot pwsh powershell csh \
    tcsh nu xonsh elvish emacs vi vim vim.basic vim.tiny rvim nvim view ex ed gdb lldb m4 make \
    gmake ninja cmake ctest meson bazel just task rake ant gradle mvn pytest tox nox invoke fab \
    pre-commit tmux screen at batch crontab run-parts docker podman nerdctl kubectl oc lxc incus \
    ansible ansible-playbook psql mysql mariadb sqlite duckdb sqlite3 ftp lftp sftp telnet nc ncat \
    socat xdg-open gio gtk-launch busctl gdbus tcpdump eval source tsx ts-node esbuild vite webpack \
    rollup parcel jest mocha vitest eslint prettier gulp grunt lerna nx turbo gradlew mvnw mix stack \
    cabal sbt lein zig nimble dub crystal scons waf tup bazelisk buck pants earthly dagger act \
    terraform tofu tex latex pdflatex xelatex lualatex troff groff remake dc mutt mail mailx s-nail \
    newgrp login bpftrace calc gp maxima pry mongosh";

/// The commands of git, none of which can be an alias. Others may be one.
const GIT: &str = "add am annotate apply archive bisect blame branch bundle cat-file check-ignore \
    checkout cherry cherry-pick clean clone commit config count-objects describe diff diff-index \
    diff-tree difftool fetch filter-branch filter-repo for-each-ref format-patch fsck gc grep \
    hash-object help init instaweb lfs log ls-files ls-remote ls-tree maintenance merge merge-base \
    mergetool mv name-rev notes pack-refs prune pull push range-diff read-tree rebase reflog \
    remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm \
    send-email shortlog show show-branch show-ref sparse-checkout stash status submodule subtree \
    switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version \
    whatchanged worktree write-tree";

/// Those to which words that are not known give nothing to run.
const GIT_OF_FILES: &str = "add blame branch cat-file check-ignore checkout diff hash-object log \
    ls-files mv reset restore rev-parse rm show status switch tag update-index";

/// Options whose value is a line for a shell, or a program.
const LINES: [(&str, &str); 12] = [
    ("scp sftp sshfs", "-S"),
    ("less more", "+!"),
    ("wget", "--use-askpass"),
    (
        "tar bsdtar gtar",
        "-I -F --use-compress-program --to-command --info-script --new-volume-script \
            --rsh-command --rmt-command --checkpoint-action",
    ),
    ("rsync", "-e --rsh --rsync-path"),
    ("man", "-P -H --pager --html"),
    ("sort", "--compress-program"),
    ("split", "--filter"),
    ("rg", "--pre --hostname-bin"),
    ("bat batcat delta ag ack", "--pager"),
    ("zip", "-TT --unzip-command"),
    (
        "git",
        "-x -O --exec --extcmd --upload-pack --receive-pack --open-files-in-pager --tree-filter \
            --index-filter --env-filter --msg-filter --commit-filter --parent-filter \
            --tag-name-filter --setup --sendmail-cmd --smtp-server --httpd --to-cmd --cc-cmd \
            --header-cmd",
    ),
];

/// Options by which a program runs what is in a file, or in a word of another form.
const HIDING: [(&str, &str); 7] = [
    (
        "gcc g++ cc c++ clang clang++ cpp gfortran c89 c99",
        "-wrapper -fplugin -B -specs --specs -Xclang",
    ),
    ("rustc", "linker= -Clinker= --codegen=linker="),
    ("pandoc", "--filter -F --lua-filter -L --pdf-engine"),
    ("fzf sk", "--preview --bind"),
    (
        "gpg gpgv gpgsm",
        "--agent-program --dirmngr-program --keyboxd-program --photo-viewer --exec-path",
    ),
    ("nmap", "--script -sC -A"),
    ("go", "-toolexec --toolexec -vettool --vettool -exec --exec"),
];

/// Settings of git whose value is a program.
const SETTINGS: &str = "alias. pager. core.pager core.editor core.sshcommand core.fsmonitor \
    core.hookspath core.askpass core.gitproxy core.alternaterefscommand sequence.editor \
    credential. diff. difftool. mergetool. merge. filter. gpg. interactive.difffilter include. \
    includeif. man. browser. web. remote. protocol. url. uploadpack. sendemail. trailer. tar. \
    imap. instaweb. init.templatedir submodule.";

/// Programs whose words are data, or that are followed here.
const KNOWN: &str =
    "find gfind bfs fd fdfind awk gawk mawk nawk original-awk sed gsed ssed tar bsdtar gtar";

/// Adds what a program runs, if it is one of these. Returns whether that is all.
pub(super) fn follow(runs: &mut Runs, name: &str, run: &Run) -> bool {
    let plain = name.trim_end_matches(|end: char| end.is_ascii_digit() || "._-".contains(end));
    let plain = plain.to_ascii_lowercase();
    let plain = plain.strip_suffix("-static").unwrap_or(&plain);
    let arguments = &run.words[1..];
    let is_shell = has(SHELLS, name) || has(SHELLS, plain);
    // `m4` is a name of its own, `python3.11` is `python`.
    let is_interpreter = has(INTERPRETERS, plain) || has(INTERPRETERS, name);
    let is_known = has(KNOWN, name) || LINES.iter().any(|(names, _)| has(names, name));
    if is_shell {
        shell(runs, name, run);
    } else if (run.is_fed && is_known && name != "git")
        || (is_interpreter && !is_question(arguments))
        || (has("awk gawk mawk nawk original-awk sed gsed ssed", name) && has_open_script(run))
        || HIDING.iter().any(|(names, options)| has(names, plain) && has_any(arguments, options))
        || (has("awk gawk mawk nawk original-awk", name) && awk_runs(arguments))
        || (has("sed gsed ssed", name) && sed_runs(arguments))
    {
        runs.hide(name);
    } else if has("find gfind bfs fd fdfind", name) {
        find(runs, run);
    } else if name == "git" {
        git(runs, run);
    }
    if has("ssh scp sftp sshfs autossh slogin mosh", name) {
        remote_options(runs, run);
    }
    let is_bundle = |word: &String| !word.starts_with('-') && word.contains(['I', 'F']);
    if has("tar bsdtar gtar", name) && arguments.first().is_some_and(is_bundle) {
        runs.hide(name);
    }
    if let Some((_, options)) = LINES.iter().find(|(names, _)| has(names, name)) {
        lines(runs, run, options);
    }
    let is_manager = managers::follow(runs, plain, run);
    is_shell || is_interpreter || has(KNOWN, name) || name == "git" || is_manager
}

/// Returns whether a word is one of these options. GNU programs take the beginning of a long name.
fn has_any(arguments: &[String], options: &str) -> bool {
    let is_option = |word: &String, option: &str| {
        let name = word.split('=').next().unwrap_or_default();
        word.starts_with(option) || name.len() > 3 && option.starts_with(name)
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
    let mut is_line = false;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" | "-" => {}
            "--command" => is_line = true,
            long if long.starts_with("--command=") => {
                return runs.add_line(run, &long["--command=".len()..]);
            }
            "--version" | "--help" => return,
            "--rcfile" | "--init-file" | "--init-command" => _ = words.next(),
            option if option.len() > 1 && option.starts_with(['-', '+']) => {
                is_line |= !option.starts_with("--") && option.contains('c');
                // `-o NAME`
                if !option.starts_with("--") && option.ends_with(['o', 'O', 'C']) {
                    words.next();
                }
            }
            line if is_line => return runs.add_line(run, line),
            _ => break,
        }
    }
    runs.hide(name);
}

/// `-exec COMMAND {} ;`, and for `fd` `-x COMMAND {}`.
fn find(runs: &mut Runs, run: &Run) {
    let is_start = |word: &String| has("-exec -execdir -ok -okdir -x -X --exec --exec-batch", word);
    // `fd -xrm`, `fd --exec=rm`
    let attached = |word: &String| {
        let short = word.strip_prefix("-x").or_else(|| word.strip_prefix("-X"));
        let long = word.strip_prefix("--exec").and_then(|rest| rest.split_once('='));
        short.or(long.map(|(_, value)| value)).filter(|value| !value.is_empty()).map(str::to_owned)
    };
    // The paths of `find` begin with a place, and are no options.
    let is_fed = run.is_fed || run.names.iter().any(|name| name.contains("fd"));
    let inner = Run { placeholder: Some("{}".into()), is_open: true, is_fed, ..Run::default() };
    for (at, word) in run.words.iter().enumerate() {
        if let Some(first) =
            attached(word).filter(|_| run.names.iter().any(|name| name.contains("fd")))
        {
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
        match word.as_str() {
            "-c" => setting(runs, run, words.next().map(String::as_str)),
            "--config-env" | "--exec-path" => return runs.hide("git"),
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => _ = words.next(),
            option if option.starts_with("--config-env=") || option.starts_with("--exec-path=") => {
                return runs.hide("git");
            }
            option if option.starts_with('-') => {}
            command => return subcommand(runs, run, command, words.as_slice()),
        }
    }
    if run.is_open {
        runs.hide("git");
    }
}

fn setting(runs: &mut Runs, run: &Run, setting: Option<&str>) {
    let Some((key, value)) = setting.and_then(|setting| setting.split_once('=')) else { return };
    if let Some(line) = value.strip_prefix('!') {
        runs.add_line(&Run { is_open: true, ..run.clone() }, line);
    } else if is_program_setting(key) {
        runs.add_line(&Run { is_open: true, ..run.clone() }, value);
        runs.hide("git");
    }
}

fn is_program_setting(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SETTINGS.split_ascii_whitespace().any(|program| key.starts_with(program))
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
            for at in (0..arguments.len()).filter(|at| has(GIT, &arguments[*at])) {
                runs.add(run, &[&["git".to_owned()], &arguments[at..]].concat());
            }
        }
        "clone" => {
            for (at, word) in arguments.iter().enumerate() {
                let next = arguments.get(at + 1).map(String::as_str);
                match word.split_once('=') {
                    _ if word == "-c" || word == "--config" => setting(runs, run, next),
                    Some(("--config", value)) => setting(runs, run, Some(value)),
                    _ if word == "-u" => next.iter().for_each(|line| runs.add_line(run, line)),
                    _ if word.starts_with("-u") => runs.add_line(run, &word[2..]),
                    _ => {}
                }
            }
        }
        "config" => {
            for line in arguments.iter().filter_map(|word| word.strip_prefix('!')) {
                runs.add_line(run, line);
            }
            if let Some(at) = arguments.iter().position(|word| is_program_setting(word)) {
                match arguments.get(at + 1) {
                    Some(line) if !line.starts_with(['!', '-']) => {
                        runs.add_text(&Run { is_open: true, ..run.clone() }, line);
                        runs.hide("git");
                    }
                    _ => {}
                }
            }
        }
        command if !has(GIT, command) => runs.hide(command),
        _ => {}
    }
    if run.is_fed && !has(GIT_OF_FILES, command) {
        runs.hide("git");
    }
}

/// Follows the options whose value is a line.
fn lines(runs: &mut Runs, run: &Run, options: &str) {
    for (at, word) in run.words.iter().enumerate().skip(1) {
        for option in options.split_ascii_whitespace() {
            if let Some(value) = value(word, option, run.words.get(at + 1)) {
                runs.add_line(run, value.strip_prefix("exec=").unwrap_or(value));
            }
        }
    }
}

/// Returns the value of an option, if the word is the option. GNU programs take the beginning of a
/// long name for it.
fn value<'w>(word: &'w str, option: &str, next: Option<&'w String>) -> Option<&'w str> {
    if !option.starts_with("--") {
        // `rsync -ave LINE`: the letter may end a group.
        let is_group = option.starts_with('-') && word.starts_with('-') && word.len() > 2;
        if is_group && !word.starts_with("--") && word.ends_with(&option[1..]) {
            return next.map(String::as_str);
        }
        let value = word.strip_prefix(option).filter(|_| !word.starts_with("--"))?;
        return if value.is_empty() { next.map(String::as_str) } else { Some(value) };
    }
    let (name, value) = word.split_once('=').map_or((word, None), |(name, v)| (name, Some(v)));
    let is_option = name.len() > 3 && option.starts_with(name);
    is_option.then(|| value.or(next.map(String::as_str))).flatten()
}

/// Returns whether a program of `awk` may run others, or is in a file.
fn awk_runs(arguments: &[String]) -> bool {
    arguments.iter().any(|word| {
        let is_file = word.starts_with('-') && word.contains(['f', 'i', 'l', 'E', '@', 'W'])
            || word.starts_with("--e");
        is_file || word.contains("system") || word.contains(['|', '@'])
    })
}

/// Returns whether a script of `sed` may have the command or the flag `e`, or is in a file.
fn sed_runs(arguments: &[String]) -> bool {
    arguments.iter().enumerate().any(|(at, word)| {
        if let Some((_, value)) = word.split_once('=').filter(|_| word.starts_with("--")) {
            return word.starts_with("--fi") || script_runs(value);
        }
        if let Some(letters) = word.strip_prefix('-') {
            let script = letters.split_once('e').map_or("", |(_, script)| script);
            return word.starts_with("--fi")
                || !word.starts_with("--") && (letters.contains('f') || script_runs(script));
        }
        (at == 0 || arguments[at - 1].starts_with('-')) && script_runs(word)
    })
}

fn script_runs(script: &str) -> bool {
    if let Some((delimiter, rest)) = script.strip_prefix('s').and_then(split_first)
        && !rest.contains('\\')
        && let [_, _, flags] = rest.split(delimiter).collect::<Vec<_>>()[..]
        && flags.chars().all(char::is_alphanumeric)
    {
        return flags.contains('e');
    }
    let mut previous = ' ';
    script.chars().any(|character| {
        let is_command = character == 'e' && !previous.is_alphabetic();
        previous = character;
        is_command
    })
}

fn split_first(text: &str) -> Option<(char, &str)> {
    let mut characters = text.chars();
    Some((characters.next()?, characters.as_str()))
}
