// One approval: `spend` and `decide` of `src/approval_entry.rs`, as the caller whose tool, tenant and session they
// are. Times and operations are numbers.
//
// fault: Next(e, Spent(operation), e.expires) => Next(e, e.state, e.expires)

datatype Scope = Once | Session | Always
datatype State = Pending | Granted(scope: Scope) | Denied | Revoked | Spent(operation: int)
// `expires` is no time at all if it is negative; `isUnbound`: of a skill whose package has no digest.
datatype Entry = Entry(state: State, expires: int, version: nat, isUnbound: bool)
datatype Act = Use(operation: int) | Grant(scope: Scope, until: int) | Deny | Revoke

predicate method IsPast(expires: int, now: int) { 0 <= expires <= now }

function method Next(e: Entry, state: State, expires: int): Entry { Entry(state, expires, e.version + 1, e.isUnbound) }

predicate method MayRun(e: Entry, operation: int, now: int)
{ e.state == Spent(operation) || (e.state.Granted? && !IsPast(e.expires, now)) }

// An act that is refused, and a use of what lasts, change nothing.
predicate method ChangesNothing(e: Entry, act: Act, at: int) {
  IsPast(e.expires, at) || match act
    case Use(_) => e.state != Granted(Once)
    case Grant(scope, until) =>
      (e.state != Pending && e.state != Denied) || (e.isUnbound && scope != Once) || IsPast(until, at)
    case Deny => e.state != Pending
    case Revoke => !e.state.Granted?
}

function method After(e: Entry, act: Act, now: int): Entry {
  if ChangesNothing(e, act, now) then e
  else match act
    case Use(operation) => Next(e, Spent(operation), e.expires)
    case Grant(scope, until) => Next(e, Granted(scope), until)
    case Deny => Next(e, Denied, e.expires)
    case Revoke => Next(e, Revoked, e.expires)
}

// The operations that may run over a series of acts, one at each time from `now` on.
function Ran(acts: seq<Act>, e: Entry, now: int): set<int> {
  if acts == [] then {}
  else (if acts[0].Use? && MayRun(e, acts[0].operation, now) then {acts[0].operation} else {})
    + Ran(acts[1..], After(e, acts[0], now), now + 1)
}

lemma A1_SpentAtMostOnce(acts: seq<Act>, e: Entry, now: int)
  requires (e.state.Granted? ==> e.state.scope == Once) && forall a :: a in acts && a.Grant? ==> a.scope == Once
  ensures forall one, other :: one in Ran(acts, e, now) && other in Ran(acts, e, now) ==> one == other
  ensures e.state.Spent? ==> Ran(acts, e, now) <= {e.state.operation}
{ if acts != [] { A1_SpentAtMostOnce(acts[1..], After(e, acts[0], now), now + 1); } }

lemma A2_SpentOrRevokedIsFinal(e: Entry, act: Act, now: int)
  ensures e.state.Spent? || e.state == Revoked ==> After(e, act, now) == e {}

// Of two hosts that read one version, the store takes one: its version is no longer the other's.
lemma A3_EachChangeIsANewVersion(e: Entry, act: Act, now: int)
  ensures After(e, act, now) == e || After(e, act, now).version == e.version + 1 {}

lemma A4_NothingRunsLateOrWithoutAGrant(e: Entry, operation: int, now: int)
  ensures MayRun(e, operation, now) && e.state != Spent(operation) ==> e.state.Granted? && !IsPast(e.expires, now) {}

// An approval that lasts is bound to the digest of a package, so a changed one is not covered.
lemma A5_LastingNeedsADigest(e: Entry, act: Act, now: int)
  requires e.isUnbound && !(e.state.Granted? && e.state.scope != Once)
  ensures var next := After(e, act, now); !(next.state.Granted? && next.state.scope != Once) {}

function method Read(n: int): Act {
  if n < 3 then Use(n) else if n == 3 then Deny else if n == 4 then Revoke
  else Grant([Once, Session, Always][n % 3], if n < 9 then 3 else if n < 12 then 6 else -1)
}

// Whether each act is a call that runs; then the state and the version.
function method Play(acts: seq<int>, e: Entry, now: int): seq<int> {
  if acts == [] then
    var state := match e.state
      case Pending => 0 case Granted(_) => 1 case Denied => 2 case Revoked => 3 case Spent(_) => 4;
    [state, e.version]
  else var act := Read(acts[0]);
    [if act.Use? && MayRun(e, act.operation, now) then 1 else 0] + Play(acts[1..], After(e, act, now), now + 1)
}

// The acts are at the times 0, 1 and so on, on a request that expires at 5.
function method Answer(isUnbound: bool, acts: seq<int>): seq<int> { Play(acts, Entry(Pending, 5, 0, isUnbound), 0) }
