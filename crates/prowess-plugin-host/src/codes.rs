//! The codes of plugins that are refused or fail: those of [`PluginErrorKind`], and those of
//! results and diagnostics. The page of codes lists them.
//!
//! [`PluginErrorKind`]: crate::PluginErrorKind

prowess_core::declare_codes! {
    /// There is no such file, or it cannot be read.
    PLUGIN_UNREADABLE = "plugin-unreadable";
    /// The plugin lies where no plugin is taken from, or where others may write.
    PLUGIN_PLACE_REFUSED = "plugin-place-refused";
    /// The plugin is larger than the policy allows.
    PLUGIN_TOO_LARGE = "plugin-too-large";
    /// The plugin is not a dynamic library, or a damaged one.
    PLUGIN_NOT_A_LIBRARY = "plugin-not-a-library";
    /// The plugin is for another system, processor or byte order.
    PLUGIN_WRONG_TARGET = "plugin-wrong-target";
    /// The plugin is a library, but no plugin.
    PLUGIN_NOT_A_PLUGIN = "plugin-not-a-plugin";
    /// The plugin's manifest cannot be read.
    PLUGIN_MANIFEST_INVALID = "plugin-manifest-invalid";
    /// The plugin was built for a boundary that this host does not speak.
    PLUGIN_ABI_MISMATCH = "plugin-abi-mismatch";
    /// The plugin is not trusted.
    PLUGIN_NOT_TRUSTED = "plugin-not-trusted";
    /// The plugin was trusted with other bytes.
    PLUGIN_DIGEST_MISMATCH = "plugin-digest-mismatch";
    /// The plugin's signature does not hold.
    PLUGIN_SIGNATURE_INVALID = "plugin-signature-invalid";
    /// The plugin is older than one that was trusted, or than the policy allows.
    PLUGIN_ROLLBACK = "plugin-rollback";
    /// The plugin needs libraries that the policy does not allow, or asks the loader for what it
    /// may not.
    PLUGIN_LINKAGE_REFUSED = "plugin-linkage-refused";
    /// The plugin would end the process where it should report an error.
    PLUGIN_PANIC_ABORTS = "plugin-panic-aborts";
    /// Another file is the plugin of this name already.
    PLUGIN_NAME_TAKEN = "plugin-name-taken";
    /// The plugin's bytes could not be put where they can be opened.
    PLUGIN_STAGING_FAILED = "plugin-staging-failed";
    /// The plugin's process cannot be confined as the policy demands.
    SANDBOX_UNAVAILABLE = "sandbox-unavailable";
    /// The system's loader could not open it.
    PLUGIN_OPEN_FAILED = "plugin-open-failed";
    /// The plugin refused to begin, or did not begin in time.
    PLUGIN_INIT_FAILED = "plugin-init-failed";
    /// The plugin panicked, now or earlier.
    PLUGIN_PANICKED = "plugin-panicked";
    /// The plugin's process died.
    PLUGIN_CRASHED = "plugin-crashed";
    /// The plugin did not answer in time.
    PLUGIN_DEADLINE = "plugin-deadline";
    /// The plugin failed too often to be tried again.
    PLUGIN_QUARANTINED = "plugin-quarantined";
    /// The plugin answered what no plugin may answer.
    PLUGIN_PROTOCOL_BROKEN = "plugin-protocol-broken";
    /// The plugin was replaced too often: the code of each generation stays in memory.
    PLUGIN_GENERATIONS_EXHAUSTED = "plugin-generations-exhausted";
    /// The plugin failed for another reason, or it gave a result a code that is none.
    PLUGIN_FAILED = "plugin-failed";
    /// The plugin cannot answer now.
    PLUGIN_UNAVAILABLE = "plugin-unavailable";
    /// The file of trusted plugins cannot be read, so no plugin is replaced.
    PLUGIN_TRUST_INVALID = "plugin-trust-invalid";
}
