//! Sorting ids, of which a catalog may have very many.

/// How many bytes of an id are compared at once; the four behind them say whose they are.
const STEP: usize = 12;
const POSITION_BITS: usize = 32;

/// Texts that are alike so often are compared whole.
const MOST_STEPS: usize = 8;

/// The positions of texts in the order of the texts; the position settles what is equal.
///
/// Texts are compared some bytes at a time, as numbers: comparing one text with another again and again
/// costs several times as much. Those with one first byte are put together before: sorting costs by the
/// length of what is sorted, and there are never more numbers than one group has texts.
pub(super) fn sorted<'t>(
    positions: impl Iterator<Item = u32>,
    text: impl Fn(u32) -> &'t str,
) -> Vec<u32> {
    let mut order: Vec<_> = positions.collect();
    let ends = group_by_first_byte(&mut order, &text);
    let mut keys = Vec::new();
    let mut start = 0;
    for end in ends {
        let group = &mut order[start..end];
        keys.extend(group.iter().map(|&position| key(text(position), 0, position)));
        sort(&mut keys, &text, 0);
        group.iter_mut().zip(keys.drain(..)).for_each(|(place, key)| *place = position(key));
        start = end;
    }
    order
}

/// Puts those with one first byte together, in the order of these and where they are, and says where each
/// group ends.
fn group_by_first_byte<'t>(order: &mut [u32], text: &impl Fn(u32) -> &'t str) -> [usize; 256] {
    let first_byte = |&at: &u32| text(at).as_bytes().first().copied().unwrap_or_default();
    let mut bytes: Vec<_> = order.iter().map(first_byte).collect();
    let mut ends = [0; 256];
    bytes.iter().for_each(|byte| ends[usize::from(*byte)] += 1);
    let mut next = [0; 256];
    let mut sum = 0;
    for (next, end) in next.iter_mut().zip(&mut ends) {
        *next = sum;
        sum += *end;
        *end = sum;
    }
    for group in 0..256 {
        while next[group] < ends[group] {
            let here = next[group];
            let place = &mut next[usize::from(bytes[here])];
            order.swap(here, *place);
            bytes.swap(here, *place);
            *place += 1;
        }
    }
    ends
}

/// Sorts by the bytes from `start` on; those before it are alike. Of the numbers only the positions are
/// of use afterwards.
fn sort<'t>(keys: &mut [u128], text: &impl Fn(u32) -> &'t str, start: usize) {
    keys.sort_unstable();
    let text_of = |key: &u128| text(position(*key));
    let next = start + STEP;
    for alike in keys.chunk_by_mut(|one, other| one >> POSITION_BITS == other >> POSITION_BITS) {
        let is_over = |key: &u128| text_of(key).len() <= next;
        if alike.len() == 1 || alike.iter().all(is_over) {
            continue;
        }
        if next < STEP * MOST_STEPS {
            alike.iter_mut().for_each(|at| *at = key(text_of(at), next, position(*at)));
            sort(alike, text, next);
        } else {
            alike.sort_by(|one, other| text_of(one).cmp(text_of(other)));
        }
    }
}

/// The position in a key.
fn position(key: u128) -> u32 {
    u32::try_from(key & u128::from(u32::MAX)).expect("it is masked")
}

/// Twelve bytes of a text and its position, as one number. A text that ends comes before one that goes on,
/// as no id holds a NUL.
fn key(text: &str, start: usize, position: u32) -> u128 {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let mut bytes = [0; 16];
    let length = rest.len().min(STEP);
    bytes[..length].copy_from_slice(&rest[..length]);
    bytes[STEP..].copy_from_slice(&position.to_be_bytes());
    u128::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn texts_are_in_the_order_of_their_bytes() {
        let mut texts = vec!["", "a", "translation", "translation-", "translation-a", "über"];
        texts.extend(["translation-of-long-names-1", "translation-of-long-names-12"]);
        texts.extend(["translation-of-long-names-2", "translation-of-long", "zebra", "\u{10ffff}"]);
        let long = "long-".repeat(40);
        let longer = long.clone() + "er";
        texts.extend([&*longer, &*long]);
        let mixed: Vec<_> = (0..texts.len()).map(|at| texts[at * 5 % texts.len()]).collect();
        let order =
            sorted(0..u32::try_from(mixed.len()).expect("they are few"), |at| mixed[at as usize]);
        let found: Vec<_> = order.iter().map(|&at| mixed[at as usize]).collect();
        texts.sort_unstable();
        assert_eq!(found, texts);
    }

    #[test]
    fn equal_texts_keep_their_order() {
        let text = |at| if at == 2 { "other" } else { "same-name-in-two-places" };
        assert_eq!(sorted([3, 2, 1].into_iter(), text), [2, 1, 3]);
    }
}
