// `decide` of `src/decide.rs`. The rules are compared with the call before: here a list covers it, names the tool
// without the arguments, or does not name the tool.
//
// fault: c.approval == OfThese && c.consent != WithoutDigest => c.approval == OfThese

datatype Decision = Deny | Ask | Allow
datatype Semantics = Restrict | Preapprove | Advisory
datatype Combine = Intersect | TopOfStack | Union
datatype Ungranted = AskThen | AllowThen | DenyThen
datatype Policy = Policy(
  semantics: Semantics, emptyIsAll: bool, combine: Combine, grantFromAskFirst: bool, ungranted: Ungranted)
datatype Trust = Untrusted | AskFirst | Trusted
datatype List = Absent | Empty | Covering | Omitting | Excluding
datatype Skill = Skill(trust: Trust, list: List)
// `ceiling.deny` and `ceiling.only`; whether there is an approval, of a package with these files or with others.
datatype Denial = Undenied | Doubted | Denied
datatype Only = Anything | Inside | Beyond
datatype Consent = Unneeded | WithDigest | WithoutDigest
datatype Approval = None | OfThese | OfOthers
datatype Call = Call(
  denial: Denial, only: Only, isOperation: bool, consent: Consent, approval: Approval, isGranted: bool)
type Skills = seq<Skill>

predicate method IsSilent(p: Policy, s: Skill) { s.list == Absent || (s.list == Empty && p.emptyIsAll) }
predicate method Permits(p: Policy, s: Skill) { IsSilent(p, s) || s.list == Covering }
predicate method MayGrant(p: Policy, s: Skill) { s.trust == Trusted || (s.trust == AskFirst && p.grantFromAskFirst) }

// The skills whose grants count: those that may grant, or the uppermost of these.
function method Granting(p: Policy, skills: Skills): Skills
  ensures forall s :: s in Granting(p, skills) ==> s in skills && MayGrant(p, s)
  ensures p.combine != TopOfStack ==> forall s :: s in skills && MayGrant(p, s) ==> s in Granting(p, skills)
{
  if skills == [] then []
  else var above := Granting(p, skills[1..]);
    if !MayGrant(p, skills[0]) || (p.combine == TopOfStack && above != []) then above else [skills[0]] + above
}

predicate method IsRestricted(p: Policy, skills: Skills) {
  var g := Granting(p, skills);
  (if p.combine == Union then g != [] && !exists s :: s in g && Permits(p, s) else exists s :: s in g && !Permits(p, s))
  || exists s :: s in skills && !MayGrant(p, s) && !Permits(p, s)
}

predicate method IsCovered(p: Policy, skills: Skills) {
  var g := Granting(p, skills);
  (exists s :: s in g && s.list == Covering)
  && (p.combine == Intersect ==> forall s :: s in g ==> Permits(p, s))
  && forall s :: s in skills && !MayGrant(p, s) ==> s.list == Covering
}

// None covers a call that needs a consent if the package has no digest.
predicate method IsApproved(c: Call) { c.approval == OfThese && c.consent != WithoutDigest }
predicate method IsBeyondCeiling(c: Call)
{ c.denial == Denied || (if c.isOperation then c.denial == Doubted else c.only == Beyond) }
predicate method NeedsApproval(c: Call) { c.denial == Doubted || c.consent != Unneeded }

function method Decide(p: Policy, c: Call, skills: Skills): Decision {
  if IsBeyondCeiling(c) then Deny
  else if !c.isOperation && p.semantics == Restrict && IsRestricted(p, skills) then Deny
  else if NeedsApproval(c) then if IsApproved(c) then Allow else if p.ungranted == DenyThen then Deny else Ask
  else if c.isOperation || p.semantics != Preapprove then Allow
  else if c.isGranted || IsCovered(p, skills) || IsApproved(c) then Allow
  else match p.ungranted case AskThen => Ask case AllowThen => Allow case DenyThen => Deny
}

predicate Le(a: Decision, b: Decision) { a == Deny || b == Allow || a == b }

lemma G1_NothingLiftsALimit(p: Policy, c: Call, skills: Skills)
  requires c.denial == Denied
    || (!c.isOperation && (c.only == Beyond || (p.semantics == Restrict && IsRestricted(p, skills))))
  ensures Decide(p, c, skills) == Deny {}

lemma G2_StricterCeilingIsNeverWider(p: Policy, a: Call, b: Call, skills: Skills)
  requires a == b.(denial := a.denial, only := a.only)
  requires a.denial == b.denial || a.denial == Denied || b.denial == Undenied
  requires a.only == b.only || a.only == Beyond
  ensures Le(Decide(p, a, skills), Decide(p, b, skills)) {}

lemma G3_NoGrantReplacesAnApproval(p: Policy, c: Call, skills: Skills)
  ensures NeedsApproval(c) && Decide(p, c, skills) == Allow ==> c.approval == OfThese {}

lemma G4_ConsentNeedsADigest(p: Policy, c: Call, skills: Skills)
  ensures c.consent == WithoutDigest ==> Decide(p, c, skills) != Allow {}

lemma G5_ApprovalOfOtherFilesIsNone(p: Policy, c: Call, skills: Skills)
  ensures Decide(p, c.(approval := OfOthers), skills) == Decide(p, c.(approval := None), skills) {}

lemma Joined(p: Policy, a: Skills, b: Skills)
  ensures Granting(p, a + b) == if p.combine == TopOfStack && Granting(p, b) != [] then Granting(p, b)
    else Granting(p, a) + Granting(p, b)
{ if a == [] { assert a + b == b; } else { assert (a + b)[1..] == a[1..] + b; } }

lemma G6_SkillThatMayNotGrantNeverWidens(p: Policy, c: Call, a: Skills, s: Skill, b: Skills)
  ensures s.trust == Untrusted || !MayGrant(p, s) ==> Le(Decide(p, c, a + [s] + b), Decide(p, c, a + b))
{ Joined(p, a + [s], b); Joined(p, a, [s]); Joined(p, a, b); }

lemma G7_OrderDoesNotMatter(p: Policy, c: Call, a: Skills, b: Skills)
  requires p.combine != TopOfStack && forall s :: s in a <==> s in b
  ensures Decide(p, c, a) == Decide(p, c, b)
{
  var g, h := Granting(p, a), Granting(p, b);
  assert (g == [] || g[0] in h) && (h == [] || h[0] in g);
}

lemma G8_SeveralSkillsAreAMeet(p: Policy, c: Call, a: Skills, b: Skills)
  requires p.semantics == Restrict && p.combine == Intersect
  ensures Decide(p, c, a + b) == Deny <==> Decide(p, c, a) == Deny || Decide(p, c, b) == Deny
{ Joined(p, a, b); }

lemma G9_SkillWithoutAListLiftsNothing(p: Policy, c: Call, a: Skills, s: Skill, b: Skills)
  ensures p.combine == Intersect && IsSilent(p, s) ==> Le(Decide(p, c, a + [s] + b), Decide(p, c, a + b))
{ Joined(p, a + [s], b); Joined(p, a, [s]); Joined(p, a, b); }
