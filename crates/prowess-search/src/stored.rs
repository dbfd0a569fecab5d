//! An index that is stored, and whose lists are read in pages.

use crate::dictionary::Dictionary;
use crate::hit::{Hit, first};
use crate::index::{SearchIndex, WINDOW, best, factor};
use crate::query::wanted;
use crate::terms::Terms;

/// The size of an entry of a list: a position in four bytes, and a weight in two.
const ENTRY_BYTES: usize = 6;

/// The number of entries of a page.
const PAGE_ENTRIES: usize = 5_460;

/// A [`SearchIndex`] whose words are in memory, and whose lists are read in pages when a query asks
/// for them. It answers as the index that it was stored from.
///
/// The bytes are untrusted: those that are no index are refused, and wrong lists give wrong hits
/// and nothing worse.
#[derive(Debug)]
pub struct StoredIndex {
    dictionary: Dictionary,
    /// Where each term's list begins, and the end of the last.
    starts: Box<[u32]>,
    skill_count: usize,
}

/// A page of entries that a list has to be read from.
struct Cursor {
    /// The entries that are left.
    next: usize,
    end: usize,
    factor: f32,
    /// The page that was read last, and its number.
    page: Vec<u8>,
    number: Option<usize>,
}

impl StoredIndex {
    /// The size of each page in bytes, except for the last one.
    pub const PAGE_BYTES: usize = PAGE_ENTRIES * ENTRY_BYTES;

