//! Does one piece of work once, for counting its system calls and instructions.
//!
//! `once generate|nothing|floor|stat|discover|reload DIRECTORY [COUNT]`

use std::path::Path;
use std::process::ExitCode;

use benches::{corpus, floor};

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
        "stat" => {
            std::hint::black_box(floor::stat_sweep(root));
        }
        "discover" => drop(std::hint::black_box(corpus::registry(root).reload())),
        "reload" => {
            let registry = corpus::registry(root);
            registry.reload();
            registry.reload();
        }
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}
