// Loading and unloading: `load` and `unload` of `src/operations.rs`, with the bound skills of
// `src/ledger.rs`. A skill is its id and its edition; the most recently loaded one is last.
//
// fault: left <= 0 || s.id in fixed => left <= 0

datatype Skill = Skill(id: int, edition: int)
datatype Discipline = Set | Stack | Stateless
datatype Reload = MoveToEnd | Keep | Refuse | Refresh
datatype Policy = Policy(discipline: Discipline, reload: Reload, unloadsOldest: bool, cap: nat)
datatype Result = Loaded(skills: seq<Skill>) | TooMany | AlreadyActive | NotOnTop | NothingActive

type Skills = seq<Skill>

function method Ids(skills: Skills): seq<int>
  ensures |Ids(skills)| == |skills| && forall i :: 0 <= i < |skills| ==> Ids(skills)[i] == skills[i].id
{ if skills == [] then [] else [skills[0].id] + Ids(skills[1..]) }

predicate Distinct(skills: Skills) {
  forall i, j :: 0 <= i < j < |skills| ==> skills[i].id != skills[j].id
}

function method Without(skills: Skills, ids: seq<int>): Skills
  ensures forall s :: s in Without(skills, ids) <==> s in skills && s.id !in ids
  ensures Distinct(skills) ==> Distinct(Without(skills, ids))
  ensures |Without(skills, ids)| <= |skills|
{
  if skills == [] then []
  else
    assert skills == [skills[0]] + skills[1..];
    (if skills[0].id in ids then [] else [skills[0]]) + Without(skills[1..], ids)
}

function method Replaced(skills: Skills, s: Skill): Skills
  ensures Ids(Replaced(skills, s)) == Ids(skills)
  ensures Distinct(skills) ==> Distinct(Replaced(skills, s))
{
  if skills == [] then []
  else (if skills[0].id == s.id then [s] else [skills[0]]) + Replaced(skills[1..], s)
}

function method Added(active: Skills, wanted: Skills, reload: Reload): Result
  ensures Added(active, wanted, reload).Loaded? || Added(active, wanted, reload) == AlreadyActive
  decreases |wanted|
{
  if wanted == [] then Loaded(active)
  else
    var s := wanted[0];
    if s.id !in Ids(active) then Added(active + [s], wanted[1..], reload)
    else match reload
      case MoveToEnd => Added(Without(active, [s.id]) + [s], wanted[1..], reload)
      case Keep => Added(active, wanted[1..], reload)
      case Refuse => AlreadyActive
      case Refresh => Added(Replaced(active, s), wanted[1..], reload)
}

// The first of several skills with one id counts.
function method Once(skills: Skills): Skills
  ensures Distinct(Once(skills)) && forall s :: s in skills ==> s.id in Ids(Once(skills))
  ensures forall s :: s in Once(skills) ==> s in skills
  decreases |skills|
{
  if skills == [] then []
  else
    assert skills == [skills[0]] + skills[1..];
    [skills[0]] + Once(Without(skills[1..], [skills[0].id]))
}

// Removes so many of the oldest skills, but none of these.
function method Cut(skills: Skills, fixed: seq<int>, left: int): Skills
  ensures forall s :: s in Cut(skills, fixed, left) ==> s in skills
  ensures forall s :: s in skills && s.id in fixed ==> s in Cut(skills, fixed, left)
  ensures left <= |Without(skills, fixed)| ==> |Cut(skills, fixed, left)| <= |skills| - left
  ensures left > |Without(skills, fixed)| ==> Without(Cut(skills, fixed, left), fixed) == []
{
  if skills == [] then []
  else
    assert skills == [skills[0]] + skills[1..];
    var s := skills[0];
    if left <= 0 || s.id in fixed then [s] + Cut(skills[1..], fixed, left)
    else Cut(skills[1..], fixed, left - 1)
}

function method Find(skills: Skills, id: int): seq<Skill>
  ensures forall s :: s in Find(skills, id) ==> s in skills && s.id == id
{ if skills == [] then [] else if skills[0].id == id then [skills[0]] else Find(skills[1..], id) }

function method Newest(active: Skills, bound: seq<int>, next: Skills): Skills {
  if active == [] then []
  else
    var s := active[0];
    (if s.id !in bound then [] else if Find(next, s.id) == [] then [s] else Find(next, s.id))
      + Newest(active[1..], bound, next)
}

