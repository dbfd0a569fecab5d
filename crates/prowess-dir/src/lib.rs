//! A directory handle that no read, listing or walk can leave
#![deny(unsafe_code)]
