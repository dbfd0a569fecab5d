//! One file per command.

mod agent;
mod approvals;
pub(crate) mod audit;
mod call;
mod candidates;
#[cfg(feature = "catalog-file")]
mod catalog;
mod commit;
mod composed;
pub(crate) mod config;
mod conversation;
mod difference;
mod doctor;
mod elsewhere;
mod explain;
mod found;
mod help;
mod history;
pub(crate) mod install;
mod list;
mod lock;
mod manual;
mod margin;
mod mcp;
mod named;
mod new;
mod overview;
mod own_copies;
mod placement;
mod plugin;
mod probe;
mod prompt;
mod proposals;
mod publish;
#[cfg(feature = "vendor")]
mod request;
mod run;
mod search;
mod serve;
#[cfg(feature = "virtual-shell")]
mod shell;
mod show;
mod skill_change;
#[cfg(feature = "reference")]
mod skills_ref;
mod sync;
mod tour;
mod trust;
mod update;
mod user_trust;
mod validate;

use std::process::ExitCode;

use crate::args::{Args, Command, Config, Format, Global, Plugin};
use crate::failure::Failure;
#[cfg(not(all(feature = "catalog-file", feature = "vendor", feature = "virtual-shell")))]
use crate::features::lacks;
use crate::output::Output;
use crate::policies::Found;

/// Returns the options of a command; those of one that needs no configuration file are without the
/// files that cannot be used.
fn tolerant(args: &Args, output: &Output) -> Result<Global, Failure> {
    match &args.command {
        // A verdict for a program is by the rules that are configured, or none.
        Some(Command::Validate(_)) if !output.is_text() => {
            Found::of(&args.global)?.complete().map(|_| args.global.clone())
        }
        Some(
            Command::Config(Config::Show { .. } | Config::Get { .. })
            | Command::New(_)
            | Command::Plugin(Plugin::Trust(_) | Plugin::List)
            | Command::Tour
            | Command::Validate(_),
        ) => Found::tolerant(&args.global, Found::check, output),
        // Others print it with the findings in skills.
        Some(Command::Call { .. } | Command::Prompt(_) | Command::Run(_)) => {
            let left_out = Found::of(&args.global)?.left_out.iter().map(Failure::left_out);
            output.diagnostics(&left_out.collect::<Vec<_>>());
            Ok(args.global.clone())
        }
        _ => Ok(args.global.clone()),
    }
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, Failure> {
    let global = &tolerant(args, output)?;
    if matches!(global.format, Format::Sarif | Format::Github)
        && !matches!(args.command, Some(Command::Validate(_)))
    {
        let message = "only `validate` prints the formats `sarif` and `github`";
        return Err(Failure::usage("format-unsupported", message, "use `--format json`"));
    }
    match &args.command {
        None => overview::run(global, output),
        Some(Command::Validate(args)) => validate::run(global, args, output),
        Some(Command::ReadProperties { path, profile }) => {
            named::read_properties(path, *profile, output)
        }
        Some(Command::New(args)) => new::run(global, args, output),
        Some(Command::ToPrompt { paths, profile }) => named::to_prompt(paths, *profile, output),
        Some(Command::Doctor) => doctor::run(global, output),
        Some(Command::List(args)) => list::run(global, args, output),
        Some(Command::Show { id }) => show::run(global, id, output),
        Some(Command::Search(args)) => match &args.probe {
            None => search::run(global, args, output),
            Some(file) => probe::of_file(global, file, args.limit, &args.judging, output),
        },
        Some(Command::Probe(args)) => probe::run(global, args, output),
        Some(Command::Explain { query }) => explain::run(global, query, output),
        Some(Command::Prompt(args)) => match args.request.vendor {
            None => prompt::run(global, args, output),
            #[cfg(feature = "vendor")]
            Some(vendor) => request::run(global, args, vendor, output),
            #[cfg(not(feature = "vendor"))]
            Some(_) => Err(lacks("vendor", "prompt --vendor")),
        },
        Some(Command::Call { tool: None, load, message, .. }) => {
            call::tools(global, load, message.as_deref(), output)
        }
        Some(Command::Call { tool: Some(tool), json, load, message, explain: false }) => {
            call::run(global, tool, json, load, message.as_deref(), output)
        }
        Some(Command::Call { tool: Some(tool), json, load, message, explain: true }) => {
            call::explain(global, tool, json, load, message.as_deref(), output)
        }
        #[cfg(feature = "virtual-shell")]
        Some(Command::Run(args)) if args.shell => shell::run(global, args, output),
        #[cfg(not(feature = "virtual-shell"))]
        Some(Command::Run(args)) if args.shell => Err(lacks("virtual-shell", "run --shell")),
        Some(Command::Run(args)) => run::run(global, args, output),
        Some(Command::Plugin(command)) => plugin::run(global, command, output),
        Some(Command::Serve(args)) => serve::run(args, global, output),
        Some(Command::Mcp(command)) => mcp::run(command, global, output),
        Some(Command::Config(command)) => config::run(command, global, output),
        Some(Command::Trust(args)) => trust::run(global, args, output),
        Some(Command::Add(args)) => install::add(args, output),
        Some(Command::Remove(args)) => install::remove(args, output),
        Some(Command::Sync(args)) => sync::run(args, output),
        Some(Command::Update(args)) => update::run(args, output),
        Some(Command::Verify(options)) => install::verify(options, output),
        Some(Command::Publish(args)) => publish::run(args, output),
        #[cfg(feature = "catalog-file")]
        Some(Command::Catalog(command)) => catalog::run(command, global, output),
        #[cfg(not(feature = "catalog-file"))]
        Some(Command::Catalog(_)) => Err(lacks("catalog-file", "catalog build")),
        Some(Command::Audit(command)) => audit::run(command, global, output),
        Some(Command::Approvals { store, command }) => {
            let global = Global { store: store.clone(), ..global.clone() };
            approvals::run(command.as_ref(), &global, output)
        }
        Some(Command::Proposals { command }) => proposals::run(command.as_ref(), global, output),
        Some(Command::Propose(args)) => proposals::propose(args, global, output),
        Some(Command::History(args)) => history::run(args, global, output),
        Some(Command::Diff(args)) => history::diff(args, global, output),
        Some(Command::Restore(args)) => history::restore(args, global, output),
        Some(Command::Completions { words: Some(words), .. }) => {
            candidates::print(words, global, output)
        }
        Some(Command::Completions { shell, words: None }) => manual::completions(*shell, output),
        Some(Command::Man { directory }) => manual::pages(directory.as_deref(), output),
        Some(Command::Tour) => tour::run(global, output),
        Some(Command::Help { words }) => help::run(words, output),
        Some(Command::Version { features: false }) => manual::version(output),
        Some(Command::Version { features: true }) => manual::features(output),
    }
}
