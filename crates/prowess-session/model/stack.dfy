// Loading and unloading: `load` and `unload` of `src/operations.rs`, with the bound skills of `src/ledger.rs`. The most
// recently loaded skill is last.
//
// fault: left <= 0 || s.id in Ids(fixed) => left <= 0

datatype Edition = Old | New
datatype Skill = Skill(id: int, edition: Edition)
datatype Discipline = Set | Stack | Stateless
datatype Reload = MoveToEnd | Keep | Refuse | Refresh
datatype Policy = Policy(discipline: Discipline, reload: Reload, unloadsOldest: bool, cap: nat)
datatype Result = Loaded(skills: Skills) | TooMany | AlreadyActive | NotOnTop | NothingActive
type Skills = seq<Skill>

function method Ids(skills: Skills): set<int> { set s | s in skills :: s.id }

function method Without(skills: Skills, others: Skills): Skills
  ensures var left := Without(skills, others);
    |left| <= |skills| && forall s :: s in left <==> s in skills && s.id !in Ids(others)
{
  if skills == [] then []
  else (if skills[0].id in Ids(others) then [] else [skills[0]]) + Without(skills[1..], others)
}

function method Find(s: Skill, skills: Skills): Skill
  ensures Find(s, skills).id == s.id
{ if skills == [] then s else if skills[0].id == s.id then skills[0] else Find(s, skills[1..]) }

// Each skill in its edition among `next`, if it is there.
function method Updated(skills: Skills, next: Skills): Skills
  ensures var all := Updated(skills, next);
    |all| == |skills| && forall i :: 0 <= i < |skills| ==> all[i].id == skills[i].id
{ if skills == [] then [] else [Find(skills[0], next)] + Updated(skills[1..], next) }

// The first of several skills with one id counts.
function method Once(skills: Skills): Skills
  ensures forall s :: s in skills ==> s.id in Ids(Once(skills))
{
  if skills == [] then []
  else var rest := Once(skills[1..]);
    [skills[0]] + Without(rest, [skills[0]])
}

function method Added(wanted: Skills, active: Skills, reload: Reload): Result
  ensures var r := Added(wanted, active, reload);
    if r.Loaded? then Ids(r.skills) == Ids(active) + Ids(wanted) else r == AlreadyActive
{
  if wanted == [] then Loaded(active)
  else var s, rest := wanted[0], wanted[1..];
    if s.id !in Ids(active) then Added(rest, active + [s], reload)
    else match reload
      case MoveToEnd => Added(rest, Without(active, [s]) + [s], reload)
      case Keep => Added(rest, active, reload)
      case Refuse => AlreadyActive
      case Refresh => Added(rest, Updated(active, [s]), reload)
}

// Removes so many of the oldest skills, but none of these.
function method Cut(skills: Skills, fixed: Skills, left: int): Skills
  ensures forall s :: s in skills && s.id in Ids(fixed) ==> s in Cut(skills, fixed, left)
  ensures left <= |Without(skills, fixed)| ==> |Cut(skills, fixed, left)| <= |skills| - left
{
  if skills == [] then []
  else var s := skills[0];
    if left <= 0 || s.id in Ids(fixed) then [s] + Cut(skills[1..], fixed, left) else Cut(skills[1..], fixed, left - 1)
}

function method Limited(all: Skills, fixed: Skills, cuts: bool, cap: nat): Result {
  var kept := if cuts then Cut(all, fixed, |all| - cap) else all;
  if |kept| > cap then TooMany else Loaded(kept)
}

function method Next(active: Skills, once: Skills, adds: bool, p: Policy): Result {
  if p.discipline == Stateless || (p.discipline == Set && !adds) then Loaded(once)
  else Added(once, active, if p.discipline == Stack && p.reload == MoveToEnd then Refuse else p.reload)
}

// The bound skills come first, in their order, also those that are not in the list.
function method WithBound(bound: Skills, next: Skills): Skills { Updated(bound, next) + Without(next, bound) }

function method Load(active: Skills, bound: Skills, wanted: Skills, adds: bool, p: Policy): Result {
  var once := Once(wanted);
  var next := Next(active, once, adds, p);
  if !next.Loaded? then next
  else var all := if p.discipline == Stateless then once else WithBound(bound, next.skills);
    var cuts := p.discipline == Set && p.unloadsOldest && |once| <= p.cap;
    Limited(all, bound + once, cuts, p.cap)
}

function method Unload(active: Skills, named: Skills, isStack: bool): Result {
  var kept := Without(active, named);
  if isStack && active == [] then NothingActive
  else if isStack && !(kept <= active) then NotOnTop
  else Loaded(kept)
}

lemma S1_NeverOverTheCap(active: Skills, bound: Skills, wanted: Skills, adds: bool, p: Policy)
  ensures var r := Load(active, bound, wanted, adds, p); r.Loaded? ==> |r.skills| <= p.cap {}

lemma S2_LoadsAllOrNothing(active: Skills, bound: Skills, wanted: Skills, adds: bool, p: Policy)
  ensures var r := Load(active, bound, wanted, adds, p); r.Loaded? ==> Ids(wanted) <= Ids(r.skills) {}

lemma S3_RefusedOnlyIfNothingCanBeUnloaded(all: Skills, fixed: Skills, cap: nat)
  ensures Limited(all, fixed, true, cap) == TooMany ==> |all| - |Without(all, fixed)| > cap {}

lemma S4_StackKeepsWhatLiesBelow(wanted: Skills, active: Skills, reload: Reload)
  requires reload != MoveToEnd && Added(wanted, active, reload).Loaded?
  ensures var skills := Added(wanted, active, reload).skills;
    |skills| >= |active| && forall i :: 0 <= i < |active| ==> skills[i].id == active[i].id {}

lemma S5_UnloadsWhatIsNamedFromTheTop(active: Skills, named: Skills, isStack: bool)
  requires Unload(active, named, isStack).Loaded?
  ensures var skills := Unload(active, named, isStack).skills; (isStack ==> skills <= active)
    && forall s :: s in active ==> (s in skills <==> s.id !in Ids(named)) {}

// The last two operations are next to a bound skill, or with one.
datatype Operation = Replace | Add | AddToBound | UnloadNamed | ReplaceByBound
datatype Call = Call(policy: Policy, operation: Operation)

function method Answer(call: Call, loaded: Skills, named: Skills): Result {
  var active := Once(loaded);
  var bound := if call.operation in [AddToBound, ReplaceByBound] then active[..if active == [] then 0 else 1] else [];
  if call.operation == UnloadNamed then Unload(active, named, call.policy.discipline == Stack)
  else Load(active, bound, named, call.operation in [Add, AddToBound], call.policy)
}