// The bound skills come first, in their order, also those that are not in the list.
function method WithBound(active: Skills, bound: seq<int>, next: Skills): Skills {
  var first := Newest(active, bound, next);
  first + Without(next, Ids(first))
}

function method Next(active: Skills, once: Skills, adds: bool, p: Policy): Result
  ensures var r := Next(active, once, adds, p); r.Loaded? || r == AlreadyActive
{
  if p.discipline == Stateless || (p.discipline == Set && !adds) then Loaded(once)
  else Added(active, once, if p.discipline == Stack && p.reload == MoveToEnd then Refuse else p.reload)
}

function method Limited(all: Skills, fixed: seq<int>, cuts: bool, cap: nat): Result {
  var kept := if cuts then Cut(all, fixed, |all| - cap) else all;
  if |kept| > cap then TooMany else Loaded(kept)
}

function method Load(active: Skills, bound: seq<int>, wanted: Skills, adds: bool, p: Policy): Result {
  var once := Once(wanted);
  var next := Next(active, once, adds, p);
  if !next.Loaded? then next
  else
    var all := if p.discipline == Stateless then once else WithBound(active, bound, next.skills);
    var cuts := p.discipline == Set && p.unloadsOldest && |once| <= p.cap;
    Limited(all, bound + Ids(once), cuts, p.cap)
}

function method Unload(active: Skills, ids: seq<int>, isStack: bool): Result {
  var kept := Without(active, ids);
  if isStack && active == [] then NothingActive
  else if isStack && (|kept| > |active| || kept != active[..|kept|]) then NotOnTop
  else Loaded(kept)
}

lemma S1_NeverOverTheCap(active: Skills, bound: seq<int>, wanted: Skills, adds: bool, p: Policy)
  ensures var r := Load(active, bound, wanted, adds, p); r.Loaded? ==> |r.skills| <= p.cap
{}

lemma InIds(skills: Skills, s: Skill)
  requires s in skills
  ensures s.id in Ids(skills)
{ if skills[0] != s { InIds(skills[1..], s); } }

lemma AddedHasAll(active: Skills, wanted: Skills, reload: Reload)
  ensures var r := Added(active, wanted, reload);
    r.Loaded? ==> (forall s :: s in active || s in wanted ==> s.id in Ids(r.skills))
  decreases |wanted|
{
  if wanted != [] {
    var s := wanted[0];
    assert wanted == [s] + wanted[1..];
    var next := if s.id !in Ids(active) then active + [s]
      else if reload == MoveToEnd then Without(active, [s.id]) + [s]
      else if reload == Refresh then Replaced(active, s) else active;
    if s.id !in Ids(active) || reload != Refuse {
      AddedHasAll(next, wanted[1..], reload);
      assert s.id in Ids(next) by { if s in next { InIds(next, s); } }
      forall t | t in active ensures t.id in Ids(next) { InIds(active, t); if t in next { InIds(next, t); } }
      forall t | t in active || t == s
        ensures Added(active, wanted, reload).Loaded? ==> t.id in Ids(Added(active, wanted, reload).skills) {
        var i :| 0 <= i < |next| && next[i].id == t.id;
        assert next[i] in next;
      }
    }
  } else { forall s | s in active ensures s.id in Ids(active) { InIds(active, s); } }
}

lemma StaysInCut(all: Skills, fixed: seq<int>, left: int, id: int)
  requires id in Ids(all) && id in fixed
  ensures id in Ids(Cut(all, fixed, left))
{
  var k :| 0 <= k < |all| && all[k].id == id;
  InIds(Cut(all, fixed, left), all[k]);
}

lemma StaysWithBound(active: Skills, bound: seq<int>, next: Skills, id: int)
  requires id in Ids(next)
  ensures id in Ids(WithBound(active, bound, next))
{
  var j :| 0 <= j < |next| && next[j].id == id;
  var first := Newest(active, bound, next);
  var all := WithBound(active, bound, next);
  if id in Ids(first) { var k :| 0 <= k < |first| && first[k].id == id; InIds(all, first[k]); }
  else { assert next[j] in Without(next, Ids(first)); InIds(all, next[j]); }
}

lemma NextHasAll(active: Skills, once: Skills, adds: bool, p: Policy, s: Skill)
  requires s in once
  ensures var r := Next(active, once, adds, p); r.Loaded? ==> s.id in Ids(r.skills)
{
  InIds(once, s);
  AddedHasAll(active, once, if p.discipline == Stack && p.reload == MoveToEnd then Refuse else p.reload);
}

