//! What a host and a plugin's own process say to each other.
//!
//! A frame is two lengths (`u32`, little endian), a JSON document and raw bytes: what is short and has a
//! shape goes into the document, what is long goes beside it. Whoever reads says how long a frame may be:
//! what a plugin's process says is kept short, and what its host says is as long as it has to be.

use std::io::{self, Read, Write};

use prowess_core::{
    Caller, Content, Diagnostic, SourceChange, SourceError, SourceErrorKind, Stamp, ToolResult,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PluginLimits;

/// The version of all this; both sides have to be of one.
pub(crate) const PROTOCOL: u32 = 1;

/// Room for the document beside the bytes of an answer.
pub(crate) const DOCUMENT_BYTES: usize = 4 << 20;

/// Room for a document of the host's: a configuration with texts in it, or a stamp for each of very many
/// packages.
pub(crate) const REQUEST_BYTES: usize = 1 << 30;

/// What the host says first. The library itself comes with it, as an open file.
#[derive(Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) protocol: u32,
    pub(crate) file: String,
    pub(crate) config: Option<Value>,
    pub(crate) limits: PluginLimits,
}

/// What the host says then.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Request {
    /// Do this; the answer has the same number.
    Call { id: u64, call: Call },
    /// The answer is no longer wanted.
    Cancel { id: u64 },
}

/// What can be asked. Sources and tools are named by their place in [`Offer`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Call {
    Scan { source: usize, packages: Option<Vec<String>>, known: Vec<(String, Stamped)> },
    List { source: usize, package: String, most: usize },
    Read { source: usize, package: String, resource: String, limit: usize },
    Watch { source: usize, watch: u64 },
    Unwatch { watch: u64 },
    Tool { tool: usize, arguments: Value, session: String, caller: Caller },
}

/// What the plugin's process says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reply {
    /// It has begun.
    Ready(Offer),
    /// It will not begin; this is why.
    Refused { code: String, reason: String, help: String },
    /// Some of what a scan finds; the heads are beside it.
    Part { id: u64, found: Vec<FoundPackage>, unchanged: Vec<String>, problems: Vec<Diagnostic> },
    /// A call has ended.
    Done { id: u64, answer: Result<Answer, Failed> },
    /// A watch has something to tell.
    Changed { watch: u64, change: Change },
}

/// What a plugin offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Offer {
    pub(crate) protocol: u32,
    pub(crate) sources: Vec<OfferedSource>,
    pub(crate) tools: Vec<OfferedTool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfferedSource {
    pub(crate) name: String,
    pub(crate) root: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfferedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) accepts: Value,
    pub(crate) is_offered: bool,
}

/// A package of a scan; its head is the next `head` bytes of the frame.
#[derive(Serialize, Deserialize)]
pub(crate) struct FoundPackage {
    pub(crate) package: String,
    pub(crate) file: String,
    pub(crate) stamp: Option<Stamped>,
    pub(crate) size: Option<u64>,
    pub(crate) head: usize,
    pub(crate) is_whole_file: bool,
}

/// A [`Stamp`] as a number.
pub(crate) type Stamped = std::num::NonZeroU64;

pub(crate) fn stamped(stamp: Stamp) -> Stamped {
    stamp.0
}

/// What a call gives. The content of a file is beside it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    Scanned { is_everything: bool },
    Listed { resources: Vec<(String, u64)>, is_complete: bool },
    Read,
    Watching(bool),
    Unwatched,
    Told(Told),
}

/// A tool's result.
#[derive(Serialize, Deserialize)]
pub(crate) struct Told {
    is_error: bool,
    code: Option<prowess_core::Code>,
    content: Vec<Content>,
    structured: Option<Value>,
}

/// A source's error.
#[derive(Serialize, Deserialize)]
pub(crate) struct Failed {
    code: String,
    message: String,
}

/// What a watch tells.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Change {
    Packages(Vec<String>),
    Everything,
    Lost(Failed),
}

