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
/// length of what is sorted.
pub(super) fn sorted<'t>(
    positions: impl Iterator<Item = u32>,
    text: impl Fn(u32) -> &'t str,
) -> Vec<u32> {
    let mut keys = by_first_byte(positions, &text);
    let mut order = Vec::with_capacity(keys.len());
    for group in keys.chunk_by_mut(|one, other| first_byte(*one) == first_byte(*other)) {
        sort(group, &text, 0, &mut order);
    }
    order
}

/// The keys of texts, those with one first byte together and in the order of these. Each text is looked at
/// once: the keys are put together where they are.
fn by_first_byte<'t>(
    positions: impl Iterator<Item = u32>,
    text: &impl Fn(u32) -> &'t str,
) -> Vec<u128> {
    let mut keys = Vec::with_capacity(positions.size_hint().1.unwrap_or_default());
    keys.extend(positions.map(|position| key(text(position), 0, position)));
    let mut ends = [0; 256];
    keys.iter().for_each(|key| ends[first_byte(*key)] += 1);
    let mut next = [0; 256];
    let mut sum = 0;
    for (next, end) in next.iter_mut().zip(&mut ends) {
        *next = sum;
        sum += *end;
        *end = sum;
    }
    for byte in 0..256 {
        while next[byte] < ends[byte] {
            let here = next[byte];
            let group = first_byte(keys[here]);
            keys.swap(here, next[group]);
            next[group] += 1;
        }
    }
    keys
}

fn first_byte(key: u128) -> usize {
    usize::from(key.to_be_bytes()[0])
}

/// Sorts by the bytes from `start` on; those before it are alike.
fn sort<'t>(keys: &mut [u128], text: &impl Fn(u32) -> &'t str, start: usize, order: &mut Vec<u32>) {
    keys.sort_unstable();
    let text_of = |key: &u128| text(position(*key));
    let next = start + STEP;
    for alike in keys.chunk_by(|one, other| one >> POSITION_BITS == other >> POSITION_BITS) {
        let is_over = |key: &u128| text_of(key).len() <= next;
        if alike.len() == 1 || alike.iter().all(is_over) {
            order.extend(alike.iter().map(|key| position(*key)));
        } else if next < STEP * MOST_STEPS {
            let rest = alike.iter().map(|at| key(text_of(at), next, position(*at)));
            sort(&mut rest.collect::<Vec<_>>(), text, next, order);
        } else {
            let mut rest = alike.to_vec();
            rest.sort_by(|one, other| text_of(one).cmp(text_of(other)));
            order.extend(rest.iter().map(|key| position(*key)));
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
