//! The manifest of a plugin, in a section of its file, so that a host can read it without opening
//! the library.
//!
//! The section contains [`MAGIC`], the length of the text as four bytes (little endian), and the
//! text, a JSON object (see [`Manifest`]). Further bytes are padding.

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::error::ManifestError;

/// The first bytes of the section. The last of them is the version of this format.
pub const MAGIC: [u8; 16] = *b"PROWESS-PLUGIN\0\x01";
/// The name of the section in ELF and PE files.
pub const SECTION: &str = ".prowess";
/// The name of the section in Mach-O files, in [`MACH_O_SEGMENT`].
pub const MACH_O_SECTION: &str = "__prowess";
/// The segment of the section in Mach-O files.
pub const MACH_O_SEGMENT: &str = "__DATA";
/// The symbol at the start of the section.
pub const SYMBOL: &str = "PROWESS_PLUGIN_MANIFEST";

/// The length of the header before the text.
const HEAD_BYTES: usize = MAGIC.len() + 4;

/// The text of the manifest. Unknown keys are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the manifest format: 1.
    pub manifest: u32,
    /// The plugin's name. By default, the name of its package.
    pub name: String,
    /// The plugin's version.
    pub version: String,
    /// The plugin's purpose.
    #[serde(default)]
    pub description: String,
    /// The licence as an SPDX expression.
    #[serde(default)]
    pub license: String,
    /// The URL of the plugin's homepage.
    #[serde(default)]
    pub homepage: String,
    /// The version of the ABI with which it was built, as `MAJOR.MINOR`.
    pub abi: String,
    /// The version of the SDK with which it was built.
    #[serde(default)]
    pub sdk: String,
    /// The output of `rustc --version`.
    #[serde(default)]
    pub rustc: String,
    /// The target triple.
    #[serde(default)]
    pub target: String,
    /// The effect of a panic in the plugin.
    pub panic: PanicStrategy,
    /// Whether it was built with debug assertions.
    #[serde(default)]
    pub debug_assertions: bool,
    /// The kinds of objects that it offers: `source`, `tools`.
    pub kinds: Vec<String>,
    /// Its features beyond the minor version of the ABI. Those that the host also supports are
    /// used.
    #[serde(default)]
    pub features: Vec<String>,
    /// The JSON Schema of its configuration, if there is one.
    #[serde(default)]
    pub config_schema: Option<Value>,
}

/// The effect of a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PanicStrategy {
    /// A panic unwinds, so it can be caught.
    Unwind,
    /// A panic ends the process.
    Abort,
}

impl Manifest {
    /// Parses the bytes of a section, or those at the symbol.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a valid manifest.
    pub fn parse(section: &[u8]) -> Result<Self, ManifestError> {
        let text = text_of(section)?;
        serde_json::from_slice(text).map_err(|error| ManifestError::Text(error.to_string()))
    }

    /// Returns the major and minor version of the ABI; `None` if `abi` is invalid.
    pub fn abi_version(&self) -> Option<(u32, u32)> {
        let (major, minor) = self.abi.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }
}

fn text_of(section: &[u8]) -> Result<&[u8], ManifestError> {
    let after_magic = section.strip_prefix(&MAGIC).ok_or(ManifestError::Magic)?;
    let (length, text) = after_magic.split_first_chunk().ok_or(ManifestError::Length(0))?;
    let length = u32::from_le_bytes(*length) as usize;
    text.get(..length).ok_or(ManifestError::Length(length))
}

/// Returns the length of the section for this text.
pub const fn framed_length(text: &str) -> usize {
    HEAD_BYTES + text.len()
}

/// Returns the bytes of a section with this text. `N` must be its [`framed_length`].
///
/// # Panics
///
/// Panics if `N` is another length, or the text has 4 GiB or more. In a `static`, this fails the
/// build.
pub const fn frame<const N: usize>(text: &str) -> [u8; N] {
    assert!(N == framed_length(text) && text.len() <= u32::MAX as usize, "the length of the frame");
    #[expect(clippy::cast_possible_truncation, reason = "the line above")]
    let text_length = text.len() as u32;
    let mut frame = [0; N];
    let (head, body) = frame.split_at_mut(HEAD_BYTES);
    let (magic, length) = head.split_at_mut(MAGIC.len());
    magic.copy_from_slice(&MAGIC);
    length.copy_from_slice(&text_length.to_le_bytes());
    body.copy_from_slice(text.as_bytes());
    frame
}
