//! What became of the packages, run by run: most scans change little.

use std::ops::Range;

use super::Fate;

/// Packages one behind the other of which the same became.
pub(crate) struct Run {
    pub(crate) fate: Fate,
    pub(crate) places: Range<usize>,
}

pub(super) fn runs(fates: &[Fate]) -> impl Iterator<Item = Run> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let (fate, length) = first_run(&fates[start..])?;
        let places = start..start + length;
        start = places.end;
        Some(Run { fate, places })
    })
}

/// Where few packages changed the others are looked at many at a time.
fn first_run(fates: &[Fate]) -> Option<(Fate, usize)> {
    const MANY: usize = 64;
    let first = *fates.first()?;
    // Without an early end the loop becomes vector instructions.
    let is_all = |fates: &&[Fate]| fates.iter().fold(true, |all, fate| all & (*fate == first));
    let whole = fates.chunks_exact(MANY).take_while(is_all).count() * MANY;
    let rest = fates[whole..].iter().take_while(|fate| **fate == first).count();
    Some((first, whole + rest))
}

#[cfg(test)]
mod tests {
    use super::{Fate, runs};

    #[test]
    fn runs_are_those_that_a_look_at_each_gives() {
        for length in [0, 1, 63, 64, 65, 128, 200] {
            for odd in 0..=length {
                let of = |at| if at == odd || at == odd / 2 { Fate::Gone } else { Fate::Kept };
                let fates: Vec<_> = (0..length).map(of).collect();
                let told: Vec<_> = runs(&fates).map(|run| (run.fate, run.places.len())).collect();
                let wanted: Vec<_> =
                    fates.chunk_by(PartialEq::eq).map(|run| (run[0], run.len())).collect();
                assert!(told == wanted, "{length} with another one at {odd}");
            }
        }
    }
}
