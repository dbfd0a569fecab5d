//! Sites, archives and single files behind a URL, and requests of other programs.

pub(crate) mod answer;
pub(crate) mod client;
pub(crate) mod endpoint;
pub(crate) mod remote;
mod resolver;
pub(crate) mod site;
mod site_files;
mod url;
