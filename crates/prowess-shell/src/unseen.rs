//! Limits of the interpreter that a command does not see: it only reports them on the error stream,
//! which pipes and substitutions drop, or gives a part or another value without a word. A command
//! that would reach one ends instead.

use std::io::ErrorKind;

use bashkit::hooks::ToolEvent;
use bashkit::{
    Bash, Builtin, BuiltinContext, Command, CommandContext, CommandStatus, Error, ExecOptions,
    ExecResult, ExecutionLimits, LimitExceeded, async_trait,
};
use prowess_text::shell_word;

/// The most words of a range of braces, and of the ranges of one word.
const RANGE: i128 = 10_000;
const RANGES: i128 = 50_000;
/// The bytes that a read of an endless device returns.
const DEVICES: [(&str, u64); 3] =
    [("/dev/zero", 1 << 20), ("/dev/random", 8192), ("/dev/urandom", 8192)];
/// The limit of their bytes.
pub(crate) const ENDLESS: &str = "bytes of an endless device";
pub(crate) const BRACES: &str = "words of a range of braces";
/// Programs that take a part of an endless device, or nothing of it.
const PARTS: [&str; 17] = [
    "[", "[[", "chmod", "cmp", "dd", "echo", "file", "find", "head", "hexdump", "ln", "ls", "od",
    "printf", "stat", "test", "xxd",
];
/// The widest number of `printf`.
const WIDTH: usize = 10_000;
/// The most bytes that `yes` prints.
const YES: usize = 4 << 20;
/// The digits of a number that `bc` computes exactly.
const DIGITS: usize = 15;

/// Returns the limit that a call of a program would reach.
pub(crate) fn of_call(event: &ToolEvent) -> Option<&'static str> {
    match event.name.as_str() {
        "head" if is_long_read(&event.args) => Some(ENDLESS),
        "eval" if has_long_range(&event.args.join(" ")) => Some(BRACES),
        "bash" | "sh" if has_long_range(command_of(&event.args)) => Some(BRACES),
        "printf" if has_long_width(&event.args) => Some("the width of `printf`"),
        _ => None,
    }
}

/// Returns the command that a shell is given as an argument.
fn command_of(args: &[String]) -> &str {
    let is_option = |arg: &&String| arg.starts_with('-') && arg.ends_with('c');
    let at = args.iter().take_while(|arg| !is_option(arg)).count();
    args.get(at + 1).map_or("", String::as_str)
}

fn is_long_read<S: AsRef<str>>(args: &[S]) -> bool {
    device_in(args).is_some_and(|most| reads_more(args, most))
}

/// Returns whether a pipeline, such as `cat /dev/zero | head -c 2M` or `head -c 2M < /dev/zero`,
/// takes more of a device than a read of it returns.
pub(crate) fn has_long_read(command: &str) -> bool {
    let is_between = |it: char| it.is_whitespace() || "<>|(){}\"'`".contains(it);
    let words = |text| str::split(text, is_between).filter(|it| !it.is_empty()).collect::<Vec<_>>();
    // The `&` of `2>&1` separates nothing.
    command.replace(">&", ">").split([';', '\n', '&']).any(|pipeline| {
        let Some(most) = device_in(&words(pipeline)) else { return false };
        let mut programs = pipeline.split('|').map(words);
        let is_part = |program: &Vec<&str>| program.iter().any(|word| PARTS.contains(word));
        let is_long = |program: &Vec<&str>| program.contains(&"head") && reads_more(program, most);
        programs.clone().any(|program| is_long(&program)) || !programs.any(|it| is_part(&it))
    })
}

/// Returns the fewest bytes that a device among the words has.
fn device_in<S: AsRef<str>>(words: &[S]) -> Option<u64> {
    let is_named = |device: &str| words.iter().any(|word| word.as_ref() == device);
    DEVICES.iter().filter(|(device, _)| is_named(device)).map(|(_, bytes)| *bytes).min()
}

