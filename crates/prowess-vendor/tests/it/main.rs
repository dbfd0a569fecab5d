//! The formats, as the vendors document them.

mod fixture;
mod hostile;
mod requests;
mod results;
mod strict;
