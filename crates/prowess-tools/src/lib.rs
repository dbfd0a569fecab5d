//! The toolbox: operations, surfaces, argument checks, the gate and its audit
#![forbid(unsafe_code)]
