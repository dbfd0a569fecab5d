//! An example and a next step for each code of plugins.

use prowess::Code;
use prowess::plugin_host::codes::*;

/// A code with a plugin that leads to it.
pub(super) struct PluginExample {
    pub(super) code: Code,
    pub(super) plugin: &'static str,
    pub(super) next: &'static str,
}

const fn of(code: Code, plugin: &'static str, next: &'static str) -> PluginExample {
    PluginExample { code, plugin, next }
}

const RELEASED: &str = "ask its author for a build with a released `prowess-plugin-sdk`";
const AUTHOR: &str = "report it to its author";

pub(super) static PLUGINS: &[PluginExample] = &[
    of(PLUGIN_UNREADABLE, "`--plugin ./gone.so`", "check the path and its permissions"),
    of(PLUGIN_PLACE_REFUSED, "`--plugin plugins/a.so`", "use an absolute path"),
    of(PLUGIN_TOO_LARGE, "a build with debug information", "run `strip`"),
    of(
        PLUGIN_NOT_A_LIBRARY,
        "`--plugin /srv/Cargo.toml`",
        "name the dynamic library that the plugin's build made",
    ),
    of(
        PLUGIN_WRONG_TARGET,
        "a build for `aarch64` on `x86_64`",
        "build the plugin for this host, or get the file for it",
    ),
    of(
        PLUGIN_NOT_A_PLUGIN,
        "`--plugin /usr/lib/libz.so.1`",
        "name a library that was built with `prowess-plugin-sdk` and `export_plugin!`",
    ),
    of(PLUGIN_MANIFEST_INVALID, "a manifest that was changed after the build", RELEASED),
    of(
        PLUGIN_ABI_MISMATCH,
        "a build for ABI 2 in a host of ABI 1",
        "get a build for the host's ABI, or another version of the host",
    ),
    of(
        PLUGIN_NOT_TRUSTED,
        "a file that is not trusted yet",
        "check where it comes from, then run `prowess plugin trust FILE`",
    ),
    of(
        PLUGIN_DIGEST_MISMATCH,
        "a file that was replaced after it was trusted",
        "if you replaced it, run `prowess plugin trust FILE` again",
    ),
    of(
        PLUGIN_SIGNATURE_INVALID,
        "a `.minisig` of another release",
        "get the file and its `.minisig` again from the same release",
    ),
    of(
        PLUGIN_ROLLBACK,
        "version 1.1.0 after 1.2.0 was trusted",
        "install the newer one, or run `prowess plugin trust FILE --allow-older`",
    ),
    of(
        PLUGIN_LINKAGE_REFUSED,
        "a library that needs `libpython3.so`",
        "link it statically, or add its name to `allowed_libraries`",
    ),
    of(
        PLUGIN_PANIC_ABORTS,
        "a build with `panic = \"abort\"`",
        "build it with `panic = \"unwind\"`, or set the isolation to `process`",
    ),
    of(PLUGIN_NAME_TAKEN, "two files of the plugin `notes`", "name one of them only"),
    of(
        PLUGIN_STAGING_FAILED,
        "a directory for temporary files on a full disk",
        "give the host a directory that it may write to and run programs from",
    ),
    of(
        SANDBOX_UNAVAILABLE,
        "the level `namespaces` in a container without them",
        "run `prowess doctor`, or set a level that this machine offers",
    ),
    of(
        PLUGIN_OPEN_FAILED,
        "a build against a newer C library",
        "run `ldd` on it: a library or a symbol that it needs is missing",
    ),
    of(PLUGIN_INIT_FAILED, "a configuration without a required field", "fix its configuration"),
    of(PLUGIN_PANICKED, "an index out of range in a tool", AUTHOR),
    of(PLUGIN_CRASHED, "a tool that overflows the stack of its process", AUTHOR),
    of(
        PLUGIN_DEADLINE,
        "a scan of a server that does not answer",
        "try again, or raise the deadline in the plugin's settings",
    ),
    of(
        PLUGIN_QUARANTINED,
        "a process that has died several times in a row",
        "fix or replace the plugin and restart the host",
    ),
    of(PLUGIN_PROTOCOL_BROKEN, "a source that reports a package twice", AUTHOR),
    of(
        PLUGIN_GENERATIONS_EXHAUSTED,
        "a plugin that a build replaces every minute",
        "restart the host to reload it again",
    ),
    of(PLUGIN_FAILED, "a tool that returns an error without a code", "read the message"),
    of(PLUGIN_UNAVAILABLE, "all threads of the plugin are busy", "try again later"),
    of(PLUGIN_TRUST_INVALID, "a file of trusted plugins that holds `{`", "fix it or move it away"),
];
