//! `prowess config`: the configuration, and where it comes from.

pub(crate) mod check;
mod edit;
mod explain_preset;
mod file;
mod init;
mod set;
mod show;

use std::process::ExitCode;

use prowess::Configuration;
use show::Selection;

use crate::args::{Config, Global};
use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn run(command: &Config, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    match command {
        Config::Show { key, all, changed } => {
            show::run(
                global,
                &Selection { key: key.as_deref(), all: *all, changed: *changed },
                output,
            )?;
        }
        Config::Get { key, project } => show::get(global, key, *project, output)?,
        Config::Set { key, value, project } => set::set(global, key, value, *project, output)?,
        Config::Unset { key, project } => set::unset(key, *project, output)?,
        Config::Edit { project } => edit::run(global, *project, output)?,
        Config::Init(args) => init::run(args, output)?,
        Config::ExplainPreset { name } => explain_preset::run(name, output)?,
        Config::Schema => output.json(&Configuration::schema())?,
        Config::Check { file } => check::run(global, file.as_deref(), output)?,
    }
    Ok(ExitCode::SUCCESS)
}
