// One proposal for one line of a skill: `accept`, `reject` and `withdraw` of `src/review.rs`, over a series
// of acts. The proposer is an agent; the policy names another one as a reviewer.
//
// fault: if s.isElsewhere && !isRebased then Refused(Conflict) => if false then Refused(Conflict)

datatype Line = Base | Other | Proposed
// `isElsewhere`: the skill was changed far from the line, too.
datatype Skill = Skill(line: Line, isElsewhere: bool, isDecided: bool)
datatype Who = Person | Proposer | Named | Unnamed
datatype Reason = NotShown | NotAllowed | Conflict | NotFound
datatype Outcome = Done(skill: Skill) | Refused(reason: Reason)
// `isShown`: the reviewer has seen this very proposal.
datatype Act = EditElsewhere | EditLine | Accept(who: Who, isShown: bool, isRebased: bool)
  | Reject(who: Who, isShown: bool) | Withdraw(who: Who, isShown: bool)

function method Accepted(s: Skill, isRebased: bool): Outcome {
  if s.line != Base then Refused(Conflict)
  else if s.isElsewhere && !isRebased then Refused(Conflict)
  else Done(Skill(Proposed, s.isElsewhere, true))
}

function method After(s: Skill, act: Act): Outcome {
  match act
    case EditElsewhere => Done(s.(isElsewhere := true))
    case EditLine => Done(s.(line := Other))
    case Accept(who, isShown, isRebased) =>
      if s.isDecided then Refused(NotFound)
      else if !isShown then Refused(NotShown)
      else if who == Proposer || who == Unnamed then Refused(NotAllowed)
      else Accepted(s, isRebased)
    case Reject(who, isShown) =>
      if s.isDecided then Refused(NotFound)
      else if !isShown then Refused(NotShown)
      else if who == Proposer || who == Unnamed then Refused(NotAllowed)
      else Done(s.(isDecided := true))
    case Withdraw(who, isShown) =>
      if s.isDecided then Refused(NotFound)
      else if !isShown then Refused(NotShown)
      else if who == Named || who == Unnamed then Refused(NotAllowed)
      else Done(s.(isDecided := true))
}

predicate IsEdit(act: Act) { act == EditElsewhere || act == EditLine }

lemma V1_AppliedOntoItsBaseOnly(s: Skill, act: Act)
  requires act.Accept? && After(s, act).Done?
  ensures s.line == Base && (s.isElsewhere ==> act.isRebased) && !s.isDecided
{}

lemma V2_ProposerNeverAccepts(s: Skill, act: Act)
  requires act.Accept? && act.who == Proposer
  ensures After(s, act).Refused?
{}

lemma V3_DecidedOnce(s: Skill, act: Act)
  requires s.isDecided && !IsEdit(act)
  ensures After(s, act) == Refused(NotFound)
{}

lemma V4_OnlyAnAcceptanceChangesTheSkill(s: Skill, act: Act)
  requires !IsEdit(act) && After(s, act).Done? && !act.Accept?
  ensures After(s, act).skill.line == s.line && After(s, act).skill.isElsewhere == s.isElsewhere
{}

lemma V5_NoEditIsLost(s: Skill, act: Act)
  requires act.Accept? && After(s, act).Done?
  ensures After(s, act).skill.isElsewhere == s.isElsewhere && s.line != Other
{}

lemma V6_NobodyDecidesUnseen(s: Skill, act: Act)
  requires !IsEdit(act) && !act.isShown
  ensures After(s, act).Refused?
{}

function method Who(n: int): Who { if n == 0 then Person else if n == 1 then Proposer else if n == 2 then Named else Unnamed }

// Acts are numbers: the kind below five, then the person, then whether it was shown and is rebased.
function method Read(n: int): Act {
  var kind, who, isShown, isRebased := n % 5, Who(n / 5 % 4), n / 20 % 2 == 0, n / 40 % 2 == 1;
  if kind == 0 then EditElsewhere else if kind == 1 then EditLine
  else if kind == 2 then Accept(who, isShown, isRebased)
  else if kind == 3 then Reject(who, isShown) else Withdraw(who, isShown)
}

function method Play(s: Skill, acts: seq<int>): seq<int>
  decreases |acts|
{
  if acts == [] then
    [match s.line case Base => 0 case Other => 1 case Proposed => 2, if s.isElsewhere then 1 else 0, if s.isDecided then 1 else 0]
  else match After(s, Read(acts[0]))
    case Done(next) => [0] + Play(next, acts[1..])
    case Refused(reason) =>
      [match reason case NotShown => 1 case NotAllowed => 2 case Conflict => 3 case NotFound => 4] + Play(s, acts[1..])
}

// The question: acts. The answers, then the skill at the end.
function method Answer(question: seq<seq<int>>): seq<int>
  requires |question| == 1
{ Play(Skill(Base, false, false), question[0]) }
