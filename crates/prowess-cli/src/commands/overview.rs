//! `prowess` without a command: how many skills each layer has, and the next step.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use prowess::registry::codes::PROJECT_NOT_TRUSTED;
use prowess::{Availability, Catalog, Record, Severity};
use prowess_text::shell_path;
use serde::Serialize;

use crate::args::Global;
use crate::commands::composed::InPrompt;
use crate::commands::elsewhere::{Elsewhere, UnreadLine};
use crate::commands::own_copies;
use crate::commands::user_trust::{self, UserTrust};
use crate::failure::Failure;
use crate::lock_place::shown_root;
use crate::output::{DIM, HEADING, Output, counted, grouped};
use crate::runtime::with_prowess;
use crate::terminal::{columns_behind, padded, plain, width, wrapped};
use crate::{paths, runtime};

#[derive(Serialize)]
struct Overview {
    generation: u64,
    layers: Vec<LayerLine>,
    skills: usize,
    shadowed: usize,
    hidden: usize,
    not_ready: usize,
    /// The number of skills about this program, which are off.
    about_prowess: usize,
    errors: usize,
    warnings: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_prompt: Option<InPrompt>,
    /// Directories with skills that are not searched.
    unread: Vec<UnreadLine>,
    #[serde(skip)]
    elsewhere: String,
    #[serde(skip)]
    next_to_trust: Option<String>,
    /// Whether `-C` names another directory, which commands have to name, too.
    #[serde(skip)]
    is_elsewhere: bool,
}

#[derive(Serialize)]
struct LayerLine {
    layer: String,
    trust: &'static str,
    /// Whether the user trusts the directories of a layer that asks first.
    #[serde(skip_serializing_if = "Option::is_none")]
    trusted_by_user: Option<bool>,
    skills: usize,
    roots: Vec<String>,
    /// The number of skills of each root.
    #[serde(skip)]
    counts: Vec<usize>,
}

pub(crate) fn run(global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    let elsewhere = Elsewhere::of(global, runtime.policies(), &catalog)?;
    let in_prompt = InPrompt::of(&runtime)?;
    let trust = UserTrust::of(&catalog)?;
    let is_elsewhere = global.start.is_some();
    let overview = Overview { in_prompt, is_elsewhere, ..overview(&catalog, &trust, &elsewhere) };
    output.result(&overview, text)?;
    Ok(ExitCode::SUCCESS)
}

fn overview(catalog: &Catalog, trust: &UserTrust, elsewhere: &Elsewhere) -> Overview {
    let line = |(rank, layer): (usize, &prowess::Layer)| LayerLine {
        layer: layer.name.to_string(),
        trust: layer.trust.as_str(),
        trusted_by_user: trust.in_layer(catalog, rank),
        skills: catalog.skills().filter(|skill| skill.rank() == rank).count(),
        roots: catalog
            .sources()
            .iter()
            .filter(|source| source.layer == rank)
            .map(|source| source.source.root().to_owned())
            .filter(|root| paths::is_there(root))
            .collect(),
        counts: (0..catalog.sources().len())
            .filter(|&at| catalog.sources()[at].layer == rank)
            .filter(|&at| paths::is_there(catalog.sources()[at].source.root()))
            .map(|at| catalog.len_of(at))
            .collect(),
    };
    let count = |severity| {
        catalog.diagnostics().filter(|diagnostic| diagnostic.severity == severity).count()
    };
    let in_state =
        |state| catalog.excluded().filter(|record| record.availability().as_str() == state).count();
    let is_again = |record: &Record<'_>| {
        record.availability() == Availability::Shadowed && own_copies::is_again(catalog, *record)
    };
    let again = catalog.excluded().filter(is_again).count();
    let not_trusted = catalog.diagnostics().find(|found| found.code == PROJECT_NOT_TRUSTED);
    Overview {
        generation: catalog.generation(),
        layers: catalog.layers().iter().enumerate().map(line).collect(),
        skills: catalog.len(),
        shadowed: in_state("shadowed") - again,
        hidden: in_state("hidden"),
        not_ready: in_state("not-ready"),
        about_prowess: catalog.excluded().filter(|record| runtime::is_off(*record)).count(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        in_prompt: None,
        unread: elsewhere.in_json(),
        elsewhere: elsewhere.lines(),
        is_elsewhere: false,
        next_to_trust: not_trusted.and_then(|found| found.path.as_deref().map(str::to_owned)),
    }
}

