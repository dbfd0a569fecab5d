//! What is known of one skill without its body.

use serde::{Serialize, Serializer};

use crate::catalog::RecordIndex;
use crate::{
    Availability, Catalog, Conditions, EstimatedTokens, Layer, PackagePath, Stamp, TokenCounter,
    Trust,
};

/// A view of one skill in a catalog. Copying it costs nothing; its texts live in the catalog.
///
/// Serialises to the contract of the command line: `{id, name, description, location, layer, source,
/// trust, tags, tokens, state}`, `reason` unless the state is `visible`, and `version` where there is one.
#[derive(Clone, Copy)]
pub struct Record<'c> {
    catalog: &'c Catalog,
    at: RecordIndex,
    availability: Availability,
    reason: Option<&'c str>,
}

impl<'c> Record<'c> {
    /// Creates the view of a record that is offered.
    pub(crate) fn new(catalog: &'c Catalog, at: RecordIndex) -> Self {
        Self { catalog, at, availability: Availability::Offered, reason: None }
    }

    /// Creates the view of a record that is not offered, for this reason.
    pub(crate) fn excluded(
        catalog: &'c Catalog,
        at: RecordIndex,
        availability: Availability,
        reason: &'c str,
    ) -> Self {
        Self { catalog, at, availability, reason: Some(reason) }
    }

    /// What a model types; unique among the visible records of a catalog.
    pub fn id(&self) -> &'c str {
        self.catalog.id(self.at)
    }

    /// The id that it would have if no other skill had the same: the one that it has, unless collisions are
    /// told apart.
    pub fn base_id(&self) -> &'c str {
        self.catalog.base_id(self.at)
    }

    /// An id by which this very skill can be loaded: its own where that means no other, otherwise a
    /// qualified one such as `project:pdf`. None if there is no such id.
    pub fn qualified_id(&self) -> Option<String> {
        self.catalog.qualified_id(*self)
    }

    /// The declared name.
    pub fn name(&self) -> &'c str {
        self.catalog.set(self.at).name(self.at.entry())
    }

    /// What the skill does and when to use it.
    pub fn description(&self) -> &'c str {
        self.catalog.set(self.at).description(self.at.entry())
    }

    /// Words to filter and search by.
    pub fn tags(&self) -> impl Iterator<Item = &'c str> + use<'c> {
        self.catalog.set(self.at).tags(self.at.entry())
    }

    /// Settles collisions inside a layer; the higher wins.
    pub fn priority(&self) -> i16 {
        self.catalog.set(self.at).priority(self.at.entry())
    }

    /// The version that the skill's author gives it, in `metadata.version`.
    pub fn version(&self) -> Option<&'c str> {
        self.catalog.set(self.at).version(self.at.entry())
    }

    /// When and to whom it is to be offered, where it says so.
    pub fn conditions(&self) -> Option<&'c Conditions> {
        self.catalog.set(self.at).conditions(self.at.entry()).map(AsRef::as_ref)
    }

    /// Whether a model is shown its name and not its description.
    pub fn is_name_only(&self) -> bool {
        self.catalog.is_name_only(self.at)
    }

    /// Returns the missing requirement, such as a program, whether or not another rule excludes the skill
    /// too. `None` where it is ready.
    pub fn missing_requirement(&self) -> Option<&'c str> {
        self.catalog.missing_requirement(self.at)
    }

    /// The version that was read, where the source can tell versions apart.
    pub fn stamp(&self) -> Option<Stamp> {
        self.catalog.set(self.at).stamp(self.at.entry())
    }

    /// The package's path in its source.
    pub fn package(&self) -> PackagePath {
        PackagePath::from_normal(self.catalog.set(self.at).package(self.at.entry()))
    }

    /// `SKILL.md`, or `skill.md` where that is all there is.
    pub fn file(&self) -> &'static str {
        self.catalog.set(self.at).file(self.at.entry())
    }

    /// The package's directory as an absolute path or URL.
    pub fn root_directory(&self) -> String {
        let root = self.catalog.source(self.at).source.root();
        match self.catalog.set(self.at).package(self.at.entry()) {
            "" => root.to_owned(),
            package => [root.trim_end_matches('/'), "/", package].concat(),
        }
    }

    /// The `SKILL.md` as an absolute path or URL.
    pub fn location(&self) -> String {
        // Written for each skill of a prompt: in one step, without the directory's own copy.
        let root = self.catalog.source(self.at).source.root().trim_end_matches('/');
        match self.catalog.set(self.at).package(self.at.entry()) {
            "" => [root, "/", self.file()].concat(),
            package => [root, "/", package, "/", self.file()].concat(),
        }
    }

    /// Whether this is its [`Self::location`], at the cost of a comparison.
    pub fn is_at(&self, location: &str) -> bool {
        let root = self.catalog.source(self.at).source.root().trim_end_matches('/');
        let package = self.catalog.set(self.at).package(self.at.entry());
        let inside = location.strip_prefix(root).and_then(|inside| inside.strip_prefix('/'));
        let inside = inside.and_then(|inside| inside.strip_suffix(self.file()));
        let Some(directory) = inside else { return false };
        directory.strip_suffix('/').unwrap_or(directory) == package
            && directory.ends_with('/') != package.is_empty()
    }

    /// The layer of the record's source.
    pub fn layer(&self) -> &'c Layer {
        self.catalog.layer_of(self.at)
    }

    /// The place of the record's layer among the catalog's; 0 is the highest.
    pub fn rank(&self) -> usize {
        self.catalog.source(self.at).layer
    }

    /// The name of the record's source.
    pub fn source(&self) -> &'c str {
        self.catalog.source(self.at).source.name()
    }

    /// How far the record's layer is trusted.
    pub fn trust(&self) -> Trust {
        self.layer().trust
    }

    /// What the name, and the description where it is shown, cost in each turn, as an estimate.
    pub fn tokens(&self) -> usize {
        let description = if self.is_name_only() { "" } else { self.description() };
        EstimatedTokens.count(self.name()) + EstimatedTokens.count(description)
    }

    /// Returns whether a model is offered the skill.
    pub fn availability(&self) -> Availability {
        self.availability
    }

    /// Returns why the skill is not offered; `None` if it is.
    pub fn reason(&self) -> Option<&'c str> {
        self.reason
    }

    /// Where the record lies in its catalog.
    pub fn index(&self) -> RecordIndex {
        self.at
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
