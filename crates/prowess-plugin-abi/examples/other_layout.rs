//! A plugin whose root module has another layout: it has another field in the middle. It is used by
//! tests of hosts.
#![allow(unsafe_code, reason = "what the SDK writes for others is written by hand here")]
#![allow(
    missing_docs,
    non_camel_case_types,
    unreachable_pub,
    unused_qualifications,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    reason = "the macros of abi_stable write such code"
)]

use abi_stable::StableAbi;
use abi_stable::library::{
    __call_root_module_loader, CheckTypeLayout, LibHeader, RootModule, RootModuleResult,
};
use abi_stable::prefix_type::PrefixTypeTrait;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RString, RVec};
use prowess_plugin_abi::manifest::{frame, framed_length};
use prowess_plugin_abi::{AbiError, Exports, HostBox, InitRequest};

#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginModule_Ref, prefix_fields = PluginModule_Prefix)))]
pub struct PluginModule {
    pub abi_minor: u32,
    pub priority: u64,
    #[sabi(last_prefix_field)]
    pub init: extern "C" fn(host: HostBox, request: InitRequest<'_>) -> RResult<Exports, AbiError>,
}

impl RootModule for PluginModule_Ref {
    abi_stable::declare_root_module_statics! {PluginModule_Ref}

    const BASE_NAME: &'static str = "prowess_plugin";
    const NAME: &'static str = "prowess_plugin";
    const VERSION_STRINGS: VersionStrings = abi_stable::package_version_strings!();
}

extern "C" fn init(_: HostBox, _: InitRequest<'_>) -> RResult<Exports, AbiError> {
    RResult::ROk(Exports { sources: RVec::new(), tools: RVec::new(), ext: RString::new() })
}

fn module() -> PluginModule_Ref {
    PluginModule { abi_minor: prowess_plugin_abi::MINOR, priority: 7, init }.leak_into_prefix()
}

extern "C" fn load() -> RootModuleResult {
    __call_root_module_loader(module)
}

const TEXT: &str = r#"{"manifest":1,"name":"other-layout","version":"1.0.0","abi":"1.1","panic":"unwind","kinds":["source"]}"#;

#[used]
#[unsafe(no_mangle)]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__prowess"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".prowess"))]
pub static PROWESS_PLUGIN_MANIFEST: [u8; framed_length(TEXT)] = frame(TEXT);

// SAFETY: `load` returns a `PluginModule_Ref`.
#[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
pub static HEADER: LibHeader =
    unsafe { LibHeader::from_constructor::<PluginModule_Ref>(load, CheckTypeLayout::Yes) };