/// Returns whether the arguments of `head` ask for more than so many bytes.
fn reads_more<S: AsRef<str>>(args: &[S], most: u64) -> bool {
    let args: Vec<_> = args.iter().map(AsRef::as_ref).collect();
    let after = |start: &str| args.iter().find_map(|arg| arg.strip_prefix(start));
    let next = || args.iter().skip_while(|arg| !matches!(**arg, "-c" | "--bytes")).nth(1).copied();
    let count = after("--bytes=").or_else(|| after("-c")).filter(|count| !count.is_empty());
    let Some(count) = count.or_else(next) else { return false };
    let digits = count.trim_end_matches(|it: char| !it.is_ascii_digit());
    let unit = match count[digits.len()..].chars().next() {
        Some('b') => 512,
        Some('k' | 'K') => 1000,
        Some(_) => 1_000_000,
        None => 1,
    };
    digits.parse::<u64>().is_ok_and(|count| count.saturating_mul(unit) > most)
}

/// Returns whether the ranges of braces in a word, such as `{1..20000}`, have more words than the
/// interpreter writes.
pub(crate) fn has_long_range(command: &str) -> bool {
    command.split_whitespace().any(|word| {
        let ranges = || word.split('{').skip(1).filter_map(range);
        ranges().any(|words| words > RANGE)
            || ranges().try_fold(1, i128::checked_mul).is_none_or(|words| words > RANGES)
    })
}

/// Returns the number of words of a range or a list that a text begins with, behind its brace.
fn range(text: &str) -> Option<i128> {
    let text = text.split_once('}')?.0;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_.,-/".contains(it);
    if text.contains(',') && text.chars().all(is_plain) {
        return i128::try_from(text.split(',').count()).ok();
    }
    let end = |text: &str| match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => text.parse().ok(),
    };
    let mut parts = text.split("..");
    let (first, last) = (end(parts.next()?)?, end(parts.next()?)?);
    let step = parts.next().map_or(Ok(1), str::parse::<i64>).ok()?.unsigned_abs().max(1);
    Some(1 + (i128::from(last) - i128::from(first)).abs() / i128::from(step))
}

/// Returns whether the format of `printf` has a wider number than it prints.
fn has_long_width(args: &[String]) -> bool {
    let Some(format) = args.iter().find(|arg| arg.contains('%')) else { return false };
    let is_wide = |number: &str| number.parse().is_ok_and(|number: usize| number > WIDTH);
    let has_wide = |text: &str| text.split(|it: char| !it.is_ascii_digit()).any(is_wide);
    format.split('%').skip(1).any(|of| {
        let end = of.find(|it: char| !(it.is_ascii_digit() || "-+ 0#'.*".contains(it)));
        let widths = &of[..end.unwrap_or(of.len())];
        has_wide(widths) || widths.contains('*') && args.iter().any(|it| has_wide(it))
    })
}

fn reached(limit: &str) -> Error {
    Error::ResourceLimit(LimitExceeded::Memory(limit.to_owned()))
}

/// `yes`, which ends with its reader, and at a limit with the whole command.
pub(crate) struct Yes;

#[async_trait]
impl Command for Yes {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let words = context.args.join(" ");
        let line = if context.args.is_empty() { "y\n".to_owned() } else { words + "\n" };
        let lines = line.repeat((4096 / line.len()).max(1));
        for _ in 0..YES.div_ceil(lines.len()) {
            match context.stdout.write_all(lines.as_bytes()).await {
                Err(Error::Io(error)) if error.kind() == ErrorKind::BrokenPipe => {
                    return Ok(CommandStatus::with_code(141));
                }
                written => written?,
            }
        }
        Err(reached(&format!("{YES} bytes of `yes`")))
    }
}

