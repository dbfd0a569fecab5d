//! The skills that a shell mounts, in the order in which it mounts them.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use extension_points::kitchen;
use prowess::Error;
use prowess::shell::{InMemoryShell, ShellPolicy};

fn main() -> Result<(), Error> {
    let shell = InMemoryShell::new(ShellPolicy::default());
    let runtime = kitchen().build()?;
    for skill in shell.mounted_skills(&runtime.catalog()) {
        println!("{}: {}", skill.mount_path, skill.description);
    }
    Ok(())
}
