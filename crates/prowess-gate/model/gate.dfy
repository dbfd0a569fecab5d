// `decide` of `src/decide.rs`. The rules are compared with the call before: here a list covers it,
// names the tool without the arguments, or does not name the tool.
//
// fault: i.approval == OfThese && i.consent != WithoutDigest => i.approval == OfThese

datatype Decision = Deny | Ask | Allow
datatype Semantics = Restrict | Preapprove | Advisory
datatype Combine = Intersect | TopOfStack | Union
datatype Ungranted = AskThen | AllowThen | DenyThen
datatype Trust = Untrusted | AskFirst | Trusted
datatype List = Absent | Empty | Covering | Omitting | Excluding
datatype Skill = Skill(trust: Trust, list: List)
// `ceiling.deny` and `ceiling.only`.
datatype Denial = Undenied | Doubted | Denied
datatype Only = Anything | Inside | Beyond
datatype Consent = Unneeded | WithDigest | WithoutDigest
// Whether there is an approval, of a package with these files or with others.
datatype Approval = None | OfThese | OfOthers
datatype Policy = Policy(
  semantics: Semantics, emptyIsAll: bool, combine: Combine, grantFromAskFirst: bool,
  ungranted: Ungranted)
datatype Input = Input(
  p: Policy, denial: Denial, only: Only, isOperation: bool, consent: Consent,
  approval: Approval, isGranted: bool, skills: seq<Skill>)

predicate method Le(a: Decision, b: Decision) { a == Deny || b == Allow || a == b }

predicate method IsSilent(p: Policy, s: Skill) { s.list == Absent || (s.list == Empty && p.emptyIsAll) }
predicate method Covers(s: Skill) { s.list == Covering }
predicate method Permits(p: Policy, s: Skill) { IsSilent(p, s) || Covers(s) }
predicate method MayGrant(p: Policy, s: Skill) {
  s.trust == Trusted || (s.trust == AskFirst && p.grantFromAskFirst)
}

function method Granting(p: Policy, skills: seq<Skill>): seq<Skill>
  ensures forall s :: s in Granting(p, skills) <==> s in skills && MayGrant(p, s)
{
  if skills == [] then []
  else
    assert skills == [skills[0]] + skills[1..];
    (if MayGrant(p, skills[0]) then [skills[0]] else []) + Granting(p, skills[1..])
}

predicate method IsRestricted(p: Policy, skills: seq<Skill>) {
  var g := Granting(p, skills);
  var refused := match p.combine
    case Intersect => exists s :: s in g && !Permits(p, s)
    case TopOfStack => g != [] && !Permits(p, g[|g| - 1])
    case Union => g != [] && !exists s :: s in g && Permits(p, s);
  refused || exists s :: s in skills && !MayGrant(p, s) && !Permits(p, s)
}

predicate method IsCovered(p: Policy, skills: seq<Skill>) {
  var g := Granting(p, skills);
  var granted := match p.combine
    case Intersect => (forall s :: s in g ==> Permits(p, s)) && exists s :: s in g && Covers(s)
    case TopOfStack => g != [] && Covers(g[|g| - 1])
    case Union => exists s :: s in g && Covers(s);
  granted && forall s :: s in skills && !MayGrant(p, s) ==> Covers(s)
}

// `approval`: none covers a call that needs a consent if the package has no digest.
predicate method IsApproved(i: Input) { i.approval == OfThese && i.consent != WithoutDigest }

function method Asked(i: Input): Decision {
  if i.p.semantics == Restrict && !i.isOperation && IsRestricted(i.p, i.skills) then Deny
  else if IsApproved(i) then Allow
  else if i.p.ungranted == DenyThen then Deny
  else Ask
}

predicate method IsBeyondCeiling(i: Input) {
  i.denial == Denied || (i.isOperation && i.denial == Doubted) || (!i.isOperation && i.only == Beyond)
}

function method Decide(i: Input): Decision {
  if IsBeyondCeiling(i) then Deny
  else if i.denial == Doubted || i.consent != Unneeded then Asked(i)
  else if i.isOperation then Allow
  else match i.p.semantics
    case Restrict => if IsRestricted(i.p, i.skills) then Deny else Allow
    case Preapprove =>
      if i.isGranted || IsCovered(i.p, i.skills) || IsApproved(i) then Allow
      else (match i.p.ungranted case AskThen => Ask case AllowThen => Allow case DenyThen => Deny)
    case Advisory => Allow
}

lemma G1_NothingLiftsTheCeiling(i: Input)
  requires i.denial == Denied || (i.only == Beyond && !i.isOperation)
  ensures Decide(i) == Deny
{}

predicate IsStricter(a: Input, b: Input) {
  a == b.(denial := a.denial, only := a.only)
  && (a.denial == b.denial || a.denial == Denied || b.denial == Undenied)
  && (a.only == b.only || a.only == Beyond || b.only != Beyond)
}

lemma G2_StricterCeilingIsNeverWider(a: Input, b: Input)
  requires IsStricter(a, b)
  ensures Le(Decide(a), Decide(b))
{}

lemma G3_ConsentNeedsAnApproval(i: Input)
  requires i.denial == Doubted || i.consent != Unneeded
  ensures Decide(i) == Allow ==> i.approval == OfThese
{}

lemma G4_ConsentNeedsADigest(i: Input)
  requires i.consent == WithoutDigest
  ensures Decide(i) != Allow
{}

