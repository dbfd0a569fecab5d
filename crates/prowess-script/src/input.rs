//! The standard input of a script.

use std::fs::File;
use std::io;

/// Returns a file with this content, which a script can read and not change; `None` for an empty
/// one, which a script has without a file.
pub(crate) fn input_file(content: &[u8]) -> io::Result<Option<File>> {
    if content.is_empty() {
        return Ok(None);
    }
    sealed(content).map(Some)
}

#[cfg(target_os = "linux")]
fn sealed(content: &[u8]) -> io::Result<File> {
    use std::io::{Seek as _, Write as _};

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(memfd_create("input", flags)?);
    file.write_all(content)?;
    file.rewind()?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&file, seals)?;
    Ok(file)
}

/// Other systems have no sandbox, so no script runs.
#[cfg(not(target_os = "linux"))]
fn sealed(_: &[u8]) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
