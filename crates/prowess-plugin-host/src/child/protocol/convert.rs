//! Conversions between the core's types and messages.

use prowess_core::{ResultTexts, SourceChange, SourceError, SourceErrorKind, ToolResult};

use prowess_plugin_abi::AbiError;

use super::{Failed, WireChange, WireRefusal, WireToolResult};

impl From<SourceError> for Failed {
    fn from(error: SourceError) -> Self {
        Self { code: error.kind.as_str().into(), message: error.message }
    }
}

impl From<Failed> for SourceError {
    fn from(failed: Failed) -> Self {
        let kind = SourceErrorKind::from_code(&failed.code);
        Self::new(kind.unwrap_or(SourceErrorKind::Unavailable), failed.message)
    }
}

impl WireToolResult {
    /// Returns a message for a result, and its raw bytes: the texts, if they are long and have at
    /// most `max_bytes`.
    pub(crate) fn new(mut result: ToolResult, max_bytes: usize) -> (Self, Vec<u8>) {
        let texts = ResultTexts::take(&mut result, max_bytes);
        let (texts, bytes) = texts.map(|texts| (texts.lengths, texts.text.into_bytes())).unzip();
        let ToolResult { is_error, code, content, structured, .. } = result;
        (Self { is_error, code, content, structured, texts }, bytes.unwrap_or_default())
    }

    /// Returns the result that was sent; `None` if the bytes are not its texts.
    pub(crate) fn into_result(self, bytes: Vec<u8>) -> Option<ToolResult> {
        let Self { is_error, code, content, structured, texts } = self;
        let mut result = ToolResult { is_error, code, content, structured, ..ToolResult::text("") };
        if let Some(lengths) = texts {
            ResultTexts::put(&mut result, &lengths, &String::from_utf8(bytes).ok()?).ok()?;
        }
        Some(result)
    }
}

impl From<SourceChange> for WireChange {
    fn from(change: SourceChange) -> Self {
        match change {
            SourceChange::Packages(packages) => {
                Self::Packages(packages.iter().map(|path| path.as_str().to_owned()).collect())
            }
            SourceChange::WatchLost(error) => Self::Lost(error.into()),
            // A variant that was added later: anything may have changed.
            _ => Self::Everything,
        }
    }
}

impl From<WireChange> for SourceChange {
    fn from(change: WireChange) -> Self {
        match change {
            WireChange::Lost(failed) => Self::WatchLost(failed.into()),
            WireChange::Everything => Self::Everything,
            WireChange::Packages(packages) => {
                let paths: Result<Vec<_>, _> =
                    packages.iter().map(|path| prowess_core::PackagePath::new(path)).collect();
                // After an invalid path, anything may have changed.
                paths.map_or(Self::Everything, Self::Packages)
            }
        }
    }
}

impl From<AbiError> for WireRefusal {
    fn from(error: AbiError) -> Self {
        Self { code: error.code, message: error.message.into(), ext: error.ext.into() }
    }
}

impl WireRefusal {
    /// Returns the error that was sent.
    pub(crate) fn into_error(self) -> AbiError {
        AbiError { ext: self.ext.into(), ..AbiError::new(self.code, self.message) }
    }
}