lemma G5_ApprovalLiftsNoLimit(i: Input)
  ensures Decide(i) != Decide(i.(approval := None)) ==>
    Decide(i.(approval := None)) == Ask || i.p.ungranted == DenyThen
  ensures i.p.semantics == Restrict && !i.isOperation && IsRestricted(i.p, i.skills) ==> Decide(i) == Deny
{}

lemma G6_ApprovalOfOtherFilesIsNone(i: Input)
  ensures Decide(i.(approval := OfOthers)) == Decide(i.(approval := None))
{}

function Inserted(skills: seq<Skill>, at: nat, s: Skill): seq<Skill>
  requires at <= |skills|
{ skills[..at] + [s] + skills[at..] }

lemma GrantingOfInserted(p: Policy, skills: seq<Skill>, at: nat, s: Skill)
  requires at <= |skills| && !MayGrant(p, s)
  ensures Granting(p, Inserted(skills, at, s)) == Granting(p, skills)
{
  var all := Inserted(skills, at, s);
  if at > 0 {
    GrantingOfInserted(p, skills[1..], at - 1, s);
    assert all[1..] == Inserted(skills[1..], at - 1, s);
  } else { assert all[1..] == skills; }
}

lemma G7_SkillThatMayNotGrantNeverWidens(i: Input, at: nat, s: Skill)
  requires at <= |i.skills| && !MayGrant(i.p, s)
  ensures Le(Decide(i.(skills := Inserted(i.skills, at, s))), Decide(i))
{
  GrantingOfInserted(i.p, i.skills, at, s);
  forall t | t in i.skills ensures t in Inserted(i.skills, at, s) { InsertedHas(i.skills, at, s, t); }
}

lemma InsertedHas(skills: seq<Skill>, at: nat, s: Skill, t: Skill)
  requires at <= |skills| && t in skills
  ensures t in Inserted(skills, at, s)
{ assert skills == skills[..at] + skills[at..]; }

lemma G8_UntrustedSkillNeverGrants(p: Policy, s: Skill)
  requires s.trust == Untrusted
  ensures !MayGrant(p, s)
{}

lemma G9_OrderDoesNotMatter(a: Input, b: Input)
  requires b == a.(skills := b.skills) && a.p.combine != TopOfStack
  requires forall s :: s in a.skills <==> s in b.skills
  ensures Decide(a) == Decide(b)
{
  var g, h := Granting(a.p, a.skills), Granting(b.p, b.skills);
  assert forall s :: s in g <==> s in h;
  if g != [] { assert g[0] in h; }
  if h != [] { assert h[0] in g; }
}

lemma G10_SeveralSkillsAreAMeet(i: Input, a: seq<Skill>, b: seq<Skill>)
  requires i.p.semantics == Restrict && i.p.combine == Intersect && i.skills == a + b
  ensures Decide(i) == Deny
    <==> Decide(i.(skills := a)) == Deny || Decide(i.(skills := b)) == Deny
{
  assert forall s :: s in i.skills <==> s in a || s in b;
}

lemma G11_SkillWithoutAListLiftsNothing(i: Input, at: nat, s: Skill)
  requires at <= |i.skills| && i.p.combine == Intersect && IsSilent(i.p, s)
  ensures Le(Decide(i.(skills := Inserted(i.skills, at, s))), Decide(i))
{
  var more := i.(skills := Inserted(i.skills, at, s));
  forall t | t in i.skills ensures t in more.skills { InsertedHas(i.skills, at, s, t); }
  assert forall t :: t in more.skills ==> t == s || t in i.skills;
}

lemma G12_SkillsNeverLimitAnOperation(i: Input)
  requires i.isOperation && i.denial == Undenied && i.consent == Unneeded
  ensures Decide(i) == Allow
{}

// The question: the policy, the call, and a number for each skill.
function method Answer(question: seq<seq<int>>): seq<int>
  requires |question| == 3 && |question[0]| == 5 && |question[1]| == 6
{
  var p, c := question[0], question[1];
  var policy := Policy(
    if p[0] == 0 then Restrict else if p[0] == 1 then Preapprove else Advisory,
    p[1] == 1,
    if p[2] == 0 then Intersect else if p[2] == 1 then TopOfStack else Union,
    p[3] == 1,
    if p[4] == 0 then AskThen else if p[4] == 1 then AllowThen else DenyThen);
  var i := Input(
    policy,
    if c[0] == 0 then Undenied else if c[0] == 1 then Doubted else Denied,
    if c[1] == 0 then Anything else if c[1] == 1 then Inside else Beyond,
    c[2] == 1,
    if c[3] == 0 then Unneeded else if c[3] == 1 then WithDigest else WithoutDigest,
    if c[4] == 0 then None else if c[4] == 1 then OfThese else OfOthers,
    c[5] == 1,
    Skills(question[2]));
  [match Decide(i) case Deny => 0 case Ask => 1 case Allow => 2]
}

function method Skills(numbers: seq<int>): seq<Skill> {
  if numbers == [] then []
  else
    var t, l := numbers[0] / 5, numbers[0] % 5;
    [Skill(
      if t == 0 then Untrusted else if t == 1 then AskFirst else Trusted,
      if l == 0 then Absent else if l == 1 then Empty else if l == 2 then Covering
      else if l == 3 then Omitting else Excluding)] + Skills(numbers[1..])
}
