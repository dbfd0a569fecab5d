//! Sorting ids, of which a catalog may have very many.

/// How many bytes of an id are compared at once; the four behind them say whose they are.
const STEP: usize = 12;
const POSITION_BITS: usize = 32;

/// Texts that are alike so often are compared whole.
const MOST_STEPS: usize = 8;

/// A text, what is left of it to compare, and whose it is.
type Text<'t> = (u32, &'t str);

/// The positions of these texts in the order of the texts; the position settles what is equal.
///
/// Texts are compared some bytes at a time, as numbers: comparing one text with another again and again
/// costs several times as much.
pub(super) fn sorted<'t>(texts: impl Iterator<Item = Text<'t>>) -> Vec<u32> {
    let texts: Vec<Text<'t>> = texts.collect();
    let keys: Vec<_> =
        texts.iter().zip(0..).map(|((_, text), index)| key(text, 0, index)).collect();
    let mut order = Vec::with_capacity(texts.len());
    let mut keys = by_first_byte(&keys);
    for group in keys.chunk_by_mut(|one, other| first_byte(*one) == first_byte(*other)) {
        sort(group, &texts, 0, &mut order);
    }
    order
}

/// The keys, those with one first byte together and in the order of these: what is left to sort are parts
/// of a tenth, and sorting costs by the length of what is sorted.
fn by_first_byte(keys: &[u128]) -> Vec<u128> {
    let mut places = [0; 257];
    keys.iter().for_each(|key| places[first_byte(*key) + 1] += 1);
    (1..places.len()).for_each(|at| places[at] += places[at - 1]);
    let mut grouped = vec![0; keys.len()];
    for &key in keys {
        let place = &mut places[first_byte(key)];
        grouped[*place] = key;
        *place += 1;
    }
    grouped
}

fn first_byte(key: u128) -> usize {
    usize::from(key.to_be_bytes()[0])
}

/// Sorts by the bytes from `start` on; those before it are alike.
fn sort(keys: &mut [u128], texts: &[Text<'_>], start: usize, order: &mut Vec<u32>) {
    keys.sort_unstable();
    let text = |key: &u128| texts[index(*key) as usize].1;
    let next = start + STEP;
    for alike in keys.chunk_by(|one, other| one >> POSITION_BITS == other >> POSITION_BITS) {
        let is_over = |key: &u128| text(key).len() <= next;
        if alike.len() == 1 || alike.iter().all(is_over) {
            order.extend(alike.iter().map(|key| texts[index(*key) as usize].0));
        } else if next < STEP * MOST_STEPS {
            let rest = alike.iter().map(|&at| key(text(&at), next, index(at)));
            sort(&mut rest.collect::<Vec<_>>(), texts, next, order);
        } else {
            let mut rest = alike.to_vec();
            rest.sort_by(|one, other| text(one).cmp(text(other)));
            order.extend(rest.iter().map(|key| texts[index(*key) as usize].0));
        }
    }
}

/// The number in a key.
fn index(key: u128) -> u32 {
    u32::try_from(key & u128::from(u32::MAX)).expect("it is masked")
}

/// Twelve bytes of a text and its number, as one number. A text that ends comes before one that goes on,
/// as no id holds a NUL.
fn key(text: &str, start: usize, index: u32) -> u128 {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let mut bytes = [0; 16];
    let length = rest.len().min(STEP);
    bytes[..length].copy_from_slice(&rest[..length]);
    bytes[STEP..].copy_from_slice(&index.to_be_bytes());
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
        let order = sorted((0..).zip(mixed.iter().copied()));
        let found: Vec<_> = order.iter().map(|&at| mixed[at as usize]).collect();
        texts.sort_unstable();
        assert_eq!(found, texts);
    }

    #[test]
    fn equal_texts_keep_their_order() {
        let texts = [(3, "same-name-in-two-places"), (1, "same-name-in-two-places"), (2, "other")];
        assert_eq!(sorted(texts.into_iter()), [2, 3, 1]);
    }
}
