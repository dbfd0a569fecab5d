//! Sources and layers to a catalog: precedence, reload and the atomic swap
#![forbid(unsafe_code)]
