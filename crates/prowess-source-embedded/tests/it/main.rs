//! Skills in the program: the table, the rules of a source, and the build helper.

mod build;
mod kit;
