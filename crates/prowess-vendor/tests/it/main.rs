//! The formats, as the vendors document them.

mod fixture;
mod golden;
mod hostile;
mod strict;
