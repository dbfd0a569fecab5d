//! The released layouts are compatible with this version, in both directions. Hosts and plugins of
//! a release are in use for years; `golden` detects every change in each run.

use abi_stable::StableAbi;
use prowess_plugin_abi::layout::{Mismatch, Side, check};

/// A copy of the released types, whose layout is never edited.
#[allow(dead_code, unused_imports, reason = "only the layout is used")]
#[path = "../../fixtures/abi-1.0/mod.rs"]
mod v1_0;

fn release() -> Side {
    Side { layout: v1_0::PluginModule_Ref::LAYOUT, minor: v1_0::MINOR }
}

#[track_caller]
fn check_compatible(host: Side, plugin: Side) {
    let problem = check(host, plugin).as_ref().map_err(Mismatch::summary).err();
    assert_eq!(problem, None, "the layouts are compatible");
}

#[test]
fn releases_are_compatible() {
    check_compatible(Side::own(), release());
    check_compatible(release(), Side::own());
}

/// The global cache of abi_stable made it refuse a newer side after an older one.
#[test]
fn checks_are_independent() {
    for plugin in [release(), Side::own(), release()] {
        check_compatible(Side::own(), plugin);
    }
}
