//! The behaviour of conversations, through the public interface alone.

mod boundaries;
mod fixture;
mod lifetime;
mod operations;
mod properties;
mod stores;
mod threads;
