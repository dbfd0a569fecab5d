//! The code beside its models.

use std::sync::LazyLock;
use std::thread;

use prowess_core::{
    AllowedTools, Approval, ApprovalId, ApprovalRequest, ApprovalScope, ArgumentPattern, Digest,
    SessionId, Timestamp, Trust,
};
use prowess_gate::{
    Ceiling, Combine, Consent, Decision, EmptyList, GateInput, GatePolicy, GatedSkill, GatedTool,
    GrantFrom, ToolKind, ToolRules, ToolSemantics, Ungranted, decide,
};
use prowess_testkit::replay_model;
use serde_json::json;

use crate::support::SHELL;

/// The rule that covers the call.
const COVERING: &[&str] = &["Bash(python:*)"];

/// `allowed-tools` by number. The last ones cover the call, do not name its tool, or name it with
/// another command.
static LISTS: LazyLock<[AllowedTools; 5]> = LazyLock::new(|| {
    let parse = |list| AllowedTools::parse(list).expect("the list is good");
    let [covering, omitting, excluding] = [COVERING[0], "Read", "Bash(git:*)"].map(parse);
    [AllowedTools::Absent, AllowedTools::Empty, covering, omitting, excluding]
});

fn pick<T: Copy, const N: usize>(of: [T; N], number: i64) -> T {
    of[index(number)]
}

fn index(number: i64) -> usize {
    usize::try_from(number).expect("no number is negative")
}

fn rules(rules: &[&str]) -> ToolRules {
    ToolRules::parse(rules).expect("the rules are good")
}

/// Returns the policy by its numbers and those of the call. A denial of another command leaves a
/// doubt: it cannot be seen what the script of the call runs.
fn policy(policy: &[i64], call: &[i64]) -> GatePolicy {
    GatePolicy {
        tool_semantics: pick(
            [ToolSemantics::Restrict, ToolSemantics::Preapprove, ToolSemantics::Advisory],
            policy[0],
        ),
        empty_list: pick([EmptyList::None, EmptyList::All], policy[1]),
        combine: pick([Combine::Intersect, Combine::TopOfStack, Combine::Union], policy[2]),
        grant_from: pick([GrantFrom::Trusted, GrantFrom::AskFirst], policy[3]),
        ungranted: pick([Ungranted::Ask, Ungranted::Allow, Ungranted::Deny], policy[4]),
        grant: rules(pick([&[], COVERING], call[5])),
        ceiling: Ceiling {
            deny: rules(pick([&[], &["Bash(rm:*)"], COVERING], call[0])),
            only: pick([None, Some(COVERING), Some(&["Read"])], call[1]).map(rules),
        },
        ..GatePolicy::default()
    }
}

/// Decides on `python x.py` by the numbers of the call and of each skill.
fn answer(policy: &GatePolicy, call: &[i64], skills: &[i64]) -> Decision {
    let files = Digest::of(b"these");
    let skill = |id, number: i64| GatedSkill {
        id,
        location: "/skills/one/SKILL.md",
        trust: pick([Trust::Untrusted, Trust::AskFirst, Trust::Trusted], number / 5),
        allowed_tools: &LISTS[index(number % 5)],
        positions: &[],
        package: Some(files),
    };
    let skills: Vec<_> = skills.iter().map(|number| skill("active", *number)).collect();
    let package = pick([None, Some(files), None], call[3]);
    let consent = (call[3] > 0).then(|| Consent {
        skill: GatedSkill { package, ..skill("script", 0) },
        reason: "it brings along what runs",
    });
    let bound = consent.as_ref().map(|consent| consent.skill).or(skills.last().copied());
    let package = bound.and_then(|skill| skill.package);
    let approval = Approval {
        id: ApprovalId::new("approval"),
        request: ApprovalRequest {
            tool: "Bash".into(),
            arguments: ArgumentPattern::Any,
            skill: bound.map(|skill| skill.id.to_owned()),
            package: if call[4] == 1 { package } else { Some(Digest::of(b"others")) },
            tenant: None,
        },
        scope: ApprovalScope::Always,
        session: None,
        granted: Timestamp(0),
        expires: None,
    };
    decide(&GateInput {
        policy,
        tool: GatedTool {
            name: "Bash",
            aliases: &[],
            kind: pick([SHELL, ToolKind::SkillOperation], call[2]),
        },
        arguments: &json!({ "command": "python x.py" }),
        files: None,
        skills: &skills,
        approvals: if call[4] == 0 { &[] } else { std::slice::from_ref(&approval) },
        session: &SessionId::new("session").expect("the id is valid"),
        tenant: None,
        now: Timestamp(1),
        consent,
    })
}

/// 0 for a refusal, 1 for a question to a person, 2 for a call that runs.
fn rank(decision: &Decision) -> i64 {
    match decision {
        Decision::Deny { .. } => 0,
        Decision::Ask { .. } => 1,
        Decision::Allow { .. } => 2,
    }
}

