//! The standard input of a script.

use std::fs::File;
use std::io::{self, Seek, Write};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// Returns a file with this content, which a script can read and not change; `None` for an empty
/// one, which a script has without a file.
pub(crate) fn input_file(content: &[u8]) -> io::Result<Option<File>> {
    if content.is_empty() {
        return Ok(None);
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(memfd_create("input", flags)?);
    file.write_all(content)?;
    file.rewind()?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&file, seals)?;
    Ok(Some(file))
}
