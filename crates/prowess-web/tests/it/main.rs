//! The page over real HTTP on a loopback address.

mod decisions;
mod door;
mod fixture;
mod injection;
mod pages;
