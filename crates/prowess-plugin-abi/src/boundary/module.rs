//! The root module of a plugin.

use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RBox, RResult, RSlice, RStr, RString, RVec};

use super::{AbiError, HostBox, SkillSourceAbi_TO, ToolProviderAbi_TO};

/// A source of a plugin, owned by the host.
pub type SourceBox = SkillSourceAbi_TO<'static, RBox<()>>;
/// A tool provider of a plugin, owned by the host.
pub type ToolsBox = ToolProviderAbi_TO<'static, RBox<()>>;

/// The arguments of `init`.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct InitRequest<'a> {
    /// The minor version of the host's ABI.
    pub host_minor: u32,
    /// The plugin's configuration: JSON, empty if there is none.
    pub config: RStr<'a>,
    /// The host's features beyond its minor version. Those that the plugin also supports are used.
    pub features: RSlice<'a, RStr<'a>>,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// The sources and tools that a plugin offers.
#[repr(C)]
#[derive(StableAbi)]
pub struct Exports {
    /// The sources.
    pub sources: RVec<SourceBox>,
    /// The tool providers.
    pub tools: RVec<ToolsBox>,
    /// Empty, or a JSON object.
    pub ext: RString,
}

/// The root module of a plugin. The host calls `init` for each instance.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginModule_Ref, prefix_fields = PluginModule_Prefix)))]
pub struct PluginModule {
    /// The minor version of the ABI with which the plugin was built.
    pub abi_minor: u32,
    /// Creates an instance.
    #[sabi(last_prefix_field)]
    pub init: extern "C" fn(host: HostBox, request: InitRequest<'_>) -> RResult<Exports, AbiError>,
}

impl RootModule for PluginModule_Ref {
    abi_stable::declare_root_module_statics! {PluginModule_Ref}

    const BASE_NAME: &'static str = "prowess_plugin";
    const NAME: &'static str = "prowess_plugin";
    const VERSION_STRINGS: VersionStrings = abi_stable::package_version_strings!();
}
