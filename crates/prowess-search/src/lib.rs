//! Ranks skills for a query, by an inverted index over names, tags and descriptions.
//!
//! ```
//! use std::sync::Arc;
//! use prowess_core::{Catalog, Ranker};
//! use prowess_search::Searcher;
//!
//! let searcher = Searcher::new();
//! let catalog = Arc::new(Catalog::empty());
//! assert!(searcher.rank(&catalog, "fill in a form", 5).is_empty());
//! ```
//!
//! [`SearchIndex`] is a value made of one catalog: words are stemmed, each term has a flat list of
//! the skills that have it, and a query adds up those lists by BM25. [`Searcher`] is the
//! [`Ranker`](prowess_core::Ranker) over it: it builds the index of a catalog at the first search
//! and caches it per catalog. [`search_once`] gives the same answer without an index that is kept.
//! [`StoredIndex`] reads its lists in pages, for an index in a file. [`Substring`] is the plain
//! filter. [`fuse`] joins the answers of several rankers, and
//! [`evaluate`] measures a ranker on questions with known answers; [`suggest`] proposes words for
//! the descriptions that lose.
//!
//! Words alone do not understand meaning. With the feature `semantic`, `Semantic` ranks by vectors
//! of an `Embedder`, which the host implements by a model of its choice. [`Fused`] makes one ranker
//! of several.
#![forbid(unsafe_code)]

mod abbreviations;
mod build;
mod dictionary;
mod distance;
mod evaluate;
mod exclusions;
mod fused;
mod hit;
mod index;
mod per_catalog;
mod postings;
mod query;
mod searcher;
#[cfg(feature = "semantic")]
mod semantic;
mod stopwords;
mod stored;
mod substring;
mod suggest;
mod terms;
mod top;
mod words;

pub use evaluate::{Answer, Confusion, Evaluation, Offer, Question, evaluate};
pub use fused::{Fused, fuse};
pub use hit::Hit;
pub use index::SearchIndex;
pub use prowess_core;
pub use searcher::{Searcher, search_once};
#[cfg(feature = "semantic")]
pub use semantic::{Embedder, Semantic};
pub use stored::StoredIndex;
pub use substring::Substring;
pub use suggest::{Suggestion, suggest};
