//! The main function of a plugin's process: it confines itself, opens the library and serves calls.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use prowess_core::SkillSource;
use prowess_sandbox::{EXIT_NOT_CONFINED, Inside};

use super::frame::{REQUEST_BYTES, read, write};
use super::plugin::{ChildPlugin, ChildRequest};
use super::protocol::{Hello, Offer, OfferedSource, PROTOCOL, Reply};
use super::server::{Server, Sockets};
use crate::PluginError;

/// Serves one plugin over standard input, which is a socket of the host, until the host ends.
/// `open` opens the library after the process has been confined.
///
/// Must be called first: the process may only have one thread, and all open files except the
/// standard streams are closed. The host reads standard output and standard error, and shows some
/// of their lines.
pub(super) fn serve_child(
    open: impl FnOnce(ChildRequest) -> Result<ChildPlugin, PluginError>,
) -> ExitCode {
    let inside = match prowess_sandbox::enter() {
        Ok(inside) => inside,
        Err(error) => {
            // The host has already received the reason, if there is a host.
            let _ = writeln!(io::stderr(), "prowess plugin process: {error}");
            return EXIT_NOT_CONFINED.into();
        }
    };
    match serve(inside, open) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_end_of_host(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "prowess plugin process: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether the host closed the connection: it ended, or stopped waiting for this process.
fn is_end_of_host(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

fn serve(
    inside: Inside,
    open: impl FnOnce(ChildRequest) -> Result<ChildPlugin, PluginError>,
) -> io::Result<()> {
    let Inside { mut socket, files, .. } = inside;
    let three_files = |_| io::Error::other("expected a library and two sockets from the host");
    let [library, changes, answers] = <[_; 3]>::try_from(files).map_err(three_files)?;
    let Some((hello, _)) = read::<Hello>(&mut socket, REQUEST_BYTES, 0)? else {
        return Ok(());
    };
    if hello.protocol != PROTOCOL {
        let reason = format!("uses protocol {PROTOCOL}, but the host uses {}", hello.protocol);
        let help = "install both from one release";
        return refuse(&mut socket, "plugin-protocol-broken", reason, help);
    }
    let Hello { file, config, limits, .. } = hello;
    let max_bytes = limits.answer_bytes;
    let plugin = match open(ChildRequest { library, file: file.into(), config, limits }) {
        Ok(plugin) => plugin,
        Err(error) => return refuse(&mut socket, error.kind.as_str(), error.reason, &error.help),
    };
    write(&mut socket, &Reply::Ready(offer(&plugin)), &[])?;
    let sockets = Sockets {
        calls: socket,
        changes: UnixStream::from(changes),
        answers: UnixStream::from(answers),
    };
    Server::new(plugin, sockets, max_bytes)?.run()
}

fn offer(plugin: &ChildPlugin) -> Offer {
    Offer {
        protocol: PROTOCOL,
        sources: plugin.sources.iter().map(|source| offered_source(&**source)).collect(),
        tools: plugin.tools.iter().map(|tool| tool.described().clone()).collect(),
    }
}

fn offered_source(source: &dyn SkillSource) -> OfferedSource {
    OfferedSource { name: source.name().into(), root: source.root().into() }
}

fn refuse(socket: &mut UnixStream, code: &str, reason: String, help: &str) -> io::Result<()> {
    write(socket, &Reply::Refused { code: code.into(), reason, help: help.into() }, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host closes the socket when a start times out.
    #[test]
    fn closed_host_is_not_a_failure() {
        let (mut socket, host) = UnixStream::pair().expect("a pair of sockets");
        drop(host);
        let error = refuse(&mut socket, "plugin-init-failed", "late".into(), "none")
            .expect_err("the socket is closed");
        assert!(is_end_of_host(&error), "{error}");
        assert!(!is_end_of_host(&io::Error::other("the host sent other files")));
    }
}
