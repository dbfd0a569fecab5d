//! Deterministic pseudo-random numbers.

/// A stream of numbers that depends on its seed alone. SplitMix64: small, fast, and the same on
/// every machine and in every version.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates the stream of this seed and number. Each number has its own stream, so that a corpus
    /// can be extended.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut random = Self { state: seed ^ number.wrapping_mul(0xA076_1D64_78BD_642F) };
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        usize::try_from(self.next() % bound).expect("it is below a usize")
    }

    /// Returns one of these.
    pub fn choose<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// Returns a length from one of several adjacent bands, given as `(share in percent, width)`.
    pub(crate) fn length(&mut self, bands: &[(usize, usize)]) -> usize {
        let mut draw = self.below(100);
        let mut low = 0;
        for &(share, width) in bands {
            if draw < share {
                return low + self.below(width) + 1;
            }
            draw -= share;
            low += width;
        }
        low
    }
}
