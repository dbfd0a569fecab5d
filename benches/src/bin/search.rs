//! Prints what a search costs at several sizes, and what its index holds on the heap.
//!
//! `search [ROUNDS]`: 5 rounds without it. With the feature `compare`, another engine answers the
//! same queries in turn.

#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::alloc::System;
use std::sync::Arc;
use std::time::Duration;

use benches::measure::{cpu_time, least};
use benches::queries::{catalog, misspelt, queries};
use benches::table::{alone, beside, microseconds, milliseconds};
use prowess_core::Catalog;
use prowess_search::SearchIndex;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many skills.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// How many queries, each of one to four words.
const QUERIES: usize = 200;
/// How many hits are asked for.
const LIMIT: usize = 10;
/// How many microseconds a query may take at most at each size.
const MOST: [f64; 3] = [10.0, 50.0, 300.0];

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    for (count, most) in SIZES.into_iter().zip(MOST) {
        measure(&catalog(count), rounds, most);
    }
}

fn measure(catalog: &Arc<Catalog>, rounds: usize, most: f64) {
    let before = Region::new(ALLOCATOR);
    let (index, build) = cpu_time(|| SearchIndex::build(catalog));
    let held = before.change();
    let bytes = held.bytes_allocated.saturating_sub(held.bytes_deallocated) / catalog.len();
    let other = other::Engine::new(catalog);
    let (queries, misspelt) = (queries(QUERIES), misspelt(QUERIES));
    let mine = |queries: &[String]| -> usize {
        queries.iter().map(|query| index.top(query, LIMIT).len()).sum()
    };
    let [plain, unknown, others] = least(
        rounds,
        [&mut || mine(&queries), &mut || mine(&misspelt), &mut || {
            queries.iter().map(|query| other.top(query, LIMIT)).sum()
        }],
    );
    let each = |time: Duration| time / u32::try_from(QUERIES).expect("a few hundred");
    let count = catalog.len();
    let row = |what, value, unit, most| println!("{}", alone(what, count, value, unit, most));
    row("search query", microseconds(each(plain)), "µs", Some(most));
    row("search query with a typo", microseconds(each(unknown)), "µs", None);
    if other::IS_THERE {
        println!(
            "{}",
            beside(
                "search query, compared with tantivy",
                count,
                each(plain),
                each(others),
                Some(1.0)
            )
        );
    }
    row("build the search index", milliseconds(build), "ms", None);
    row("search index, per skill", bytes as f64, "B", Some(450.0));
}

#[cfg(not(feature = "compare"))]
mod other {
    use prowess_core::Catalog;

    pub(crate) const IS_THERE: bool = false;

    /// Stands where the other engine would.
    pub(crate) struct Engine;

    impl Engine {
        pub(crate) fn new(_: &Catalog) -> Self {
            Self
        }

        #[expect(clippy::unused_self, reason = "the other engine needs it")]
        pub(crate) fn top(&self, _: &str, _: usize) -> usize {
            0
        }
    }
}

#[cfg(feature = "compare")]
mod other {
    use prowess_core::Catalog;
    use tantivy::collector::TopDocs;
    use tantivy::query::{BooleanQuery, Query, TermQuery};
    use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
    use tantivy::tokenizer::{
        Language, LowerCaser, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer,
    };
    use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term};

    pub(crate) const IS_THERE: bool = true;

    const WORDS: &str = "words";
    const BUFFER_BYTES: usize = 100_000_000;

    /// One field of the name twice, the tags and the description, stemmed and without stopwords.
    pub(crate) struct Engine {
        searcher: Searcher,
        field: Field,
        words: TextAnalyzer,
    }

    impl Engine {
        pub(crate) fn new(catalog: &Catalog) -> Self {
            let mut schema = Schema::builder();
            let indexing = TextFieldIndexing::default()
                .set_tokenizer(WORDS)
                .set_index_option(IndexRecordOption::WithFreqs);
            let field = schema
                .add_text_field("text", TextOptions::default().set_indexing_options(indexing));
            let index = Index::create_in_ram(schema.build());
            let words = words();
            index.tokenizers().register(WORDS, words.clone());
            let mut writer: IndexWriter =
                index.writer_with_num_threads(1, BUFFER_BYTES).expect("there is memory");
            for skill in catalog.skills() {
                let mut document = TantivyDocument::default();
                let tags: Vec<_> = skill.tags().collect();
                let name = skill.name();
                let text = format!("{name} {name} {} {}", tags.join(" "), skill.description());
                document.add_text(field, text);
                writer.add_document(document).expect("it is indexed");
            }
            writer.commit().expect("it is written");
            let segments = index.searchable_segment_ids().expect("there are segments");
            if segments.len() > 1 {
                writer.merge(&segments).wait().expect("they are merged");
            }
            writer.wait_merging_threads().expect("nothing is left to do");
            let searcher = index.reader().expect("it can be read").searcher();
            Self { searcher, field, words }
        }

        pub(crate) fn top(&self, query: &str, limit: usize) -> usize {
            let mut terms: Vec<Box<dyn Query>> = Vec::new();
            let mut words = self.words.clone();
            words.token_stream(query).process(&mut |token| {
                let term = Term::from_field_text(self.field, &token.text);
                terms.push(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)));
            });
            let query = BooleanQuery::union(terms);
            let top = TopDocs::with_limit(limit).order_by_score();
            self.searcher.search(&query, &top).expect("it is searched").len()
        }
    }

    fn words() -> TextAnalyzer {
        TextAnalyzer::builder(SimpleTokenizer::default())
            .filter(LowerCaser)
            .filter(StopWordFilter::new(Language::English).expect("English is known"))
            .filter(Stemmer::new(Language::English))
            .build()
    }
}