lemma S2_LoadsAllOrNothing(active: Skills, bound: seq<int>, wanted: Skills, adds: bool, p: Policy, s: Skill)
  requires s in wanted
  ensures var r := Load(active, bound, wanted, adds, p); r.Loaded? ==> s.id in Ids(r.skills)
{
  var once := Once(wanted);
  var i :| 0 <= i < |once| && once[i].id == s.id;
  NextHasAll(active, once, adds, p, once[i]);
  var next := Next(active, once, adds, p);
  if next.Loaded? {
    var all := if p.discipline == Stateless then once else WithBound(active, bound, next.skills);
    if p.discipline != Stateless { StaysWithBound(active, bound, next.skills, s.id); }
    StaysInCut(all, bound + Ids(once), |all| - p.cap, s.id);
  }
}

lemma S3_RefusedOnlyIfNothingCanBeUnloaded(all: Skills, fixed: seq<int>, cap: nat)
  requires Limited(all, fixed, true, cap) == TooMany
  ensures |all| - |Without(all, fixed)| > cap
{}

lemma S4_StackKeepsWhatLiesBelow(active: Skills, wanted: Skills, reload: Reload)
  requires reload != MoveToEnd
  ensures var r := Added(active, wanted, reload); r.Loaded? ==> Ids(active) <= Ids(r.skills)
  decreases |wanted|
{
  if wanted != [] {
    var s := wanted[0];
    if s.id !in Ids(active) {
      S4_StackKeepsWhatLiesBelow(active + [s], wanted[1..], reload);
      assert Ids(active) <= Ids(active + [s]);
    } else if reload != Refuse {
      S4_StackKeepsWhatLiesBelow(if reload == Keep then active else Replaced(active, s), wanted[1..], reload);
    }
  }
}

lemma S5_StackUnloadsFromTheTop(active: Skills, ids: seq<int>)
  ensures var r := Unload(active, ids, true); r.Loaded? ==> r.skills <= active
{}

lemma S6_UnloadedSkillsAreGone(active: Skills, ids: seq<int>, isStack: bool, s: Skill)
  requires s in active
  ensures var r := Unload(active, ids, isStack); r.Loaded? ==> (s in r.skills <==> s.id !in ids)
{}

lemma S7_IdsStayDistinct(active: Skills, wanted: Skills, reload: Reload)
  requires Distinct(active)
  ensures var r := Added(active, wanted, reload); r.Loaded? ==> Distinct(r.skills)
  decreases |wanted|
{
  if wanted != [] {
    var s := wanted[0];
    if s.id !in Ids(active) {
      forall i | 0 <= i < |active| ensures active[i].id != s.id { assert Ids(active)[i] != s.id; }
      S7_IdsStayDistinct(active + [s], wanted[1..], reload);
    } else if reload == MoveToEnd {
      S7_IdsStayDistinct(Without(active, [s.id]) + [s], wanted[1..], reload);
    } else if reload != Refuse {
      S7_IdsStayDistinct(if reload == Keep then active else Replaced(active, s), wanted[1..], reload);
    }
  }
}

function method Pick<T>(of: seq<T>, n: int): T
  requires |of| > 0
{ if 0 <= n < |of| then of[n] else of[0] }

function method Read(numbers: seq<int>): Skills
{ if numbers == [] then [] else [Skill(numbers[0] / 2, numbers[0] % 2)] + Read(numbers[1..]) }

function method Written(skills: Skills): seq<int>
{ if skills == [] then [] else [skills[0].id * 2 + skills[0].edition] + Written(skills[1..]) }

// The question: the policy and the operation (replace, add, add next to a bound skill, unload, replace
// next to a bound skill); the active skills, of which the first one may be bound; the named skills.
function method Answer(question: seq<seq<int>>): seq<int>
  requires |question| == 3 && |question[0]| == 5
{
  var c := question[0];
  var p := Policy(Pick([Set, Stack, Stateless], c[0]), Pick([MoveToEnd, Keep, Refuse, Refresh], c[1]),
    c[2] == 1, if c[3] < 0 then 0 else c[3]);
  var active, named := Once(Read(question[1])), Read(question[2]);
  var result := if c[4] == 3 then Unload(active, Ids(named), p.discipline == Stack)
    else Load(active, if c[4] > 1 && active != [] then [active[0].id] else [], named, c[4] % 4 > 0, p);
  match result
    case Loaded(skills) => [0] + Written(skills)
    case TooMany => [1]
    case AlreadyActive => [2]
    case NotOnTop => [3]
    case NothingActive => [4]
}
