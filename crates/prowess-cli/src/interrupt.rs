//! The signals that end a program, as the end of what it runs.

use std::ffi::{OsString, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use prowess::Cancel;
use signal_hook::consts::{SIGHUP, TERM_SIGNALS};
use signal_hook::flag::{register, register_conditional_default, register_conditional_shutdown};

/// The exit code of a program that the user interrupted, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Whether a server is still starting.
static IS_STARTING: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Keeps `SIGHUP` from ending a server that is still starting, and lets the signals that end
/// programs end it as they do later: with success. Whatever was signalled until its own handler is
/// installed is answered by its first scan. For any other command, the signals stay what they are.
///
/// Before this program itself runs, no handler can be installed, and the signals end it.
pub(crate) fn begin_server() {
    #[cfg(unix)]
    if command(std::env::args_os().skip(1)).is_some_and(|command| command == "serve") {
        use signal_hook::consts::{SIGINT, SIGTERM};
        // Without a handler, the signals end this program, as they always did.
        let _ = register(SIGHUP, Arc::default());
        IS_STARTING.store(true, Ordering::SeqCst);
        for signal in [SIGINT, SIGTERM] {
            let _ = register_conditional_shutdown(signal, 0, Arc::clone(&IS_STARTING));
        }
    }
}

/// Leaves the signals to the handlers of the server, which are installed.
pub(crate) fn has_started() {
    IS_STARTING.store(false, Ordering::SeqCst);
}

/// The options with a value that may precede a command.
const WITH_VALUE: [&str; 9] = [
    "-C", "--color", "--config", "--dynamic", "--format", "--plugin", "--preset", "--root", "--set",
];

/// Returns the command of a command line, which takes longer to parse as a whole.
pub(crate) fn command(mut arguments: impl Iterator<Item = OsString>) -> Option<OsString> {
    loop {
        let argument = arguments.next()?;
        if !argument.as_encoded_bytes().starts_with(b"-") {
            return Some(argument);
        }
        // Of short options in one word, the first with a value has the rest of the word.
        let bytes = argument.as_encoded_bytes();
        let ends_short = bytes.get(1) != Some(&b'-')
            && bytes.iter().position(|it| *it == b'C') == bytes.len().checked_sub(1);
        if ends_short || WITH_VALUE.iter().any(|option| argument == *option) {
            arguments.next();
        }
    }
}

/// Cancels a run at the signals that end a program: a second one ends this program at once, and
/// with it what it runs.
pub(crate) struct Interrupt {
    flag: Arc<AtomicBool>,
    pub(crate) cancel: Cancel,
}

impl Interrupt {
    pub(crate) fn watch() -> Self {
        Self::watch_all(TERM_SIGNALS)
    }

    /// Watches for the end of the terminal, too, at which a person is asked.
    pub(crate) fn watch_at_terminal() -> Self {
        Self::watch_all(&[TERM_SIGNALS, &[SIGHUP]].concat())
    }

    fn watch_all(signals: &[c_int]) -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in signals {
            // Without a handler, the signal ends this program, and with it what it runs.
            let _ = register_conditional_shutdown(*signal, INTERRUPTED.into(), Arc::clone(&flag));
            let _ = register(*signal, Arc::clone(&flag));
        }
        let polled = Arc::clone(&flag);
        let cancel = Cancel::with_poll(move || polled.load(Ordering::Relaxed));
        Self { flag, cancel }
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

/// Whether no work is in progress that is cancelled before a signal ends this program.
static IS_IDLE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let is_idle = Arc::new(AtomicBool::new(true));
    for signal in TERM_SIGNALS {
        let _ = register_conditional_default(*signal, Arc::clone(&is_idle));
    }
    is_idle
});

/// Does work that starts programs, such as git: the signals that end this program, and would leave
/// them behind, cancel the work.
pub(crate) fn cancelling<T>(work: impl FnOnce(&Cancel) -> T) -> T {
    IS_IDLE.store(false, Ordering::SeqCst);
    let done = work(&Interrupt::watch().cancel);
    IS_IDLE.store(true, Ordering::SeqCst);
    done
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, CommandFactory as _};

    use super::{WITH_VALUE, command};
    use crate::args::Args;

    #[test]
    fn command_is_the_one_that_is_parsed() {
        let check = |line: &str, expected: Option<&str>| {
            let found = command(line.split(' ').map(Into::into));
            assert_eq!(found.as_deref(), expected.map(str::as_ref), "{line}");
        };
        check("serve --quiet", Some("serve"));
        check("-q -C serve list", Some("list"));
        check("--set=a=serve --no-cache --config serve serve", Some("serve"));
        check("-qC serve -Cserve list", Some("list"));
        check("-Cx -qCC serve", Some("serve"));
        check("explain serve", Some("explain"));
        check("--root serve", None);
        let program = Args::command();
        let options = program.get_arguments();
        for option in
            options.filter(|it| matches!(it.get_action(), ArgAction::Set | ArgAction::Append))
        {
            let short = option.get_short().map(|short| format!("-{short}"));
            let name = short.unwrap_or_else(|| format!("--{}", option.get_long().expect("a name")));
            assert!(WITH_VALUE.contains(&&*name), "{name} has a value");
        }
    }
}
