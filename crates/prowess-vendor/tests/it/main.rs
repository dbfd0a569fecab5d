//! The formats, as the vendors document them.

mod fixture;
mod golden;
mod hostile;
mod request_schemas;
mod requests;
mod strict;
