//! The codes of calls that cannot be read. The page of codes lists them.

prowess_core::declare_codes! {
    /// The arguments of a call are not JSON.
    ARGUMENTS_NOT_JSON = "arguments-not-json";
}
