//! Adapts the author's objects to the ABI.

mod conversation;
mod mirror;
mod mirror_catalog;
mod mirror_source;
mod recent;
mod session;
mod sink;
mod source;
mod tools;

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::{RString, RVec};
use prowess_plugin_abi::{Exports, SkillSourceAbi_TO, ToolProviderAbi_TO};

use crate::{Host, Registration};
use source::SourceAdapter;
use tools::ToolsAdapter;

/// Converts the sources and tools of an instance.
pub(crate) fn exports(registration: Registration, host: &Host) -> Exports {
    let source =
        |source| SkillSourceAbi_TO::from_value(SourceAdapter::new(source, host), TD_Opaque);
    let tools = |tools| ToolProviderAbi_TO::from_value(ToolsAdapter::new(tools, host), TD_Opaque);
    Exports {
        sources: registration.sources.into_iter().map(source).collect::<RVec<_>>(),
        tools: registration.tools.into_iter().map(tools).collect::<RVec<_>>(),
        ext: RString::new(),
    }
}
