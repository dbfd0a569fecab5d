//! Tests of the registry's public interface.

mod agents;
mod audit;
mod bodies;
mod copies;
mod file_size;
mod findings;
mod fixture;
mod kept;
mod late;
mod layers;
mod listing;
mod precedence;
mod refresh;
mod reload;
mod required;
mod single_flight;
mod subscribe;
mod swap;
#[cfg(feature = "tracing")]
mod traces;
mod trust;
mod turns;
mod vectors;
mod visibility;
