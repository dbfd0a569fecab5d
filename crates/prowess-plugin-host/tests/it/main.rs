//! Tests of plugins: files that are refused, and libraries that are opened.
