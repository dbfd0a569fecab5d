//! Conversions between the core's types and those of the ABI.

use abi_stable::std_types::{RSlice, RStr};
use prowess_core::{
    Diagnostic, PackagePath, PathError, ResourcePath, Severity, SourceChange, SourceError,
    SourceErrorKind,
};
use prowess_plugin_abi::text::{checked, lossy};
use prowess_plugin_abi::{AbiError, Change, Problem, changes, codes, severities};

/// The maximum length of a host's message.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

pub(crate) fn source_error(error: &SourceError) -> AbiError {
    AbiError::new(kind_to_code(error.kind), &*error.message)
}

/// The kinds of source errors with their numbers in the ABI.
const KINDS: [(SourceErrorKind, u32); 12] = [
    (SourceErrorKind::NotFound, codes::NOT_FOUND),
    (SourceErrorKind::Escape, codes::ESCAPE),
    (SourceErrorKind::NotRegular, codes::NOT_REGULAR),
    (SourceErrorKind::Loop, codes::LOOP),
    (SourceErrorKind::TooLarge, codes::TOO_LARGE),
    (SourceErrorKind::Denied, codes::DENIED),
    (SourceErrorKind::MultipleLinks, codes::MULTIPLE_LINKS),
    (SourceErrorKind::CrossDevice, codes::CROSS_DEVICE),
    (SourceErrorKind::Changing, codes::CHANGING),
    (SourceErrorKind::Replaced, codes::REPLACED),
    (SourceErrorKind::Cancelled, codes::CANCELLED),
    (SourceErrorKind::Unavailable, codes::UNAVAILABLE),
];

fn kind_to_code(kind: SourceErrorKind) -> u32 {
    // A variant that was added later has the general number.
    let known = KINDS.into_iter().find(|(known, _)| *known == kind);
    known.map_or(codes::INTERNAL, |(_, code)| code)
}

/// Converts the host's error of a question.
pub(crate) fn to_source_error(error: &AbiError) -> SourceError {
    let known = KINDS.into_iter().find(|(_, code)| *code == error.code);
    let kind = known.map_or(SourceErrorKind::Unavailable, |(kind, _)| kind);
    SourceError::new(kind, lossy(error.message.as_rstr(), MAX_MESSAGE_BYTES))
}

fn path_error(error: &PathError) -> AbiError {
    let code = match error {
        PathError::Escape(_) => codes::ESCAPE,
        _ => codes::INVALID_ARGUMENT,
    };
    AbiError::new(code, error.to_string())
}

/// Validates a string of the host.
pub(crate) fn text(text: RStr<'_>) -> Result<&str, AbiError> {
    checked(text).map_err(|_| AbiError::new(codes::INVALID_ARGUMENT, "a string is not UTF-8"))
}

pub(crate) fn package(path: RStr<'_>) -> Result<PackagePath, AbiError> {
    PackagePath::new(text(path)?).map_err(|error| path_error(&error))
}

pub(crate) fn resource(path: RStr<'_>) -> Result<ResourcePath, AbiError> {
    ResourcePath::new(text(path)?).map_err(|error| path_error(&error))
}

pub(crate) fn problem(diagnostic: &Diagnostic) -> Problem<'_> {
    Problem {
        severity: match diagnostic.severity {
            Severity::Hint => severities::HINT,
            Severity::Warning => severities::WARNING,
            Severity::Error => severities::ERROR,
        },
        line: diagnostic.line.unwrap_or(0),
        column: diagnostic.column.unwrap_or(0),
        code: diagnostic.code.as_str().into(),
        path: diagnostic.path.as_deref().unwrap_or_default().into(),
        message: diagnostic.message.as_str().into(),
        help: diagnostic.help.as_str().into(),
        ext: RStr::empty(),
    }
}

/// Converts a change and passes it to `report`.
pub(crate) fn with_change(change: &SourceChange, report: impl FnOnce(Change<'_>)) {
    let everything = Change {
        kind: changes::EVERYTHING,
        code: 0,
        packages: RSlice::EMPTY,
        message: RStr::empty(),
        ext: RStr::empty(),
    };
    match change {
        SourceChange::Packages(packages) => {
            let packages: Vec<RStr<'_>> =
                packages.iter().map(|path| path.as_str().into()).collect();
            report(Change {
                kind: changes::PACKAGES,
                packages: RSlice::from_slice(&packages),
                ..everything
            });
        }
        SourceChange::WatchLost(error) => report(Change {
            kind: changes::LOST,
            code: kind_to_code(error.kind),
            message: error.message.as_str().into(),
            ..everything
        }),
        // A variant that was added later: anything may have changed.
        _ => report(everything),
    }
}
