//! The registry from outside: what it finds, what wins, what a reload changes, and the swap.

mod fixture;
mod precedence;
mod reload;
mod swap;
