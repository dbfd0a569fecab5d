// One proposal for one line of a skill: `accept`, `reject` and `withdraw` of `src/review.rs`, over a series of acts.
// The proposer is an agent; the policy names another one as a reviewer.
//
// fault: (s.isElsewhere && !act.isRebased) => false

datatype Line = Base | Other | Proposed
// `isElsewhere`: the skill was changed far from the line, too.
datatype Skill = Skill(line: Line, isElsewhere: bool, isDecided: bool)
datatype Who = Person | Proposer | Named | Unnamed
datatype Kind = EditElsewhere | EditLine | Accept | Reject | Withdraw
// `isUnseen`: the reviewer has seen another proposal.
datatype Act = Act(isRebased: bool, isUnseen: bool, who: Who, kind: Kind)
datatype Outcome = Done | NotShown | NotAllowed | Conflict | NotFound
datatype Played = Played(outcomes: seq<Outcome>, skill: Skill)

predicate method IsEdit(act: Act) { act.kind == EditElsewhere || act.kind == EditLine }

function method Verdict(s: Skill, act: Act): Outcome {
  if IsEdit(act) then Done
  else if s.isDecided then NotFound
  else if act.isUnseen then NotShown
  else if act.who == Unnamed || act.who == (if act.kind == Withdraw then Named else Proposer) then NotAllowed
  else if act.kind == Accept && (s.line != Base || (s.isElsewhere && !act.isRebased)) then Conflict
  else Done
}

function method After(s: Skill, act: Act): Skill {
  if Verdict(s, act) != Done then s
  else match act.kind
    case EditElsewhere => s.(isElsewhere := true)
    case EditLine => s.(line := Other)
    case Accept => s.(line := Proposed, isDecided := true)
    case Reject => s.(isDecided := true)
    case Withdraw => s.(isDecided := true)
}

lemma V1_AppliedOntoItsBaseOnly(s: Skill, act: Act)
  requires act.kind == Accept && After(s, act) != s
  ensures s.line == Base && (s.isElsewhere ==> act.isRebased) && !s.isDecided {}

lemma V2_ProposerNeverAccepts(s: Skill, act: Act)
  ensures act.kind == Accept && act.who == Proposer ==> Verdict(s, act) != Done {}

lemma V3_NobodyDecidesTwiceOrUnseen(s: Skill, act: Act)
  ensures !IsEdit(act) && (s.isDecided || act.isUnseen) ==> After(s, act) == s && Verdict(s, act) != Done {}

lemma V4_OnlyAnAcceptanceChangesTheSkill(s: Skill, act: Act)
  requires !IsEdit(act)
  ensures After(s, act).isElsewhere == s.isElsewhere
  ensures act.kind != Accept || s.line == Other ==> After(s, act).line == s.line {}

function method Play(acts: seq<Act>, s: Skill): Played {
  if acts == [] then Played([], s)
  else var rest := Play(acts[1..], After(s, acts[0])); rest.(outcomes := [Verdict(s, acts[0])] + rest.outcomes)
}

function method Answer(acts: seq<Act>): Played { Play(acts, Skill(Base, false, false)) }
