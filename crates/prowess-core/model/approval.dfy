// One approval: `spend` and `decide` of `src/approval_entry.rs`, as the caller whose tool, tenant and
// session they are. Times and operations are numbers.
//
// fault: if scope == Once then Store(Next(e, Spent(operation), e.expires)) => if scope == Once then Answered(Allowed)

datatype Scope = Once | Session | Always
datatype State = Pending | Granted(scope: Scope) | Denied | Revoked | Spent(operation: int)
// `expires` is no time at all if it is negative; `isUnbound`: of a skill whose package has no digest.
datatype Entry = Entry(state: State, expires: int, version: nat, isUnbound: bool)
datatype Verdict = Grant(scope: Scope, until: int) | Deny | Revoke
datatype Spend = Allowed | SpentByAnother | NotApplicable
datatype Step = Answered(spend: Spend) | Store(entry: Entry)
datatype Decided = Next(entry: Entry) | BadState | Expired | Unbound

predicate method IsPast(expires: int, now: int) { 0 <= expires <= now }

function method Next(e: Entry, state: State, expires: int): Entry
{ Entry(state, expires, e.version + 1, e.isUnbound) }

function method SpendStep(e: Entry, now: int, operation: int): Step {
  if e.state.Spent? then Answered(if e.state.operation == operation then Allowed else SpentByAnother)
  else if !e.state.Granted? || IsPast(e.expires, now) then Answered(NotApplicable)
  else var scope := e.state.scope; if scope == Once then Store(Next(e, Spent(operation), e.expires)) else Answered(Allowed)
}

function method Decide(e: Entry, verdict: Verdict, at: int): Decided {
  if (match verdict
    case Grant(_, _) => e.state != Pending && e.state != Denied
    case Deny => e.state != Pending
    case Revoke => !e.state.Granted?) then BadState
  else if IsPast(e.expires, at) then Expired
  else match verdict
    case Grant(scope, until) =>
      if e.isUnbound && scope != Once then Unbound
      else if IsPast(until, at) then Expired
      else Decided.Next(Next(e, Granted(scope), until))
    case Deny => Decided.Next(Next(e, Denied, e.expires))
    case Revoke => Decided.Next(Next(e, Revoked, e.expires))
}

datatype Act = Use(operation: int) | Say(verdict: Verdict)

// The entry after an act, and whether a call may run.
function method After(e: Entry, act: Act, now: int): (Entry, bool) {
  match act
    case Use(operation) =>
      (match SpendStep(e, now, operation)
        case Answered(spend) => (e, spend == Allowed)
        case Store(next) => (next, true))
    case Say(verdict) =>
      (match Decide(e, verdict, now) case Next(next) => (next, false) case BadState => (e, false)
        case Expired => (e, false) case Unbound => (e, false))
}

// The operations that may run over a series of acts, one at each time from `now` on.
function Ran(e: Entry, acts: seq<Act>, now: int): set<int>
  decreases |acts|
{
  if acts == [] then {}
  else
    var (next, runs) := After(e, acts[0], now);
    (if runs && acts[0].Use? then {acts[0].operation} else {}) + Ran(next, acts[1..], now + 1)
}

predicate OnlyOnce(acts: seq<Act>) {
  forall a :: a in acts && a.Say? && a.verdict.Grant? ==> a.verdict.scope == Once
}

lemma A1_SpentAtMostOnce(e: Entry, acts: seq<Act>, now: int)
  requires OnlyOnce(acts) && (e.state.Granted? ==> e.state.scope == Once)
  ensures |Ran(e, acts, now)| <= 1
  ensures e.state.Spent? ==> Ran(e, acts, now) <= {e.state.operation}
  decreases |acts|
{
  if acts != [] {
    assert acts[0] in acts && forall a :: a in acts[1..] ==> a in acts;
    var next := After(e, acts[0], now).0;
    A1_SpentAtMostOnce(next, acts[1..], now + 1);
    if next.state.Spent? {
      assert Ran(e, acts, now) <= {next.state.operation};
      Small(Ran(e, acts, now), next.state.operation);
    }
  }
}

lemma Small(s: set<int>, x: int)
  requires s <= {x}
  ensures |s| <= 1
{ if s != {} { assert s == {x}; } }

lemma A2_SpentOrRevokedIsFinal(e: Entry, act: Act, now: int)
  requires e.state.Spent? || e.state == Revoked
  ensures After(e, act, now).0 == e
{}

lemma A3_EachChangeIsANewVersion(e: Entry, act: Act, now: int)
  ensures var next := After(e, act, now).0; next == e || next.version == e.version + 1
{}

lemma A4_NothingIsUsedLate(e: Entry, act: Act, now: int)
  requires IsPast(e.expires, now) && After(e, act, now).1
  ensures e.state == Spent(act.operation)
{}

// An approval that lasts is bound to the digest of a package, so a changed one is not covered.
lemma A5_LastingNeedsADigest(e: Entry, act: Act, now: int)
  requires e.isUnbound && !(e.state.Granted? && e.state.scope != Once)
  ensures var next := After(e, act, now).0; !(next.state.Granted? && next.state.scope != Once)
{}

lemma A6_NobodyRunsWithoutAGrant(e: Entry, act: Act, now: int)
  requires After(e, act, now).1
  ensures e.state.Granted? || e.state.Spent?
{}

// Of two hosts that read one version, the store takes one: its version is no longer the other's.
lemma A7_OneOfTwoHostsStores(e: Entry, now: int, one: int, other: int)
  requires SpendStep(e, now, one).Store? && SpendStep(e, now, other).Store?
  ensures SpendStep(e, now, one).entry.version != e.version
{}

function method Pick<T>(of: seq<T>, n: int): T
  requires |of| > 0
{ if 0 <= n < |of| then of[n] else of[0] }

function method Read(n: int): Act {
  if n < 3 then Use(n)
  else if n == 3 then Say(Deny)
  else if n == 4 then Say(Revoke)
  else Say(Grant(Pick([Once, Session, Always], n % 3), Pick([3, 6, -1], n / 3 - 2)))
}

function method Play(e: Entry, acts: seq<int>, now: int): seq<int>
  decreases |acts|
{
  var s := Pick([0, 1, 2, 3, 4], match e.state
    case Pending => 0 case Granted(_) => 1 case Denied => 2 case Revoked => 3 case Spent(_) => 4);
  if acts == [] then [s, e.version]
  else
    var (next, runs) := After(e, Read(acts[0]), now);
    [if runs then 1 else 0] + Play(next, acts[1..], now + 1)
}

// The question: whether the package has no digest; acts, at the times 0, 1 and so on, on a request
// that expires at 5.
function method Answer(question: seq<seq<int>>): seq<int>
  requires |question| == 2 && |question[0]| == 1
{ Play(Entry(Pending, 5, 0, question[0][0] == 1), question[1], 0) }