#[test]
fn gate_decides_as_the_model() {
    replay_model(include_str!("../../model/vectors/gate.jsonl"), |question, _| {
        let [numbers, call, skills] = [0, 1, 2].map(|part| question.numbers(part));
        vec![rank(&answer(&policy(&numbers, &call), &call, &skills))]
    });
}

/// Whatever runs by the model is never allowed. The gate may ask about more.
#[test]
fn wrapper_lifts_no_denial() {
    const WORDS: [&str; 12] =
        ["sudo", "nice", "timeout", "env", "rm", "-n", "-u", "-k", "-i", "--", "A=1", "5"];
    let policy = GatePolicy {
        grant: rules(&["Bash"]),
        ceiling: Ceiling { deny: rules(&["Bash(rm:*)"]), only: None },
        ..GatePolicy::default()
    };
    replay_model(include_str!("../../model/vectors/wrapper.jsonl"), |question, model| {
        let words = question.numbers(0).into_iter().map(|number| pick(WORDS, number));
        let line = words.collect::<Vec<_>>().join(" ");
        let decision = decide(&GateInput {
            policy: &policy,
            tool: GatedTool { name: "Bash", aliases: &[], kind: SHELL },
            arguments: &json!({ "command": line }),
            files: None,
            skills: &[],
            approvals: &[],
            session: &SessionId::new("session").expect("the id is valid"),
            tenant: None,
            now: Timestamp(1),
            consent: None,
        });
        match decision.is_allowed() {
            true => vec![0],
            false => model.to_vec(),
        }
    });
}

/// Kinds of skills: three degrees of trust, five kinds of lists each.
const ALL: &[i64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];

/// A kind for each decision of a source: it grants, says nothing, or leaves the tool out.
const DECISIONS: &[i64] = &[12, 0, 8];

/// Returns the skills of a number in the table of all lists of these kinds.
fn skills_of(mut number: usize, kinds: &[i64]) -> Vec<i64> {
    let mut skills = Vec::new();
    while number > 0 {
        number -= 1;
        skills.push(kinds[number % kinds.len()]);
        number /= kinds.len();
    }
    skills
}

fn number_of(skills: &[i64], kinds: &[i64]) -> usize {
    let place = |kind| kinds.iter().position(|known| known == kind).expect("it is one");
    skills.iter().rev().fold(0, |rest, kind| rest * kinds.len() + place(kind) + 1)
}

/// Lemmas G6 to G9 under each policy, for each list of up to three skills of any kind, and of up
/// to five of one kind a decision.
#[test]
fn no_skill_widens_what_others_leave() {
    let check = |number| check_policy(number, ALL, 3) + check_policy(number, DECISIONS, 5);
    let halves = [0..18, 18..36].map(|half| thread::spawn(move || half.map(check).sum::<usize>()));
    assert_eq!(halves.map(|half| half.join().expect("it holds")).iter().sum::<usize>(), 440_316);
}

/// Returns the number of cases.
fn check_policy(number: i64, kinds: &[i64], longest: u32) -> usize {
    let mut cases = 0;
    let numbers = [number % 3, number / 3 % 2, number / 6 % 3, number / 18, 0];
    let policy = policy(&numbers, &[0; 6]);
    let decided = |number| rank(&answer(&policy, &[0; 6], &skills_of(number, kinds)));
    let lists = |longest| (0..=longest).map(|length| kinds.len().pow(length)).sum::<usize>();
    let table: Vec<_> = (0..lists(longest)).map(decided).collect();
    let may_grant = |kind: i64| kind / 5 == 2 || kind / 5 == 1 && numbers[3] == 1;
    let is_silent = |kind: i64| kind % 5 == 0 || kind % 5 == 1 && numbers[1] == 1;
    for number in 0..lists(longest - 1) {
        let skills = skills_of(number, kinds);
        for (&kind, at) in
            kinds.iter().flat_map(|kind| (0..=skills.len()).map(move |at| (kind, at)))
        {
            let mut more = skills.clone();
            more.insert(at, kind);
            let found = table[number_of(&more, kinds)];
            cases += 1;
            if !may_grant(kind) || is_silent(kind) && numbers[2] == 0 {
                assert!(found <= table[number], "{numbers:?}: {kind} in {skills:?} widens");
            }
            if numbers[2] != 1 {
                let mut first = skills.clone();
                first.insert(0, kind);
                let in_front = table[number_of(&first, kinds)];
                assert_eq!(found, in_front, "{numbers:?}: order of {more:?}");
            }
            if numbers[0] == 0 && numbers[2] == 0 {
                let alone = table[number_of(&[kind], kinds)];
                assert_eq!(found, table[number].min(alone), "{numbers:?}: {more:?} is no meet");
            }
        }
    }
    cases
}
