//! Where a plugin begins.

use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RBox, RResult, RSlice, RStr, RString, RVec};

use super::{AbiError, HostBox, SkillSourceAbi_TO, ToolProviderAbi_TO};

/// A source that the host owns.
pub type SourceBox = SkillSourceAbi_TO<'static, RBox<()>>;
/// A tool provider that the host owns.
pub type ToolsBox = ToolProviderAbi_TO<'static, RBox<()>>;

/// The arguments of `init`.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct InitRequest<'a> {
    /// The minor version of the boundary that the host speaks.
    pub host_minor: u32,
    /// The plugin's configuration: JSON, empty if there is none.
    pub config: RStr<'a>,
    /// The host's capabilities beyond its minor version, as words. Both sides use the common ones.
    pub features: RSlice<'a, RStr<'a>>,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// The sources and tools that a plugin offers.
#[repr(C)]
#[derive(StableAbi)]
pub struct Exports {
    /// Its sources.
    pub sources: RVec<SourceBox>,
    /// Its tool providers.
    pub tools: RVec<ToolsBox>,
    /// Empty, or a JSON object.
    pub ext: RString,
}

/// The root of a plugin. The host calls `init` as often as it needs a new instance.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginModule_Ref, prefix_fields = PluginModule_Prefix)))]
pub struct PluginModule {
    /// The minor version of the boundary that the plugin was built with.
    pub abi_minor: u32,
    /// Makes an instance.
    #[sabi(last_prefix_field)]
    pub init: extern "C" fn(host: HostBox, request: InitRequest<'_>) -> RResult<Exports, AbiError>,
}

impl RootModule for PluginModule_Ref {
    abi_stable::declare_root_module_statics! {PluginModule_Ref}

    const BASE_NAME: &'static str = "prowess_plugin";
    const NAME: &'static str = "prowess_plugin";
    const VERSION_STRINGS: VersionStrings = abi_stable::package_version_strings!();
}
