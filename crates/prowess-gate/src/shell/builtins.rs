//! The builtins of shells, by what they do with their arguments.

/// Builtins that evaluate their arguments, run them, or change what later words of the same or of a
/// later command mean: those of other shells that are known to evaluate, and all of bash and of
/// POSIX shells except `: cd echo exit false kill popd pushd pwd true umask`, which take their
/// arguments as they are, and those that [`evaluating`] reads.
const EVALUATING: [&str; 60] = [
    ".", "alias", "autoload", "bg", "bind", "break", "builtin", "caller", "command", "compgen",
    "complete", "compopt", "continue", "coproc", "declare", "dirs", "disown", "emulate", "enable",
    "eval", "exec", "export", "fc", "fg", "functions", "getopts", "hash", "help", "history",
    "integer", "jobs", "let", "local", "logout", "mapfile", "nameref", "nocorrect", "noglob",
    "print", "read", "readarray", "readonly", "return", "set", "setopt", "shift", "shopt",
    "source", "suspend", "time", "times", "trap", "type", "typeset", "ulimit", "unalias", "unset",
    "unsetopt", "wait", "zmodload",
];

/// The operators of `test` whose operands some shells evaluate as arithmetic.
const ARITHMETIC: [&str; 6] = ["-eq", "-ge", "-gt", "-le", "-lt", "-ne"];

/// Returns the name of the command if it is a builtin that may evaluate these arguments.
pub(super) fn evaluating(words: &[String]) -> Option<&str> {
    let (name, arguments) = words.split_first()?;
    let is_evaluating = match name.as_str() {
        "test" | "[" => test_evaluates(arguments),
        "printf" => printf_evaluates(arguments),
        // `%1` resumes a job.
        name => name.starts_with('%') || EVALUATING.contains(&name),
    };
    is_evaluating.then_some(name)
}

/// `-v NAME[…]` and `-R NAME[…]` evaluate the subscript.
fn test_evaluates(arguments: &[String]) -> bool {
    let is_arithmetic = arguments.iter().any(|word| ARITHMETIC.contains(&word.as_str()));
    arguments.iter().any(|word| {
        matches!(word.as_str(), "-v" | "-R") || (is_arithmetic && word.contains(['[', '(']))
    })
}

/// `-v NAME[…]` evaluates the subscript, and the format `%n` sets a variable such as `PATH`.
fn printf_evaluates(arguments: &[String]) -> bool {
    let Some(first) = arguments.first() else { return false };
    match first.strip_prefix('-') {
        Some("-") => arguments.get(1).is_some_and(|format| sets_variable(format)),
        Some(_) => true,
        None => sets_variable(first),
    }
}

fn sets_variable(format: &str) -> bool {
    let literal = format.replace("%%", "");
    let mut conversions = literal.split('%').skip(1);
    conversions.any(|conversion| conversion.trim_start_matches(is_modifier).starts_with('n'))
}

fn is_modifier(character: char) -> bool {
    character.is_ascii_digit() || "-+ #'.*hlLjztq".contains(character)
}
