//! Skills and their tools over the Model Context Protocol
#![forbid(unsafe_code)]
