//! Tests with a server: they need `postgres`, `initdb` and `psql`.

mod audit;
mod cleaning;
mod faults;
mod kits;
mod layout;
mod processes;
mod samples;
mod throughput;
