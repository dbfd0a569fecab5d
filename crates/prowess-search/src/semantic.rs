//! Ranking by meaning: texts as vectors, and the angle between them.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked, Ranker, Record};

use crate::Hit;
use crate::hit::{first, ranked};
use crate::per_catalog::PerCatalog;
use crate::query::cut;
use crate::top::Top;

/// From how many skills on their common direction is taken away; a few skills have none.
const FEW: usize = 16;

/// Makes vectors of texts, such that texts of like meaning point the same way.
///
/// # Behavior
///
/// - A vector has [`Embedder::dimensions`] numbers.
/// - The same text gives the same vector, from any thread and at any time.
/// - A text of which nothing is understood gives zeros.
pub trait Embedder: Send + Sync {
    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// The vector of a text, of any length.
    fn embed(&self, text: &str) -> Vec<f32>;
}

/// Ranks by the cosine between the query and each skill's name, tags and description.
///
/// The vectors of a catalog are computed at the first search and cached per catalog: four bytes for
/// each dimension of each skill. A query is compared with all of them. It finds what is meant
/// rather than what is named, and misses names that the model has never seen: join it with a
/// [`Searcher`](crate::Searcher) by [`Fused`](crate::Fused).
pub struct Semantic {
    embedder: Arc<dyn Embedder>,
    spaces: PerCatalog<Space>,
}

impl Semantic {
    /// A ranker over the vectors of `embedder`.
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder, spaces: PerCatalog::default() }
    }
}

impl std::fmt::Debug for Semantic {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Semantic({} dimensions)", self.embedder.dimensions())
    }
}

impl Ranker for Semantic {
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>> {
        let limit = limit.min(catalog.len());
        if limit == 0 || query.trim().is_empty() {
            return ranked(catalog, first(limit));
        }
        let embedder = self.embedder.as_ref();
        let space = self.spaces.of(catalog, |catalog| Space::new(embedder, catalog));
        ranked(catalog, space.top(unit(embedder, cut(query)), limit))
    }

    fn prepare(&self, next: &Arc<Catalog>, current: &Catalog) {
        let embedder = self.embedder.as_ref();
        self.spaces.prepare(next, current, |catalog| Space::new(embedder, catalog));
    }
}

/// The skills of one catalog as points.
#[derive(Debug)]
struct Space {
    /// The mean direction of all skills. All of them describe what to do and when; without this
    /// common part, a vector holds what is specific to its skill.
    common: Vec<f32>,
    /// One unit vector after the other, by position; zeros for a text of which nothing is
    /// understood.
    vectors: Vec<f32>,
}

impl Space {
    fn new(embedder: &dyn Embedder, catalog: &Catalog) -> Self {
        let dimensions = embedder.dimensions();
        let mut vectors = Vec::with_capacity(dimensions * catalog.len());
        for skill in catalog.skills() {
            vectors.append(&mut unit(embedder, &text(skill)));
        }
        let mut common = vec![0.0; dimensions];
        if catalog.len() >= FEW {
            for vector in vectors.chunks_exact(dimensions.max(1)) {
                add(&mut common, vector, 1.0);
            }
        }
        scale(&mut common);
        for vector in vectors.chunks_exact_mut(dimensions.max(1)) {
            without(&common, vector);
        }
        Self { common, vectors }
    }

    fn top(&self, mut query: Vec<f32>, limit: usize) -> Vec<Hit> {
        without(&self.common, &mut query);
        let mut top = Top::new(limit);
        for (position, vector) in self.vectors.chunks_exact(self.common.len().max(1)).enumerate() {
            let score = dot(vector, &query);
            if score > top.bar() {
                top.push(Hit { position, score });
            }
        }
        top.finish()
    }
}

/// Everything that a skill says of itself.
fn text(skill: Record<'_>) -> String {
    let mut text = [skill.name(), " ", skill.description()].concat();
    for tag in skill.tags() {
        text.push(' ');
        text.push_str(tag);
    }
    text
}

/// Takes the part that points along `common` away and makes what is left a unit vector again.
fn without(common: &[f32], vector: &mut [f32]) {
    let along = dot(vector, common);
    add(vector, common, -along);
    scale(vector);
}

/// Makes a vector as long as 1. What has no direction becomes zeros, which are like nothing.
fn scale(vector: &mut [f32]) {
    /// Below this, what is left is the rounding of what was taken away.
    const LEAST: f32 = 1e-5;
    let length = dot(vector, vector).sqrt();
    let is_direction = length.is_finite() && length > LEAST;
    for number in vector {
        *number = if is_direction { *number / length } else { 0.0 };
    }
}

/// Returns the unit vector of a text, with the number of dimensions that the embedder promises.
fn unit(embedder: &dyn Embedder, text: &str) -> Vec<f32> {
    let mut vector = embedder.embed(text);
    vector.resize(embedder.dimensions(), 0.0);
    scale(&mut vector);
    vector
}

fn add(sum: &mut [f32], vector: &[f32], share: f32) {
    for (sum, number) in sum.iter_mut().zip(vector) {
        *sum += share * number;
    }
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
