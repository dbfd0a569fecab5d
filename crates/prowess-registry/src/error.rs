//! The error of building a registry.

/// The error of building a registry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// A source is in an unknown layer.
    #[error("there is no layer `{layer}`; the layers are {known}")]
    UnknownLayer {
        /// The layer of the source.
        layer: Box<str>,
        /// The known layers.
        known: String,
    },
    /// Two layers have the same name.
    #[error("there are two layers named `{0}`; give each its own name")]
    DuplicateLayer(Box<str>),
}