/// The column of the purpose of a command.
const PURPOSE: usize = 26;

fn text(overview: &Overview) -> String {
    let Overview { skills, shadowed, hidden, not_ready, errors, warnings, layers, .. } = overview;
    let hidden = &(hidden - overview.about_prowess);
    let skills_word = counted(*skills, "skill");
    let mut text =
        format!("{HEADING}{skills_word}{HEADING:#} by layer, highest precedence first:\n");
    // Skills that are installed for the user have two layers, of which most people use one.
    let is_shown = |line: &&LayerLine| line.skills > 0 || !line.layer.starts_with("installed");
    let layers: Vec<_> = layers.iter().filter(is_shown).collect();
    let columns = layers.iter().map(|line| width(&line.layer)).max().unwrap_or(0);
    for LayerLine { layer, trust, trusted_by_user, skills, roots, counts } in layers {
        let trust = user_trust::described(trust, *trusted_by_user);
        let skills = grouped(*skills);
        let layer = padded(&plain(layer), columns);
        let _ = writeln!(text, "  {layer} {skills:>5}  {DIM}{trust}{DIM:#}");
        for (root, count) in roots.iter().zip(counts) {
            let count =
                if roots.len() > 1 { format!("  {}", grouped(*count)) } else { String::new() };
            let _ = writeln!(text, "      {DIM}{}{count}{DIM:#}", shown_root(root));
        }
    }
    if shadowed + hidden + not_ready + errors + warnings > 0 {
        let errors = counted(*errors, "error");
        let warnings = counted(*warnings, "warning");
        let some = |count: usize, state: &str| match count {
            0 => String::new(),
            count => format!("{count} {state}, "),
        };
        let hidden = some(*hidden, "hidden");
        let not_ready = some(*not_ready, "not ready");
        let shadowed = some(*shadowed, "shadowed");
        let _ = writeln!(text, "\n{hidden}{not_ready}{shadowed}{errors}, {warnings}");
    }
    if let Some(in_prompt) = &overview.in_prompt {
        let sentence = wrapped(&in_prompt.sentence(), columns_behind(0), 0);
        let _ = writeln!(text, "\n{sentence}");
    }
    if !overview.elsewhere.is_empty() {
        let columns = columns_behind(2);
        let lines = overview.elsewhere.split_inclusive('\n').map(|line| wrapped(line, columns, 2));
        let _ = write!(text, "\n{}", lines.collect::<String>());
    }
    if overview.about_prowess > 0 {
        let off = counted(overview.about_prowess, "skill");
        let _ = writeln!(text, "\n{off} about prowess itself: not offered; to offer them, run");
        let _ = writeln!(text, "  {DIM}{}{DIM:#}", plain(&with_prowess()));
    }
    let _ = writeln!(text, "\n{HEADING}Next{HEADING:#}");
    if let Some(folder) = &overview.next_to_trust {
        let purpose = format!("trust {}, so that its skills are offered", plain(folder));
        let purpose = wrapped(&purpose, columns_behind(PURPOSE), PURPOSE);
        let is_project =
            paths::surroundings().is_ok_and(|it| it.project() == Some(Path::new(folder)));
        let command = match is_project && !overview.is_elsewhere {
            true => padded("  prowess trust", PURPOSE),
            // Another project, or one in this one.
            false => format!("  prowess trust {}\n{:PURPOSE$}", shell_path(Path::new(folder)), ""),
        };
        let _ = writeln!(text, "{command}{purpose}");
    }
    if *skills > 0 {
        text.push_str("  prowess list            every skill, and why some are not offered\n");
        text.push_str(
            "  prowess prompt          the skills section of the prompt, as a model gets it\n",
        );
    } else {
        text.push_str("  prowess new NAME        create a skill\n");
    }
    if *errors > 0 {
        text.push_str("  prowess doctor          every problem, and how to fix it\n");
        text.push_str("  prowess explain NAME    why a skill is missing\n");
    }
    text.push_str("  prowess tour            play through an agent's conversation\n");
    text.push_str("  prowess serve           serve the skills to an agent over MCP\n");
    text
}