    /// Reads what [`SearchIndex::stored_words`] has written; `None` if it is something else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let skill_count = take_number(&mut rest)? as usize;
        let terms = take_terms(&mut rest)?;
        let spellings = take_terms(&mut rest)?;
        let spelt = take_numbers(&mut rest, spellings.len())?;
        let starts = take_numbers(&mut rest, terms.len().checked_add(1)?)?;
        let is_term = |term: &u32| (*term as usize) < terms.len();
        let is_good = rest.is_empty() && spelt.iter().all(is_term) && starts.is_sorted();
        let dictionary = Dictionary::of(terms, spellings, spelt);
        is_good.then_some(Self { dictionary, starts, skill_count })
    }

    /// Returns the number of skills that it knows.
    pub fn len(&self) -> usize {
        self.skill_count
    }

    /// Returns whether it knows no skill.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns what [`SearchIndex::top`] returns. `read` reads the page of a number into a buffer.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`. A page that is too short ends its list.
    pub fn top<E>(
        &self,
        query: &str,
        limit: usize,
        read: impl Fn(usize, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Vec<Hit>, E> {
        let limit = limit.min(self.len());
        if limit == 0 {
            return Ok(Vec::new());
        }
        if query.trim().is_empty() {
            return Ok(first(limit));
        }
        let frequency = |term| self.range(term).len();
        let mut cursors = Vec::new();
        for wanted in wanted(&self.dictionary, frequency, query) {
            let range = self.range(wanted.term);
            let mut cursor = Cursor::new(range.start, range.end);
            let only = if range.len() == 1 { cursor.peek(&read)?.map(|it| it.1) } else { None };
            cursor.factor = factor(wanted, range.len(), self.len(), only);
            cursors.push(cursor);
        }
        best(&mut cursors, self.len(), limit, |cursor, end, scores| {
            cursor.add_until(end, scores, &read)
        })
    }

    fn range(&self, term: usize) -> std::ops::Range<usize> {
        self.starts[term] as usize..self.starts[term + 1] as usize
    }
}

impl Cursor {
    fn new(next: usize, end: usize) -> Self {
        Self { next, end, factor: 0.0, page: Vec::new(), number: None }
    }

    /// Returns the next entry.
    fn peek<E>(
        &mut self,
        read: &impl Fn(usize, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Option<(u32, u16)>, E> {
        let entries = self.entries(read)?;
        Ok(entries.first_chunk().map(entry))
    }

    /// Returns the entries of the current page that are left.
    fn entries<E>(
        &mut self,
        read: &impl Fn(usize, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<&[u8], E> {
        if self.next >= self.end {
            return Ok(&[]);
        }
        let number = self.next / PAGE_ENTRIES;
        if self.number != Some(number) {
            read(number, &mut self.page)?;
            self.number = Some(number);
        }
        let start = self.next % PAGE_ENTRIES;
        let count = (self.end - self.next).min(PAGE_ENTRIES - start);
        let page = self.page.get(start * ENTRY_BYTES..).unwrap_or_default();
        Ok(&page[..page.len().min(count * ENTRY_BYTES)])
    }

    /// Adds the scores of the list's skills before `end`; returns false if there are none.
    fn add_until<E>(
        &mut self,
        end: usize,
        scores: &mut [f32; WINDOW],
        read: &impl Fn(usize, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut is_touched = false;
        loop {
            let factor = self.factor;
            let entries = self.entries(read)?;
            let mut count = 0;
            for bytes in entries.as_chunks().0 {
                let (skill, weight) = entry(bytes);
                if skill as usize >= end {
                    break;
                }
                scores[skill as usize % WINDOW] += factor * f32::from(weight);
                count += 1;
            }
            let is_page_done = count == entries.len() / ENTRY_BYTES;
            self.next += count;
            is_touched |= count > 0;
            if count == 0 || !is_page_done {
                return Ok(is_touched);
            }
        }
    }
}

fn entry(bytes: &[u8; ENTRY_BYTES]) -> (u32, u16) {
    let [a, b, c, d, e, f] = *bytes;
    (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]))
}

impl SearchIndex {
    /// Returns the words of the index and where their lists begin, for [`StoredIndex::read`].
    pub fn stored_words(&self) -> Vec<u8> {
        let (terms, spellings, spelt) = self.dictionary.parts();
        let mut bytes = Vec::new();
        put(&mut bytes, self.len());
        for terms in [terms, spellings] {
            put(&mut bytes, terms.len());
            let texts = || (0..terms.len()).map(|number| terms.term(number));
            texts().for_each(|text| put(&mut bytes, text.len()));
            texts().for_each(|text| bytes.extend(text.as_bytes()));
        }
        spelt.iter().for_each(|term| bytes.extend(term.to_le_bytes()));
        put(&mut bytes, 0);
        (0..terms.len()).for_each(|term| put(&mut bytes, self.postings.range(term).end));
        bytes
    }

    /// Returns the lists of the index in pages of [`StoredIndex::PAGE_BYTES`].
    pub fn stored_lists(&self) -> impl Iterator<Item = Vec<u8>> {
        let skills = self.postings.skills.chunks(PAGE_ENTRIES);
        skills.zip(self.postings.weights.chunks(PAGE_ENTRIES)).map(|(skills, weights)| {
            let mut page = Vec::with_capacity(skills.len() * ENTRY_BYTES);
            for (skill, weight) in skills.iter().zip(weights) {
                page.extend(skill.to_le_bytes());
                page.extend(weight.to_le_bytes());
            }
            page
        })
    }
}

fn put(bytes: &mut Vec<u8>, number: usize) {
    let number = u32::try_from(number).expect("a catalog's texts are below 4 GiB");
    bytes.extend(number.to_le_bytes());
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_le_bytes(*number))
}

/// Takes numbers; nothing is reserved before it is known that there are so many bytes.
fn take_numbers(rest: &mut &[u8], count: usize) -> Option<Box<[u32]>> {
    let (numbers, after) = rest.split_at_checked(count.checked_mul(4)?)?;
    *rest = after;
    Some(numbers.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number)).collect())
}

fn take_terms(rest: &mut &[u8]) -> Option<Terms> {
    let count = take_number(rest)? as usize;
    let lengths = take_numbers(rest, count)?;
    let total = lengths.iter().map(|&length| length as usize).sum();
    let (text, after) = rest.split_at_checked(total)?;
    let mut text = str::from_utf8(text).ok()?;
    *rest = after;
    let mut terms = Vec::with_capacity(count);
    for &length in &lengths {
        let (term, later) = text.split_at_checked(length as usize)?;
        terms.push(term);
        text = later;
    }
    Some(Terms::new(&terms))
}
