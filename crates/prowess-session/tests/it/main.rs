//! The behaviour of conversations, through the public interface alone.

mod fixture;
mod lifetime;
mod operations;
mod properties;
mod stores;
mod threads;
