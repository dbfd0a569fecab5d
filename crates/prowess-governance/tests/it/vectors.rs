//! The code beside its model.

use std::fs;

use prowess_core::{Actor, Catalog, Digest, Timestamp};
use prowess_governance::{Review, ReviewError, codes, package_digest, review_codes};
use prowess_testkit::replay_model;

use crate::review::{Place, ada};

/// The line that the proposal is about: as it was, after an edit, and as it is proposed.
const LINES: [&str; 3] = ["Save the form.", "Burn the form.", "Send the form."];

const ELSEWHERE: &str = "Ask the owner.\n";

fn edit(place: &Place, change: impl FnOnce(&str) -> String) {
    let path = place.tree.join("skills/pdf/SKILL.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, change(&text)).unwrap();
}

/// Acts on the proposal: the kind of the act, the person, and whether the proposal was not shown
/// and is rebased.
fn act(place: &Place, shown: &Review, number: usize) -> Result<(), ReviewError> {
    let reviewers = [
        ada(),
        Actor::Agent("agent".into()),
        Actor::Reviewer("reviewer".into()),
        Actor::Reviewer("other".into()),
    ];
    let digest = if number / 20 % 2 == 1 { Digest::of(b"another one") } else { shown.digest };
    let review = Review { reviewer: reviewers[number / 5 % 4].clone(), digest, ..shown.clone() };
    match number % 5 {
        0 => edit(place, |text| text.replace(ELSEWHERE, "") + ELSEWHERE),
        1 => edit(place, |text| {
            LINES.iter().fold(text.to_owned(), |text, line| text.replace(line, LINES[1]))
        }),
        2 => {
            let (package, catalog) = (place.package(), Catalog::empty());
            let onto = (number / 40 % 2 == 1).then(|| package_digest(&package.files().unwrap()));
            let accepted = place.proposals.accept(&review, &package, &catalog, onto)?;
            accepted.apply(Timestamp(1_790_000_090_000))?;
        }
        3 => drop(place.proposals.reject(&review)?),
        _ => drop(place.proposals.withdraw(&review)?),
    }
    Ok(())
}

#[test]
fn proposal_is_decided_as_in_the_model() {
    let numbers = [
        review_codes::PROPOSAL_CHANGED,
        review_codes::REVIEWER_NOT_ALLOWED,
        codes::PROPOSAL_CONFLICT,
        review_codes::PROPOSAL_NOT_FOUND,
    ];
    replay_model(include_str!("../../model/vectors/proposal.jsonl"), |question, _| {
        let place = Place::new();
        place.propose(&format!("-{}\n+{}\n", LINES[0], LINES[2])).unwrap();
        let shown = place.review(ada());
        let mut answer = Vec::new();
        for number in question.counts(0) {
            let code = act(&place, &shown, number).err().map(|error| error.code);
            let position =
                code.map(|code| numbers.iter().position(|known| *known == code).unwrap());
            answer.push(position.map_or(0, |position| i64::try_from(position).unwrap() + 1));
        }
        let text = String::from_utf8(place.files()["SKILL.md"].content.clone()).unwrap();
        let line = LINES.iter().position(|line| text.contains(line)).unwrap();
        let is_decided = place.proposals.waiting().unwrap().is_empty();
        answer.push(i64::try_from(line).unwrap());
        answer.extend([text.contains(ELSEWHERE), is_decided].map(i64::from));
        answer
    });
}
