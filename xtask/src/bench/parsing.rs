//! Instructions per frontmatter, compared with another crate that reads YAML.

use std::path::Path;

use super::{SIZES, each, instructions};
use crate::process::{Failure, built};

/// The readers; the others are printed as multiples of the first one.
const READERS: [&str; 2] = ["prowess-format", "yaml_serde"];

/// Prints the instructions of each reader per frontmatter, without those that generate the
/// frontmatters.
pub(super) fn count() -> Result<(), Failure> {
    let parse = built("dist", "parse")?;
    let nothing = of_reader(&parse, "nothing")?;
    let mut ours = None;
    for reader in READERS {
        let own = of_reader(&parse, reader)? - nothing;
        let times = own / *ours.get_or_insert(own);
        println!("user instructions a frontmatter, {reader}: {own:.0} ({times:.1} times)");
    }
    Ok(())
}

fn of_reader(parse: &Path, reader: &str) -> Result<f64, Failure> {
    let mut counts = [0; 2];
    for (count, size) in counts.iter_mut().zip(SIZES) {
        *count = instructions(parse, &[reader.as_ref(), size.to_string().as_ref()])?;
    }
    Ok(each(counts))
}