/// Every kind that this version knows, to find one by its code.
const KINDS: [SourceErrorKind; 8] = [
    SourceErrorKind::NotFound,
    SourceErrorKind::Escape,
    SourceErrorKind::NotRegular,
    SourceErrorKind::Loop,
    SourceErrorKind::TooLarge,
    SourceErrorKind::Denied,
    SourceErrorKind::Cancelled,
    SourceErrorKind::Unavailable,
];

impl From<SourceError> for Failed {
    fn from(error: SourceError) -> Self {
        Self { code: error.kind.as_str().into(), message: error.message }
    }
}

impl From<Failed> for SourceError {
    fn from(failed: Failed) -> Self {
        let kind = KINDS.into_iter().find(|kind| kind.as_str() == failed.code);
        Self::new(kind.unwrap_or(SourceErrorKind::Unavailable), failed.message)
    }
}

impl From<ToolResult> for Told {
    fn from(result: ToolResult) -> Self {
        let ToolResult { is_error, code, content, structured } = result;
        Self { is_error, code, content, structured }
    }
}

impl From<Told> for ToolResult {
    fn from(told: Told) -> Self {
        let Told { is_error, code, content, structured } = told;
        Self { is_error, code, content, structured }
    }
}

impl From<SourceChange> for Change {
    fn from(change: SourceChange) -> Self {
        match change {
            SourceChange::Packages(packages) => {
                Self::Packages(packages.iter().map(|path| path.as_str().to_owned()).collect())
            }
            SourceChange::Lost(error) => Self::Lost(error.into()),
            // A kind that came later than this code: anything may have changed.
            _ => Self::Everything,
        }
    }
}

impl From<Change> for SourceChange {
    fn from(change: Change) -> Self {
        match change {
            Change::Lost(failed) => Self::Lost(failed.into()),
            Change::Everything => Self::Everything,
            Change::Packages(packages) => {
                let paths: Result<Vec<_>, _> =
                    packages.iter().map(|path| prowess_core::PackagePath::new(path)).collect();
                // A path that is none says only that something changed.
                paths.map_or(Self::Everything, Self::Packages)
            }
        }
    }
}

/// Writes a frame.
pub(crate) fn write<T: Serialize>(
    to: &mut impl Write,
    document: &T,
    bytes: &[u8],
) -> io::Result<()> {
    let document = serde_json::to_vec(document)?;
    let lengths = [document.len(), bytes.len()].map(u32::try_from);
    let [Ok(of_document), Ok(of_bytes)] = lengths else {
        return Err(io::Error::other("a frame has 4 GiB"));
    };
    let mut head = [of_document.to_le_bytes(), of_bytes.to_le_bytes()].concat();
    head.extend(document);
    to.write_all(&head)?;
    to.write_all(bytes)?;
    to.flush()
}

/// Reads a frame with a document of at most so many bytes, and at most so many beside it; `None` where the
/// other side has gone.
pub(crate) fn read<T: DeserializeOwned>(
    from: &mut impl Read,
    document: usize,
    beside: usize,
) -> io::Result<Option<(T, Vec<u8>)>> {
    let mut head = [0; 8];
    let mut got = 0;
    while got < head.len() {
        match from.read(&mut head[got..])? {
            0 if got == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => got += count,
        }
    }
    let number = |at: usize| {
        let bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
        usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX)
    };
    let (of_document, of_bytes) = (number(0), number(4));
    if of_document > document || of_bytes > beside {
        return Err(io::Error::other(format!("a frame of {of_document} and {of_bytes} bytes")));
    }
    let document = exactly(from, of_document)?;
    let document = serde_json::from_slice(&document)?;
    Ok(Some((document, exactly(from, of_bytes)?)))
}

/// Memory is taken as bytes arrive: a length alone costs nothing.
fn exactly(from: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let wanted = u64::try_from(length).unwrap_or(u64::MAX);
    from.take(wanted).read_to_end(&mut bytes)?;
    match bytes.len() == length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
