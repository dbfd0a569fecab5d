//! Limits of the interpreter that a command does not see: it only reports them on the error stream,
//! which pipes and substitutions drop, or gives a part or another value without a word. A command
//! that would reach one ends instead.

use std::io::ErrorKind;

use bashkit::hooks::ToolEvent;
use bashkit::{
    Bash, Builtin, BuiltinContext, Command, CommandContext, CommandStatus, Error, ExecOptions,
    ExecResult, LimitExceeded, async_trait,
};
use prowess_text::shell_word;

/// The most lines of `seq`, and its most bytes.
const LINES: f64 = 100_000.0;
const BYTES: f64 = 1_048_576.0;
/// The most words of a range of braces, and of the ranges of one word.
const RANGE: i128 = 10_000;
const RANGES: i128 = 50_000;
/// The bytes that a read of an endless device returns.
const DEVICES: [(&str, u64); 3] =
    [("/dev/zero", 1 << 20), ("/dev/random", 8192), ("/dev/urandom", 8192)];
/// The limit of their bytes.
pub(crate) const ENDLESS: &str = "bytes of an endless device";
/// The most bytes that `yes` prints.
const YES: usize = 4 << 20;
/// The digits of a number that `bc` computes exactly.
const DIGITS: usize = 15;

/// Returns the limit that a call of a program would reach.
pub(crate) fn of_call(event: &ToolEvent) -> Option<&'static str> {
    match event.name.as_str() {
        "seq" if is_long_sequence(&event.args) => Some("lines and bytes of `seq`"),
        "head" if is_long_read(&event.args) => Some(ENDLESS),
        _ => None,
    }
}

fn is_long_sequence(args: &[String]) -> bool {
    let (mut numbers, mut width, mut around) = (Vec::new(), 0, 1);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if let Ok(number) = arg.parse::<f64>() {
            let decimals = arg.split_once('.').map_or(0, |(_, decimals)| decimals.len() + 1);
            width = width.max(format!("{number:.0}").len() + decimals);
            numbers.push(number);
        } else if arg.starts_with("-s") || arg.starts_with("-f") || arg.starts_with("--") {
            let attached = arg.split_once('=').map(|(_, value)| value);
            let attached = attached.or_else(|| arg.get(2..).filter(|_| !arg.starts_with("--")));
            let value = attached.filter(|value| !value.is_empty());
            let value = value.or_else(|| args.next().map(String::as_str)).unwrap_or_default();
            // The width of a format is a number in it.
            let number: String = value
                .chars()
                .skip_while(|it| !it.is_ascii_digit())
                .take_while(char::is_ascii_digit)
                .collect();
            around += value.len() + number.parse().unwrap_or(0);
        }
    }
    let (first, step, last) = match numbers[..] {
        [last] => (1.0, 1.0, last),
        [first, last] => (first, 1.0, last),
        [first, step, last] => (first, step, last),
        _ => return false,
    };
    let count = ((last - first) / step).floor() + 1.0;
    #[expect(clippy::cast_precision_loss, reason = "widths are small")]
    let bytes = count * (width + around) as f64;
    count > LINES || bytes > BYTES
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
        programs.any(|program| program.contains(&"head") && reads_more(&program, most))
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

/// Returns the number of words of a range that a text begins with, behind its brace.
fn range(text: &str) -> Option<i128> {
    let mut parts = text.split_once('}')?.0.split("..").map(str::parse::<i64>);
    let (first, last) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let step = parts.next().unwrap_or(Ok(1)).ok()?.unsigned_abs().max(1);
    Some(1 + (i128::from(last) - i128::from(first)).abs() / i128::from(step))
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

/// `bc`, whose numbers are those of a machine: one with more digits ends the command.
pub(crate) struct Calculator;

#[async_trait]
impl Builtin for Calculator {
    async fn execute(&self, context: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        let quoted = |arg: &String| format!(" {}", shell_word(arg));
        let command = "bc".to_owned() + &context.args.iter().map(quoted).collect::<String>();
        let input = context.stdin.cloned().unwrap_or_default();
        let mut bash = Bash::builder().fs(context.fs).cwd(context.cwd.clone()).build();
        let result = bash.exec_with_options(&command, ExecOptions::new().stdin(input)).await?;
        let is_long = |number: &str| {
            let number = number.trim_start_matches(['-', '0', '.']);
            let number = number.trim_end_matches('0').trim_end_matches('.');
            number.bytes().filter(u8::is_ascii_digit).count() > DIGITS
        };
        if result.stdout.text_lossy().lines().any(is_long) {
            return Err(reached(&format!("{DIGITS} digits of `bc`")));
        }
        Ok(result)
    }
}
