//! The types of the core keep what their documentation says.

mod path;
