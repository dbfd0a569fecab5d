//! Does one piece of work once, for counting its system calls and instructions.
//!
//! `once generate|nothing|floor|many|stat|discover|wait|reload|settled|prompt|load DIRECTORY
//! [COUNT]`

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(feature = "turns")]
use benches::turn;
use benches::{corpus, floor};
use prowess_core::{Clock, Timestamp};

/// A clock that goes, by which a source sees that a disk is slow.
struct Watch(Instant);

impl Clock for Watch {
    fn now(&self) -> Timestamp {
        corpus::LATER
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [work, directory, rest @ ..] = arguments.as_slice() else { return ExitCode::from(2) };
    let root = Path::new(directory);
    match work.as_str() {
        "generate" => {
            let count = rest.first().and_then(|count| count.parse().ok()).unwrap_or(1_000);
            corpus::write(root, count);
        }
        "nothing" => {}
        "floor" => {
            std::hint::black_box(floor::discover(root));
        }
        "many" => {
            std::hint::black_box(floor::discover_at_once(root, 32));
        }
        "wait" => {
            let registry = corpus::registry_by(root, Arc::new(Watch(Instant::now())));
            std::mem::forget((registry.reload(), registry));
        }
        "stat" => {
            std::hint::black_box(floor::stat_sweep(root));
        }
        "discover" => {
            let registry = corpus::registry(root);
            let found = registry.reload();
            // A host keeps both as long as it runs.
            std::mem::forget((registry, found));
        }
        "reload" => {
            let registry = corpus::registry(root);
            registry.reload();
            registry.reload();
        }
        "settled" => {
            let registry = corpus::registry(root);
            registry.reload();
            registry.reload();
            registry.reload();
        }
        #[cfg(feature = "turns")]
        "prompt" => {
            let turn = turn::Conversation::new(corpus::registry(root).reload().catalog);
            std::hint::black_box(turn.prompt(None));
        }
        #[cfg(feature = "turns")]
        "load" => {
            let turn = turn::Conversation::new(corpus::registry(root).reload().catalog);
            for id in turn.some_ids(100) {
                std::hint::black_box(turn.load(&id));
            }
        }
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}