/// A program of the interpreter that ends at a limit of its own with an error, which a pipe drops,
/// and takes and gives text alone. It runs in a shell of its own, and what it did is checked.
pub(crate) struct Checked(pub(crate) &'static str);

pub(crate) const CHECKED: [&str; 15] = [
    "bc", "bunzip2", "bzcat", "bzip2", "expand", "gunzip", "gzip", "numfmt", "sed", "seq", "split",
    "tar", "tee", "unexpand", "xxd",
];
/// The most bytes that one of them prints.
const PRINTED: usize = 32 << 20;
/// Those of them that change bytes that are no text.
const OF_TEXT: [&str; 3] = ["sed", "split", "tee"];
/// The character that stands for bytes that are no text.
const REPLACED: &str = "\u{fffd}";

/// The words of such errors.
const LIMITS: [&str; 2] = ["limit (", "(zip bomb"];

/// Returns the limit that a program reports.
fn reported(result: &ExecResult) -> Option<String> {
    let errors = result.stderr.text_lossy();
    let is_limit = |line: &&str| {
        LIMITS.iter().any(|limit| line.contains(limit)) || line.ends_with("failed unexpectedly")
    };
    let line = errors.lines().find(is_limit)?;
    Some(format!("`{}`", line.split(':').next().unwrap_or_default()))
}

/// Returns whether the output of `bc`, whose numbers are those of a machine, has a longer one.
fn has_long_number(result: &ExecResult) -> bool {
    let is_long = |number: &str| {
        let number = number.trim_start_matches(['-', '0', '.']);
        let number = number.trim_end_matches('0').trim_end_matches('.');
        number.bytes().filter(u8::is_ascii_digit).count() > DIGITS
    };
    result.stdout.text_lossy().lines().any(is_long)
}

impl Checked {
    /// Returns whether a program has printed other bytes than those that it was to write.
    fn has_replaced(&self, args: &[String], result: &ExecResult) -> bool {
        let is_to_output = |arg: &String| match arg.strip_prefix("--") {
            Some(long) => long == "to-stdout",
            None => arg.contains('O'),
        };
        let is_printing = self.0 == "xxd" || self.0 == "tar" && args.iter().any(is_to_output);
        is_printing && result.stdout.text().is_ok_and(|text| text.contains(REPLACED))
    }

    /// Returns whether a program of text has another input.
    async fn has_other_bytes(&self, context: &BuiltinContext<'_>) -> bool {
        let is_other = |bytes: &[u8]| str::from_utf8(bytes).is_err();
        let mut has_other = context.stdin.is_some_and(|it| is_other(it.as_bytes()));
        for path in context.args.iter().filter(|_| self.0 != "tee") {
            let read = context.fs.read_file(&context.cwd.join(path)).await;
            has_other |= read.is_ok_and(|bytes| is_other(&bytes));
        }
        has_other
    }
}

#[async_trait]
impl Builtin for Checked {
    async fn execute(&self, context: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        let name = self.0;
        let fails = |reason| Ok(ExecResult::err(format!("{name}: {reason}\n"), 1));
        let no_text = || "bytes that are no text would change; use cat, cp or dd".to_owned();
        if OF_TEXT.contains(&name) && self.has_other_bytes(&context).await {
            return fails(no_text());
        }
        let limits = context.execution_extension::<ExecutionLimits>();
        let limits = limits.and_then(|it| it.try_with(Clone::clone).ok()).unwrap_or_default();
        // A pipe takes more than a host is shown.
        let limits = limits.max_stdout_bytes(PRINTED);
        let quoted = |arg: &String| format!(" {}", shell_word(arg));
        let command = name.to_owned() + &context.args.iter().map(quoted).collect::<String>();
        let input = context.stdin.cloned().unwrap_or_default();
        let args = context.args;
        let shell = Bash::builder().fs(context.fs).cwd(context.cwd.clone()).limits(limits);
        let mut shell = shell.build();
        let result = match shell.exec_with_options(&command, ExecOptions::new().stdin(input)).await
        {
            Err(error @ (Error::ResourceLimit(_) | Error::Cancelled)) => return Err(error),
            Err(error) => return fails(error.to_string()),
            Ok(result) if self.has_replaced(args, &result) => return fails(no_text()),
            Ok(result) => result,
        };
        let long = || {
            (name == "bc" && has_long_number(&result)).then(|| format!("{DIGITS} digits of `bc`"))
        };
        let cut = || result.stdout_truncated.then(|| format!("{PRINTED} bytes of `{name}`"));
        match reported(&result).or_else(long).or_else(cut) {
            Some(limit) => Err(reached(&limit)),
            None => Ok(result),
        }
    }
}
