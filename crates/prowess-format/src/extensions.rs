//! Fields beside the standard's: which there are, of what type, and what their values are.
//!
//! ```
//! use prowess_format::{Extension, Extensions, FieldKind, Profile, Rules, parse_with};
//!
//! let own = Extension::new("acme", "1").field("team", FieldKind::filled());
//! let extensions = Extensions::none().with(own);
//! let rules = Rules { extensions, ..Rules::of(Profile::Extended) };
//! let parsed = parse_with(b"---\nname: a\ndescription: b\nteam: red\n---\nGo.\n", &rules);
//! assert!(parsed.diagnostics.is_empty());
//! let fields = parsed.document.expect("no error").frontmatter.fields;
//! let team = rules.extensions.value(&fields, "acme", "team").expect("a text");
//! assert_eq!(team.as_text(), Some("red"));
//! ```

mod check;
mod kind;
mod standard;

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use crate::yaml::{Node, Pair};
use crate::{Mapping, Value};

pub(crate) use check::{check, check_key};
pub use kind::FieldKind;

/// The extensions that a reader knows. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub struct Extensions(Vec<Arc<Extension>>);

/// A named, versioned set of fields that one client or vendor reads.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The name of the client: `claude-code`.
    pub name: Cow<'static, str>,
    /// The version of the set, as its maker counts.
    pub version: Cow<'static, str>,
    /// The fields that it declares.
    pub fields: Vec<ExtensionField>,
}

/// One declared field.
#[derive(Clone, Debug)]
pub struct ExtensionField {
    /// Its path: `context` at the top level, or `metadata.openclaw` below `metadata`.
    pub path: Cow<'static, str>,
    /// The kind of its value.
    pub kind: FieldKind,
    /// The top-level field and its value without which this one has no effect.
    pub only_with: Option<(Cow<'static, str>, Cow<'static, str>)>,
}

static STANDARD: LazyLock<Extensions> = LazyLock::new(standard::all);
static BOXXY: LazyLock<Arc<Extension>> = LazyLock::new(|| Arc::new(standard::boxxy()));

impl Extensions {
    /// No extension.
    pub fn none() -> Self {
        Self::default()
    }

    /// `omniforge`, `yodoca`, `flexigpt`, `claude-code` and `openclaw`.
    pub fn standard() -> Self {
        STANDARD.clone()
    }

    /// The same, without a copy.
    pub(crate) fn known() -> &'static Self {
        &STANDARD
    }

    /// `boxxy` alone: `trit`, `role` and `colour` below `metadata`.
    pub fn boxxy() -> Self {
        Self(vec![Arc::clone(&BOXXY)])
    }

    /// Adds an extension. It replaces one of the same name.
    #[must_use]
    pub fn with(mut self, extension: Extension) -> Self {
        self.0.retain(|known| known.name != extension.name);
        self.0.push(Arc::new(extension));
        self
    }

    /// Returns the extensions with these names, in the order of this set.
    #[must_use]
    pub fn only(&self, names: &[&str]) -> Self {
        let named = self.0.iter().filter(|known| names.contains(&known.name.as_ref()));
        Self(named.cloned().collect())
    }

    /// The extensions, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Extension> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// The declared fields that stand at the top level.
    pub(crate) fn top_level(&self) -> impl Iterator<Item = &str> {
        let fields = self.iter().flat_map(|extension| &extension.fields);
        fields.map(|field| field.path.as_ref()).filter(|path| !path.contains('.'))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The extensions that declare this top-level field.
    pub fn of_field<'e>(&'e self, key: &'e str) -> impl Iterator<Item = &'e Extension> {
        self.iter().filter(move |extension| extension.get(key).is_some())
    }

    /// The value that `extension` gives a field, by the path of its declaration. `None` where the
    /// field is not there, not declared or not of the declared kind.
    pub fn value<'f>(&self, fields: &'f Mapping, extension: &str, path: &str) -> Option<&'f Value> {
        let declared = self.iter().find(|known| known.name == extension)?.get(path)?;
        let value = &match path.split_once('.') {
            None => fields.get(path)?,
            Some((outer, inner)) => fields.get(outer)?.value.as_map()?.get(inner)?,
        }
        .value;
        check::fits(&declared.kind, value).then_some(value)
    }

    /// Each declaration of a field, at the top level or below `metadata`.
    pub(crate) fn declarations<'e>(&'e self, path: &'e str) -> impl Iterator<Item = Declared<'e>> {
        self.iter().filter_map(move |extension| {
            extension.get(path).map(|field| Declared { extension: &extension.name, field })
        })
    }

    /// Whether `metadata`, as it was written, may have a declared field: its key stands somewhere.
    pub(crate) fn may_be_in_metadata(&self, written: &str) -> bool {
        let mut fields = self.iter().flat_map(|extension| &extension.fields);
        fields.any(|field| {
            field.path.strip_prefix("metadata.").is_some_and(|key| written.contains(key))
        })
    }
}

/// A field with the name of its extension.
pub(crate) struct Declared<'e> {
    pub(crate) extension: &'e str,
    pub(crate) field: &'e ExtensionField,
}

impl Extension {
    /// An extension without a field.
    pub fn new(name: impl Into<Cow<'static, str>>, version: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), version: version.into(), fields: Vec::new() }
    }

    /// The same with a further field, at `key` or `metadata.key`.
    #[must_use]
    pub fn field(mut self, path: impl Into<Cow<'static, str>>, kind: FieldKind) -> Self {
        self.fields.push(ExtensionField { path: path.into(), kind, only_with: None });
        self
    }

    /// The same with a further field that has an effect only beside `other: value`.
    #[must_use]
    pub fn field_only_with(
        mut self,
        path: impl Into<Cow<'static, str>>,
        kind: FieldKind,
        (other, value): (&'static str, &'static str),
    ) -> Self {
        let only_with = Some((other.into(), value.into()));
        self.fields.push(ExtensionField { path: path.into(), kind, only_with });
        self
    }

    /// The declaration of a field, by its path.
    pub fn get(&self, path: &str) -> Option<&ExtensionField> {
        self.fields.iter().find(|field| field.path == path)
    }
}

fn entry<'n, 't>(pairs: &'n [Pair<'t>], key: &str) -> Option<&'n Node<'t>> {
    pairs.iter().find(|pair| pair.key == key).map(|pair| &pair.value)
}
