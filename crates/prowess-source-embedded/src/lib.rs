//! Skills compiled into the binary
#![forbid(unsafe_code)]
