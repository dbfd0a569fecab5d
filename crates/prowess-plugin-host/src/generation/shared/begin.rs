//! The beginning of an instance, within the time that it is given.

use std::sync::Arc;

use prowess_plugin_abi::codes;

use super::milliseconds;
use crate::adapter::convert;
use crate::calls::{Calls, Patience};
use crate::host_api::HostSide;
use crate::instance::{End, Instance, Shape, begin};
use crate::{LoadedCode, PluginError, PluginErrorKind, PluginLimits};

/// Begins an instance, and checks what it offers.
pub(super) fn begin_in_time(
    calls: &Calls,
    host: &Arc<HostSide>,
    image: &LoadedCode,
    config: &str,
    limits: &PluginLimits,
) -> Result<(Arc<Instance>, Shape), PluginError> {
    let failed =
        |kind, reason: String, help: &str| PluginError::failed(kind, image.file(), reason, help);
    let grace = milliseconds(limits.grace_ms);
    let limit = milliseconds(limits.init_ms);
    let patience = Patience { limit, grace, cancel: None, progress: None, questions: None };
    let module = image.module;
    let config = config.to_owned();
    let (host, ended) = host.object();
    let begun = calls.run(&patience, move || begin(module, host, &config, End { grace, ended }));
    let begun = begun.map_err(|_| {
        let reason = format!("did not begin within {} ms", limits.init_ms);
        failed(PluginErrorKind::Init, reason, "raise `init_ms` if it has much to do")
    })?;
    let (mut instance, shape) = begun.map_err(|error| {
        let kind = match error.code {
            codes::PANIC | codes::POISONED => PluginErrorKind::Panicked,
            _ => PluginErrorKind::Init,
        };
        let help = match error.code {
            codes::INVALID_ARGUMENT => "fix its configuration",
            codes::PANIC => "report it to its author",
            _ => "see what it needs in its documentation",
        };
        failed(kind, format!("cannot begin: {}", error.message), help)
    })?;
    convert::check_tools(&shape.tools, limits.answer_bytes)
        .map_err(|reason| failed(PluginErrorKind::Protocol, reason, "report it to its author"))?;
    instance.build = image.build;
    Ok((Arc::new(instance), shape))
}
