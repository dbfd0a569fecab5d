//! Tests of all bytes of a text, sixteen or thirty-two at a time.
//!
//! Nearly all texts that are encoded need no change, and this is how that is found out. A loop that
//! writes one result for each of sixteen bytes becomes a few vector instructions, if the test has
//! no branch. It counts, because `zip` is only inlined when crates are optimized together.

/// The number of bytes whose results are one vector.
const STEP: usize = 16;

/// The number of bytes of a long text that are tested at once.
const LONG_STEP: usize = 2 * STEP;

/// Returns whether the test holds for any byte.
pub(crate) fn any(bytes: &[u8], test: impl Fn(u8) -> bool) -> bool {
    let in_long = |window: &[u8; LONG_STEP]| {
        let mut found = [0; STEP];
        for index in 0..STEP {
            found[index] = u8::from(test(window[index]) | test(window[index + STEP]));
        }
        u128::from_ne_bytes(found) != 0
    };
    let in_short = |window: &[u8; STEP]| {
        let mut found = [0; STEP];
        for index in 0..STEP {
            found[index] = u8::from(test(window[index]));
        }
        u128::from_ne_bytes(found) != 0
    };
    any_window(bytes, LONG_STEP, in_long)
        .or_else(|| any_window(bytes, STEP, in_short))
        .unwrap_or_else(|| bytes.iter().any(|&byte| test(byte)))
}

/// Returns whether the test holds for any two adjacent bytes.
pub(crate) fn any_pair(bytes: &[u8], test: impl Fn(u8, u8) -> bool) -> bool {
    let in_long = |window: &[u8; LONG_STEP + 1]| {
        let mut found = [0; STEP];
        for index in 0..STEP {
            let first = test(window[index], window[index + 1]);
            let second = test(window[index + STEP], window[index + STEP + 1]);
            found[index] = u8::from(first | second);
        }
        u128::from_ne_bytes(found) != 0
    };
    let in_short = |window: &[u8; STEP + 1]| {
        let mut found = [0; STEP];
        for index in 0..STEP {
            found[index] = u8::from(test(window[index], window[index + 1]));
        }
        u128::from_ne_bytes(found) != 0
    };
    any_window(bytes, LONG_STEP, in_long)
        .or_else(|| any_window(bytes, STEP, in_short))
        .unwrap_or_else(|| bytes.windows(2).any(|pair| test(pair[0], pair[1])))
}

/// Returns whether the test holds for any window of `N` bytes, one after each `step` bytes and one
/// at the end, which may overlap. Returns `None` for fewer bytes than a window.
fn any_window<const N: usize>(
    bytes: &[u8],
    step: usize,
    test: impl Fn(&[u8; N]) -> bool,
) -> Option<bool> {
    let last = bytes.len().checked_sub(N)?;
    let mut start = 0;
    loop {
        if test(bytes[start..].first_chunk()?) {
            return Some(true);
        }
        if start == last {
            return Some(false);
        }
        start = last.min(start + step);
    }
}

/// Returns the index of the first byte for which the test holds.
pub(crate) fn position(bytes: &[u8], test: impl Fn(u8) -> bool) -> Option<usize> {
    let is_free_of_it = |chunk: &&[u8; STEP]| !any(&chunk[..], &test);
    let start = bytes.as_chunks().0.iter().take_while(is_free_of_it).count() * STEP;
    let found = bytes[start..].iter().position(|&byte| test(byte))?;
    Some(start + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks each length around the step, with the byte in each position.
    fn check(test: impl Fn(&[u8])) {
        for length in 0..=3 * LONG_STEP + 1 {
            let mut bytes = vec![b'a'; length];
            test(&bytes);
            for at in 0..length {
                bytes[at] = b'!';
                test(&bytes);
                bytes[at] = b'a';
            }
        }
    }

    #[test]
    fn any_equals_the_plain_loop() {
        check(|bytes| assert_eq!(any(bytes, |byte| byte == b'!'), bytes.contains(&b'!')));
    }

    #[test]
    fn any_pair_equals_the_plain_loop() {
        check(|bytes| {
            for pair in [b"a!", b"!a", b"aa", b"!!"] {
                let expected = bytes.windows(2).any(|window| window == pair);
                assert_eq!(any_pair(bytes, |one, next| [one, next] == *pair), expected);
            }
        });
    }

    #[test]
    fn position_equals_the_plain_loop() {
        check(|bytes| {
            let expected = bytes.iter().position(|&byte| byte == b'!');
            assert_eq!(position(bytes, |byte| byte == b'!'), expected);
        });
    }
}
