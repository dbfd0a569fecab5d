//! `prowess probe`, `search --probe`: evaluates the search with queries whose answers are known.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use prowess::Catalog;
use prowess::search::{Answer, Evaluation, Offer, Question, Suggestion, evaluate, suggest};
use prowess_text::shell_word;
use serde::Serialize;

use crate::args::{Global, Judging, Probe};
use crate::commands::found::suggestion;
use crate::failure::Failure;
use crate::named_file;
use crate::output::{DIM, HEADING, ID, Output, counted};
use crate::runtime;
use crate::terminal::{fitted, plain};

/// The maximum number of confusions in the text output; the JSON output has all.
const MOST_CONFUSIONS: usize = 10;

/// The number of skills that are retrieved per query, if the command line names none.
const MOST_OFFERS: usize = 5;

/// The output of `search --probe FILE --format json`.
#[derive(Serialize)]
struct Probed {
    #[serde(flatten)]
    evaluation: Evaluation,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<Vec<Suggestion>>,
}

/// Runs `probe SKILL MESSAGE...`, or `probe FILE`.
pub(crate) fn run(global: &Global, args: &Probe, output: &Output) -> Result<ExitCode, Failure> {
    let Probe { skill, messages, limit, judging } = args;
    if !messages.is_empty() {
        let question = |query: &String| Question {
            query: query.clone(),
            expect: vec![skill.clone()],
            not: Vec::new(),
        };
        return judge(
            global,
            &messages.iter().map(question).collect::<Vec<_>>(),
            *limit,
            judging,
            output,
        );
    }
    let file = Path::new(skill);
    if !file.exists() {
        let message = format!("there is no message for `{skill}`, and no such file");
        let help = format!(
            "name what people would write: `prowess probe {} 'MESSAGE'...`",
            shell_word(skill)
        );
        return Err(Failure::usage("probe-unreadable", message, help));
    }
    of_file(global, file, *limit, judging, output)
}

/// Runs `search --probe FILE`. `--format json` prints the [`Evaluation`].
pub(crate) fn of_file(
    global: &Global,
    file: &Path,
    limit: Option<usize>,
    judging: &Judging,
    output: &Output,
) -> Result<ExitCode, Failure> {
    judge(global, &questions(file)?, limit, judging, output)
}

fn judge(
    global: &Global,
    questions: &[Question],
    limit: Option<usize>,
    judging: &Judging,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let limit = limit.unwrap_or(MOST_OFFERS);
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    let evaluation = evaluate(runtime.ranker().as_ref(), &catalog, questions, limit);
    let suggestions = judging.suggest.then(|| suggest(&catalog, questions, &evaluation));
    let probed = Probed { evaluation, suggestions };
    output.result(&probed, text)?;
    for id in &probed.evaluation.unknown {
        output.remark(&unknown(&catalog, id));
    }
    let is_missed = judging.min_recall.is_some_and(|least| probed.evaluation.recall < least.0);
    Ok(ExitCode::from(u8::from(is_missed)))
}

/// Describes an id that no query can find: an unknown one, or one of a skill that is not offered.
fn unknown(catalog: &Catalog, id: &str) -> String {
    let id = plain(id);
    match catalog.all_named(&id).first().and_then(prowess::Record::reason) {
        Some(reason) => format!("the skill `{id}` is not offered: {}\n", plain(reason)),
        None => match suggestion(catalog, &id, []) {
            Some(meant) => format!("no skill named `{id}`; did you mean `{}`?\n", plain(meant)),
            None => format!("no skill named `{id}`; see `prowess list` for the ids\n"),
        },
    }
}

fn questions(file: &Path) -> Result<Vec<Question>, Failure> {
    let text = named_file::text(file).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", file.display());
        Failure::usage("probe-unreadable", message, "name a JSON file of queries")
    })?;
    serde_json::from_str(&text).map_err(|error| {
        let message = format!("`{}` is not a list of queries: {error}", file.display());
        let help = r#"write [{"query": "...", "expect": ["ID"], "not": ["ID"]}]"#;
        Failure::usage("probe-invalid", message, help)
    })
}

fn text(probed: &Probed) -> String {
    let Probed { evaluation, suggestions } = probed;
    let mut text = String::new();
    for answer in &evaluation.answers {
        write_answer(&mut text, answer);
    }
    let Evaluation { precision, recall, mean_reciprocal_rank, forbidden, .. } = evaluation;
    let _ = writeln!(
        text,
        "{HEADING}{}, the best {} of each by their words{HEADING:#}",
        counted(evaluation.answers.len(), "query"),
        evaluation.limit
    );
    let _ = writeln!(text, "  recall     {recall:.3}  of what was expected was offered");
    let _ = writeln!(text, "  precision  {precision:.3}  of what was offered was expected");
    let _ = writeln!(text, "  MRR        {mean_reciprocal_rank:.3}  is the mean of 1/rank");
    let _ = writeln!(text, "  forbidden  {}", counted(*forbidden, "offer"));
    write_confusions(&mut text, evaluation);
    write_suggestions(&mut text, suggestions.as_deref().unwrap_or_default());
    text
}

fn write_suggestions(text: &mut String, suggestions: &[Suggestion]) {
    for Suggestion { id, queries, add, above } in suggestions {
        let lost = counted(queries.len(), "query");
        let id = plain(id);
        let _ = writeln!(text, "\n{HEADING}{ID}{id}{ID:#} is outranked in {lost}{HEADING:#}");
        let above = above.join(", ");
        let above = plain(&above);
        let advice = if add.is_empty() {
            format!("say in the others what they are not for: {above}")
        } else {
            format!("add to its description: {}", plain(&add.join(", ")))
        };
        let _ = writeln!(text, "  {advice}");
    }
}

fn write_answer(text: &mut String, answer: &Answer) {
    let _ = writeln!(text, "{HEADING}{}{HEADING:#}", fitted(&answer.query, 0));
    for Offer { id, rank, score, is_expected, is_forbidden } in &answer.offers {
        let mark = match (is_expected, is_forbidden) {
            (_, true) => "forbidden",
            (true, false) => "expected",
            (false, false) => "",
        };
        let id = plain(id);
        let _ = write!(text, "  {rank:2}  {DIM}{score:5.2}{DIM:#}  {ID}{id}{ID:#}");
        let _ = writeln!(text, "{}{mark}", if mark.is_empty() { "" } else { "  " });
    }
    for id in &answer.missing {
        let _ = writeln!(text, "   -         {ID}{}{ID:#}  missing", plain(id));
    }
    text.push('\n');
}

fn write_confusions(text: &mut String, evaluation: &Evaluation) {
    if evaluation.confusions.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{HEADING}Confused{HEADING:#}");
    for confusion in evaluation.confusions.iter().take(MOST_CONFUSIONS) {
        let offered = plain(&confusion.offered);
        let expected = plain(&confusion.expected);
        let times = counted(confusion.times, "time");
        let _ = writeln!(text, "  {ID}{offered}{ID:#} above {ID}{expected}{ID:#}  {times}");
    }
    let more = evaluation.confusions.len().saturating_sub(MOST_CONFUSIONS);
    if more > 0 {
        let _ = writeln!(text, "  and {more} more; see --format json");
    }
}
