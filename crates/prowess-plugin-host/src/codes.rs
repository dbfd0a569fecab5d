//! The codes of plugin errors: those of [`PluginErrorKind`], and those of results and diagnostics.
//! `prowess explain CODE` prints their meaning.
//!
//! [`PluginErrorKind`]: crate::PluginErrorKind

/// Declares the codes, and a kind of error for each one that names it.
macro_rules! declare_codes {
    (
        $($(#[doc = $doc:literal])+ $name:ident = $text:literal => $kind:ident;)+
        others: $($(#[doc = $other_doc:literal])+ $other:ident = $other_text:literal;)+
    ) => {
        prowess_core::declare_codes! {
            $($(#[doc = $doc])+ $name = $text;)+ $($(#[doc = $other_doc])+ $other = $other_text;)+
        }

        pub(crate) mod kinds {
            prowess_core::declare_kinds! {
                /// The kind of a [`PluginError`](crate::PluginError), in the order of the checks.
                #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
                #[serde(into = "&'static str")]
                #[non_exhaustive]
                pub enum PluginErrorKind { $($(#[doc = $doc])+ $kind = $text,)+ }
            }
        }
    };
}

declare_codes! {
    /// The plugin's file does not exist or cannot be read.
    PLUGIN_UNREADABLE = "plugin-unreadable" => Unreadable;
    /// The plugin is outside of the plugin directories, or other users can replace it.
    PLUGIN_PLACE_REFUSED = "plugin-place-refused" => Place;
    /// The plugin is larger than the policy allows.
    PLUGIN_TOO_LARGE = "plugin-too-large" => TooLarge;
    /// The file is not a dynamic library, or is damaged.
    PLUGIN_NOT_A_LIBRARY = "plugin-not-a-library" => NotALibrary;
    /// The plugin was built for another operating system, processor or byte order.
    PLUGIN_WRONG_TARGET = "plugin-wrong-target" => WrongTarget;
    /// The file is a dynamic library without a plugin manifest.
    PLUGIN_NOT_A_PLUGIN = "plugin-not-a-plugin" => NotAPlugin;
    /// The plugin's manifest cannot be parsed.
    PLUGIN_MANIFEST_INVALID = "plugin-manifest-invalid" => Manifest;
    /// The plugin was built for an ABI version that this host does not support.
    PLUGIN_ABI_MISMATCH = "plugin-abi-mismatch" => Abi;
    /// The plugin is not trusted.
    PLUGIN_NOT_TRUSTED = "plugin-not-trusted" => NotTrusted;
    /// A plugin of this name is trusted with another digest.
    PLUGIN_DIGEST_MISMATCH = "plugin-digest-mismatch" => DigestMismatch;
    /// The plugin's signature is invalid.
    PLUGIN_SIGNATURE_INVALID = "plugin-signature-invalid" => Signature;
    /// The plugin is older than a trusted version, or than the policy allows.
    PLUGIN_ROLLBACK = "plugin-rollback" => Rollback;
    /// The plugin needs libraries that the policy does not allow, or changes how the system's
    /// loader finds libraries.
    PLUGIN_LINKAGE_REFUSED = "plugin-linkage-refused" => Linkage;
    /// The plugin was built with `panic = "abort"`, so a panic would end the host.
    PLUGIN_PANIC_ABORTS = "plugin-panic-aborts" => PanicStrategy;
    /// Another file is already loaded as the plugin of this name.
    PLUGIN_NAME_TAKEN = "plugin-name-taken" => NameTaken;
    /// The plugin's bytes could not be copied to where the loader can open them.
    PLUGIN_STAGING_FAILED = "plugin-staging-failed" => Staging;
    /// The plugin's process cannot be confined at the level that the policy requires.
    SANDBOX_UNAVAILABLE = "sandbox-unavailable" => Sandbox;
    /// The system's loader could not open the plugin.
    PLUGIN_OPEN_FAILED = "plugin-open-failed" => Open;
    /// The plugin's initialization failed or timed out.
    PLUGIN_INIT_FAILED = "plugin-init-failed" => Init;
    /// The plugin panicked in this call or an earlier one.
    PLUGIN_PANICKED = "plugin-panicked" => Panicked;
    /// The plugin's process ended unexpectedly.
    PLUGIN_CRASHED = "plugin-crashed" => Crashed;
    /// A call of the plugin timed out.
    PLUGIN_DEADLINE = "plugin-deadline" => Deadline;
    /// The plugin failed too often and is not restarted.
    PLUGIN_QUARANTINED = "plugin-quarantined" => Quarantined;
    /// The plugin returned an invalid answer.
    PLUGIN_PROTOCOL_BROKEN = "plugin-protocol-broken" => Protocol;
    /// The plugin was replaced too often. The code of each generation stays in memory.
    PLUGIN_GENERATIONS_EXHAUSTED = "plugin-generations-exhausted" => Generations;
    others:
    /// The plugin failed for another reason, or returned an invalid code.
    PLUGIN_FAILED = "plugin-failed";
    /// The plugin is temporarily unavailable.
    PLUGIN_UNAVAILABLE = "plugin-unavailable";
    /// The trust store cannot be read, so no plugin is replaced.
    PLUGIN_TRUST_INVALID = "plugin-trust-invalid";
}
