//! Opens a plugin's library, which is the first time that its code may run.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use abi_stable::library::{AbiHeaderRef, LibHeader, ROOT_MODULE_LOADER_NAME_WITH_NUL};
use libloading::os::unix::{Library as SharedObject, RTLD_LOCAL, RTLD_NOW};
use prowess_core::Digest;
use prowess_plugin_abi::PluginModule_Ref;
use prowess_plugin_abi::layout::{Side, check};
use prowess_plugin_abi::manifest::{MAGIC, Manifest, SYMBOL};

use crate::{PluginError, PluginErrorKind, Staged, VerifiedPlugin};

/// The flag that keeps a library loaded after its handle was closed.
const RTLD_NODELETE: i32 = if cfg!(target_vendor = "apple") { 0x80 } else { 0x1000 };
/// The maximum length of a manifest.
const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// The opened and checked library of a plugin. It is never unloaded, since statics, threads and
/// other libraries may still refer to it.
#[derive(Clone)]
pub struct LoadedCode {
    file: PathBuf,
    manifest: Manifest,
    /// The digest of the library, if the caller knows it.
    pub(crate) build: Option<Digest>,
    pub(crate) module: PluginModule_Ref,
}

impl LoadedCode {
    /// Opens a verified plugin from its staged bytes, which are kept until the program ends.
    ///
    /// # Errors
    ///
    /// Returns an error if the system's loader cannot open the library, or it does not match its
    /// manifest. Its code may have run.
    pub fn open(plugin: &VerifiedPlugin, staged: Staged) -> Result<Self, PluginError> {
        let code = Self::open_path(plugin.file(), staged.path(), plugin.manifest());
        keep(staged);
        Ok(Self { build: Some(plugin.digest()), ..code? })
    }

    /// Opens the library at `path`. The caller has verified its bytes and read `manifest` from
    /// them, and no other process can change them. `file` is only used in messages.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn open_path(file: &Path, path: &Path, manifest: &Manifest) -> Result<Self, PluginError> {
        let failed =
            |kind, reason: String, help: &str| Err(PluginError::failed(kind, file, reason, help));
        let object = match load(path) {
            Ok(object) => object,
            Err(reason) => {
                let help = "run `ldd` on it: a library or a symbol that it needs is missing";
                return failed(PluginErrorKind::Open, format!("cannot be opened: {reason}"), help);
            }
        };
        let opened = Self::of(file, &object, manifest);
        // Never closed, see the documentation of the type.
        std::mem::forget(object);
        opened
    }

    fn of(file: &Path, object: &SharedObject, manifest: &Manifest) -> Result<Self, PluginError> {
        let rebuild = "build it again with a released `prowess-plugin-sdk`";
        let failed = |kind, reason: String| PluginError::failed(kind, file, reason, rebuild);
        if manifest_of(object).as_ref() != Some(manifest) {
            let reason = "has another manifest after opening than in its file";
            return Err(failed(PluginErrorKind::Manifest, reason.to_owned()));
        }
        let header = header_of(object).ok_or_else(|| {
            failed(PluginErrorKind::Abi, "does not export the root module of a plugin".to_owned())
        })?;
        if !is_new(header) {
            let reason = "was already opened: the system's loader returned the same library";
            return Err(failed(PluginErrorKind::Open, reason.to_owned()));
        }
        let header = header.upgrade().map_err(|error| {
            failed(PluginErrorKind::Abi, format!("was built with another ABI: {error}"))
        })?;
        check_layout(file, header, manifest)?;
        #[allow(unsafe_code, reason = "abi_stable has no such check")]
        // SAFETY: `check_layout` has just compared the layouts, up to the older minor version.
        let module = unsafe { header.init_root_module_with_unchecked_layout::<PluginModule_Ref>() };
        let module = module
            .map_err(|error| failed(PluginErrorKind::Abi, format!("has another ABI: {error}")))?;
        Ok(Self { file: file.to_owned(), manifest: manifest.clone(), build: None, module })
    }

    /// Returns the plugin's file, for messages.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the plugin's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
}

impl fmt::Debug for LoadedCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LoadedCode").field("file", &self.file).finish_non_exhaustive()
    }
}

/// Keeps the staged bytes of a library until the program ends: the loader identifies libraries by
/// path, and the path of a closed file descriptor may be reused.
fn keep(staged: Staged) {
    static KEPT: Mutex<Vec<Staged>> = Mutex::new(Vec::new());
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(staged);
}

fn load(path: &Path) -> Result<SharedObject, String> {
    let flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    #[allow(unsafe_code, reason = "opening a library runs its code")]
    // SAFETY: the operator trusts this code with all rights of the process, and the library is
    // never closed.
    let opened = unsafe { SharedObject::open(Some(path), flags) };
    // The source of the error holds the reason.
    opened.map_err(|error| error.source().map_or_else(|| error.to_string(), ToString::to_string))
}

/// Reads the manifest at its symbol.
fn manifest_of(object: &SharedObject) -> Option<Manifest> {
    let head_bytes = MAGIC.len() + size_of::<u32>();
    #[allow(unsafe_code, reason = "a symbol has no type")]
    // SAFETY: the symbol points to the manifest's section, which was parsed from the same bytes: it
    // contains the magic, the length and that many bytes. The operator trusts the code, see `load`.
    unsafe {
        let start = *object.get::<*const u8>(SYMBOL.as_bytes()).ok()?;
        let head = std::slice::from_raw_parts(start, head_bytes);
        let length = head.strip_prefix(&MAGIC)?.first_chunk()?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_MANIFEST_BYTES {
            return None;
        }
        Manifest::parse(std::slice::from_raw_parts(start, head_bytes + length)).ok()
    }
}

fn header_of(object: &SharedObject) -> Option<AbiHeaderRef> {
    #[allow(unsafe_code, reason = "a symbol has no type")]
    // SAFETY: abi_stable exports its header under this name, and the header validates itself. The
    // library is never closed, so the reference stays valid.
    unsafe {
        object
            .get::<AbiHeaderRef>(ROOT_MODULE_LOADER_NAME_WITH_NUL.as_bytes())
            .ok()
            .map(|header| *header)
    }
}

/// Returns whether this header was not seen before: for a known path, the system's loader returns
/// the already opened library, even if the file has changed.
fn is_new(header: AbiHeaderRef) -> bool {
    static SEEN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let address = std::ptr::from_ref(&*header).addr();
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(address)
}

/// Checks that the plugin and the host have the same layout of the boundary types, up to the older
/// minor version of the two.
fn check_layout(file: &Path, header: &LibHeader, manifest: &Manifest) -> Result<(), PluginError> {
    let help = "ask its author for a build with a released `prowess-plugin-sdk`";
    let refused = |reason: String| PluginError::failed(PluginErrorKind::Abi, file, reason, help);
    let (_, minor) = manifest
        .abi_version()
        .ok_or_else(|| refused(format!("has an invalid ABI version `{}`", manifest.abi)))?;
    let layout = header
        .layout()
        .ok_or_else(|| refused("does not export the layout of its boundary types".to_owned()))?;
    check(Side::own(), Side { layout, minor }).map_err(|mismatch| {
        refused(format!("has another layout of the boundary types: {}", mismatch.summary()))
    })
}
