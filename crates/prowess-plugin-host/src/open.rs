//! Opening a plugin: the first moment at which its code may run.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use abi_stable::library::{AbiHeaderRef, ROOT_MODULE_LOADER_NAME_WITH_NUL};
use libloading::os::unix::{Library as SharedObject, RTLD_LOCAL, RTLD_NOW};
use prowess_core::Digest;
use prowess_plugin_abi::PluginModule_Ref;
use prowess_plugin_abi::manifest::{MAGIC, Manifest, SYMBOL};

use crate::layout::check_layout;
use crate::{PluginError, PluginErrorKind, Staged, VerifiedPlugin};

/// The library stays even when its handle is closed. By the headers of each system.
const RTLD_NODELETE: i32 = if cfg!(target_vendor = "apple") { 0x80 } else { 0x1000 };
/// More than any manifest has; what says more than that is not believed.
const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// A plugin's code in this process, checked and ready to make instances. It is never unloaded:
/// statics, threads and what other libraries remember of it would be left dangling.
#[derive(Clone)]
pub struct LoadedCode {
    file: PathBuf,
    manifest: Manifest,
    /// The digest of its bytes, if the caller knows it.
    pub(crate) build: Option<Digest>,
    pub(crate) module: PluginModule_Ref,
}

impl LoadedCode {
    /// Opens a plugin that was verified, from where its bytes were staged. The place is kept for as
    /// long as the program runs.
    ///
    /// # Errors
    ///
    /// The system's loader cannot open it, or it is not what its manifest says. Its code may have
    /// run.
    pub fn open(plugin: &VerifiedPlugin, staged: Staged) -> Result<Self, PluginError> {
        let image = Self::open_path(plugin.file(), staged.path(), plugin.manifest());
        keep(staged);
        Ok(Self { build: Some(plugin.digest()), ..image? })
    }

    /// Returns the root of the plugin's code, as it crosses the boundary.
    pub fn module(&self) -> PluginModule_Ref {
        self.module
    }

    /// Opens the library at `path`, whose bytes the caller has verified and no other process can
    /// change. `file` is for the messages, `manifest` is what those bytes say of themselves.
    ///
    /// # Errors
    ///
    /// As for [`Self::open`].
    pub fn open_path(file: &Path, path: &Path, manifest: &Manifest) -> Result<Self, PluginError> {
        let failed =
            |kind, reason: String, help: &str| Err(PluginError::failed(kind, file, reason, help));
        let object = match load(path) {
            Ok(object) => object,
            Err(reason) => {
                let help = "run `ldd` on it: a library or a symbol that it needs is not there";
                return failed(PluginErrorKind::Open, format!("cannot be opened: {reason}"), help);
            }
        };
        let opened = Self::of(file, &object, manifest);
        // Never closed: see the type.
        std::mem::forget(object);
        opened
    }

    fn of(file: &Path, object: &SharedObject, manifest: &Manifest) -> Result<Self, PluginError> {
        let rebuild = "build it again with a released `prowess-plugin-sdk`";
        let failed = |kind, reason: String| PluginError::failed(kind, file, reason, rebuild);
        if manifest_of(object).as_ref() != Some(manifest) {
            let reason = "opens as another plugin than its file says";
            return Err(failed(PluginErrorKind::Manifest, reason.to_owned()));
        }
        let header = header_of(object)
            .ok_or_else(|| failed(PluginErrorKind::Abi, "has no way to its code".to_owned()))?;
        if !is_new(header) {
            let reason = "was opened before; the system gave the same library again";
            return Err(failed(PluginErrorKind::Open, reason.to_owned()));
        }
        let header = header.upgrade().map_err(|error| {
            failed(PluginErrorKind::Abi, format!("was built with another boundary: {error}"))
        })?;
        check_layout(file, header, manifest)?;
        #[allow(unsafe_code, reason = "the check is one that abi_stable does not have")]
        // SAFETY: the layouts have just been compared, with the older side as the one that is asked
        // for.
        let module = unsafe { header.init_root_module_with_unchecked_layout::<PluginModule_Ref>() };
        let module = module.map_err(|error| {
            failed(PluginErrorKind::Abi, format!("has another boundary: {error}"))
        })?;
        Ok(Self { file: file.to_owned(), manifest: manifest.clone(), build: None, module })
    }

    /// The file that the plugin came from, for messages.
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

/// Keeps the place of a library for as long as the program runs: the loader knows libraries by
/// their paths, and the path of a closed file comes back.
fn keep(staged: Staged) {
    static KEPT: Mutex<Vec<Staged>> = Mutex::new(Vec::new());
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(staged);
}

fn load(path: &Path) -> Result<SharedObject, String> {
    let flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    #[allow(unsafe_code, reason = "opening a library runs its code")]
    // SAFETY: the operator trusts these bytes with all that this process may do, and it is never
    // closed.
    let opened = unsafe { SharedObject::open(Some(path), flags) };
    // The reason is in the cause.
    opened.map_err(|error| error.source().map_or_else(|| error.to_string(), ToString::to_string))
}

/// The manifest at its symbol.
fn manifest_of(object: &SharedObject) -> Option<Manifest> {
    let head_bytes = MAGIC.len() + size_of::<u32>();
    #[allow(unsafe_code, reason = "a symbol has no type")]
    // SAFETY: the symbol is that of the section that was read from these bytes; magic, length and
    // so many bytes lie there. A plugin that lies about it is one that the operator trusts, see
    // `load`.
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
    // SAFETY: it is the name under which abi_stable exports its header, which checks itself. The
    // library is never closed, so the reference holds.
    unsafe {
        object
            .get::<AbiHeaderRef>(ROOT_MODULE_LOADER_NAME_WITH_NUL.as_bytes())
            .ok()
            .map(|header| *header)
    }
}

/// Whether this header was never seen before: the system's loader gives the same library again for
/// a path that it knows, whatever the file is now.
fn is_new(header: AbiHeaderRef) -> bool {
    static SEEN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let address = std::ptr::from_ref(&*header).addr();
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(address)
}
