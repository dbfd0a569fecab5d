//! What results and refusals say: texts, files and receipts, encoded for a model.

pub(crate) mod file_content;
pub(crate) mod file_error;
pub(crate) mod page;
pub(crate) mod receipt;
mod refusals;
pub(crate) mod script_file;
pub(crate) mod script_hint;
pub(crate) mod wrapper;
