//! Views of the records of a catalog.

use prowess_format::Rules;
use serde::{Serialize, Serializer};

use super::{Catalog, RecordIndex};
use crate::{
    Availability, Conditions, EstimatedTokens, Layer, PackagePath, Stamp, TokenCounter, Trust,
};

/// A view of one skill in a catalog. It is cheap to copy; its texts are stored in the catalog.
///
/// Serialises as the JSON output of the command line: `{id, name, description, location, layer,
/// source, trust, tags, tokens, state}`, with `reason` unless the state is `visible`, and `version`
/// if there is one.
#[derive(Clone, Copy)]
pub struct Record<'c> {
    catalog: &'c Catalog,
    index: RecordIndex,
    availability: Availability,
    reason: Option<&'c str>,
}

impl<'c> Record<'c> {
    /// Creates the view of a record that is offered.
    pub(crate) fn new(catalog: &'c Catalog, index: RecordIndex) -> Self {
        Self { catalog, index, availability: Availability::Offered, reason: None }
    }

    /// Creates the view of a record that is not offered, for this reason.
    pub(crate) fn excluded(
        catalog: &'c Catalog,
        index: RecordIndex,
        availability: Availability,
        reason: &'c str,
    ) -> Self {
        Self { catalog, index, availability, reason: Some(reason) }
    }

