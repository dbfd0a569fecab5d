//! The script of the server, run with programs that do nothing but write down how they were called.

mod ci;