    /// Returns the rules that it was made by, and for parsing its `SKILL.md`.
    pub fn rules(&self) -> &'c Rules {
        &self.catalog.resolved.rules[self.rank()]
    }

    /// Returns the id, as a model writes it; unique among the visible records of a catalog.
    pub fn id(&self) -> &'c str {
        self.catalog.id(self.index)
    }

    /// Returns the id that the skill would have if no other skill had the same. It differs from
    /// [`Self::id`] only if the policy renames colliding skills.
    pub fn base_id(&self) -> &'c str {
        self.catalog.base_id(self.index)
    }

    /// Returns an id by which exactly this skill can be loaded: its own if that is unambiguous,
    /// otherwise a qualified one such as `project:pdf`. Returns `None` if there is no such id.
    pub fn qualified_id(&self) -> Option<String> {
        self.catalog.qualified_id(*self)
    }

    /// Returns the declared name.
    pub fn name(&self) -> &'c str {
        self.catalog.set(self.index).name(self.index.entry())
    }

    /// Returns the description: what the skill does and when to use it.
    pub fn description(&self) -> &'c str {
        self.catalog.set(self.index).description(self.index.entry())
    }

    /// Iterates over the tags, which are used to filter and search.
    pub fn tags(&self) -> impl Iterator<Item = &'c str> + use<'c> {
        self.catalog.set(self.index).tags(self.index.entry())
    }

    /// Returns the priority, which resolves collisions inside a layer; the higher wins.
    pub fn priority(&self) -> i16 {
        self.catalog.set(self.index).priority(self.index.entry())
    }

    /// Returns the author's version of the skill, from `metadata.version`.
    pub fn version(&self) -> Option<&'c str> {
        self.catalog.set(self.index).version(self.index.entry())
    }

    /// Returns the skill's conditions: when it is offered, and to which audience.
    pub fn conditions(&self) -> Option<&'c Conditions> {
        self.catalog.set(self.index).conditions(self.index.entry()).map(AsRef::as_ref)
    }

    /// Returns whether a model is shown the name without the description.
    pub fn is_name_only(&self) -> bool {
        self.catalog.is_name_only(self.index)
    }

    /// Returns the missing requirement, such as a program, whether or not another rule excludes the
    /// skill too. Returns `None` if nothing is missing.
    pub fn missing_requirement(&self) -> Option<&'c str> {
        self.catalog.missing_requirement(self.index)
    }

    /// Returns the stamp of the version that was read, if the source can distinguish versions.
    pub fn stamp(&self) -> Option<Stamp> {
        self.catalog.set(self.index).stamp(self.index.entry())
    }

    /// Returns the package's path in its source.
    pub fn package(&self) -> PackagePath {
        PackagePath::from_normal(self.catalog.set(self.index).package(self.index.entry()))
    }

    /// Returns the name of the skill's file: `SKILL.md`, or `skill.md` if that is the only one.
    pub fn file(&self) -> &'static str {
        self.catalog.set(self.index).file(self.index.entry())
    }

    /// Returns the package's directory as an absolute path or URL.
    pub fn root_directory(&self) -> String {
        let root = self.catalog.source(self.index).source.root();
        match self.catalog.set(self.index).package(self.index.entry()) {
            "" => root.to_owned(),
            package => [root.trim_end_matches('/'), "/", package].concat(),
        }
    }

    /// Returns a clause about the package, if it is a copy that a source has placed, such as that
    /// of a lock file, and its files have changed since: a model must not get it unannounced.
    pub fn altered(&self) -> Option<String> {
        let directory = self.root_directory();
        self.catalog.sources().iter().find_map(|it| it.source.altered(self.id(), &directory))
    }

    /// Returns the name of the package's directory.
    pub fn directory(&self) -> &'c str {
        let package = self.catalog.set(self.index).package(self.index.entry());
        let root = self.catalog.source(self.index).source.root();
        let path = if package.is_empty() { root.trim_end_matches('/') } else { package };
        path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the path of the `SKILL.md`, absolute or as a URL.
    pub fn location(&self) -> String {
        let mut location = String::new();
        self.push_location(&mut location);
        location
    }

    /// Appends the [`Self::location`] to a string, which avoids an allocation.
    pub fn push_location(&self, target: &mut String) {
        let root = self.catalog.source(self.index).source.root().trim_end_matches('/');
        let package = self.catalog.set(self.index).package(self.index.entry());
        let separator = if package.is_empty() { "" } else { "/" };
        let parts = [root, separator, package, "/", self.file()];
        target.reserve(parts.iter().map(|part| part.len()).sum());
        parts.iter().for_each(|part| target.push_str(part));
    }

    /// Returns whether this is its [`Self::location`], without allocating.
    pub fn is_at(&self, location: &str) -> bool {
        let root = self.catalog.source(self.index).source.root().trim_end_matches('/');
        let package = self.catalog.set(self.index).package(self.index.entry());
        let inside = location.strip_prefix(root).and_then(|inside| inside.strip_prefix('/'));
        let inside = inside.and_then(|inside| inside.strip_suffix(self.file()));
        let Some(directory) = inside else { return false };
        directory.strip_suffix('/').unwrap_or(directory) == package
            && directory.ends_with('/') != package.is_empty()
    }

    /// Returns the layer of the record's source.
    pub fn layer(&self) -> &'c Layer {
        self.catalog.layer_of(self.index)
    }

    /// Returns the index of the record's layer in the catalog; 0 is the highest.
    pub fn rank(&self) -> usize {
        self.catalog.source(self.index).layer
    }

    /// Returns the name of the record's source.
    pub fn source(&self) -> &'c str {
        self.catalog.source(self.index).source.name()
    }

    /// Returns the trust level of the record's layer.
    pub fn trust(&self) -> Trust {
        self.layer().trust
    }

    /// Estimates the tokens that the name, and the description if it is shown, cost in each turn.
    pub fn tokens(&self) -> usize {
        let description = if self.is_name_only() { "" } else { self.description() };
        EstimatedTokens.count(self.name()) + EstimatedTokens.count(description)
    }

    /// Returns whether the skill is offered to a model.
    pub fn availability(&self) -> Availability {
        self.availability
    }

    /// Returns the reason why the skill is not offered; `None` if it is offered.
    pub fn reason(&self) -> Option<&'c str> {
        self.reason
    }

    /// Returns the record's position in its catalog.
    pub fn index(&self) -> RecordIndex {
        self.index
    }
}

impl std::fmt::Debug for Record<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Record({:?}, {})", self.id(), self.availability.as_str())
    }
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape<'a> {
            id: &'a str,
            name: &'a str,
            description: &'a str,
            location: String,
            layer: &'a str,
            source: &'a str,
            trust: Trust,
            tags: Vec<&'a str>,
            tokens: usize,
            state: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            reason: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            version: Option<&'a str>,
        }
        Shape {
            id: self.id(),
            name: self.name(),
            description: self.description(),
            location: self.location(),
            layer: &self.layer().name,
            source: self.source(),
            trust: self.trust(),
            tags: self.tags().collect(),
            tokens: self.tokens(),
            state: self.availability.as_str(),
            reason: self.reason,
            version: self.version(),
        }
        .serialize(serializer)
    }
}
