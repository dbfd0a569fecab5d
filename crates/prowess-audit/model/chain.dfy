// The chain of a log: `seal` of `src/chain.rs`, and `verify_against` of `src/verify.rs`. A hash is what it was
// computed from: two texts with one hash are not looked for.
//
// fault: else if line.previous != last.hash then Replaced(at) => else if false then Replaced(at)

datatype Hash = Empty | Of(number: int, previous: Hash, entry: int)
datatype Line = Line(number: int, previous: Hash, entry: int, hash: Hash)
datatype Head = Head(number: int, hash: Hash)
datatype Verdict = Whole | Changed(line: int) | Order(line: int) | Replaced(line: int) | HeadMissing
type Log = seq<Line>

function method Top(log: Log): Head
{ if log == [] then Head(0, Empty) else var line := log[|log| - 1]; Head(line.number, line.hash) }

function method Sealed(log: Log, entry: int): Log {
  var last := Top(log);
  log + [Line(last.number + 1, last.hash, entry, Of(last.number + 1, last.hash, entry))]
}

function method CheckLine(last: Head, line: Line, at: int): Verdict {
  if line.hash != Of(line.number, line.previous, line.entry) then Changed(at)
  else if line.number != last.number + 1 then Order(at)
  else if line.previous != last.hash then Replaced(at)
  else Whole
}

// The first line that is wrong.
function method Verify(log: Log): Verdict {
  if log == [] then Whole
  else var before := log[..|log| - 1];
    if Verify(before) != Whole then Verify(before) else CheckLine(Top(before), log[|log| - 1], |log|)
}

function method VerifyAgainst(log: Log, kept: Head): Verdict {
  if Verify(log) == Whole && !exists n :: 0 <= n <= |log| && Top(log[..n]) == kept then HeadMissing else Verify(log)
}

lemma C1_WrittenLogIsWhole(log: Log, entry: int)
  ensures Verify(log) == Whole ==> Verify(Sealed(log, entry)) == Whole
{ assert Sealed(log, entry)[..|log|] == log; }

// Two whole logs with one head are one: a line that was changed, dropped, inserted or moved before it is found.
lemma C2_OneHeadIsOneLog(a: Log, b: Log)
  requires Verify(a) == Whole == Verify(b) && Top(a) == Top(b)
  ensures a == b
{ if a != [] && b != [] { C2_OneHeadIsOneLog(a[..|a| - 1], b[..|b| - 1]); } }

lemma C3_KeptLogIsStillThere(kept: Log, now: Log)
  requires Verify(kept) == Whole && VerifyAgainst(now, Top(kept)) == Whole
  ensures kept <= now
{
  var n :| 0 <= n <= |now| && Top(now[..n]) == Top(kept);
  if n == |now| { assert now[..n] == now; C2_OneHeadIsOneLog(kept, now); }
  else { assert now[..|now| - 1][..n] == now[..n]; C3_KeptLogIsStillThere(kept, now[..|now| - 1]); }
}

// Drops a line, swaps it with the next one, edits it, repeats it, cuts the log before it, or puts the line of another
// log there.
datatype Kind = Drop | Swap | Edit | Repeat | Cut | Replace
datatype Act = Act(at: int, kind: Kind)

function method Tampered(log: Log, other: Log, act: Act): Log {
  var at := act.at;
  if at < 0 || at >= |log| || at >= |other| then log
  else match act.kind
    case Drop => log[..at] + log[at + 1..]
    case Swap => if at + 1 < |log| then log[..at] + [log[at + 1], log[at]] + log[at + 2..] else log
    case Edit => log[at := log[at].(entry := log[at].entry + 100)]
    case Repeat => log[..at] + log[at..at + 1] + log[at..]
    case Cut => log[..at]
    case Replace => log[at := other[at]]
}

function method TamperedBy(acts: seq<Act>, log: Log, other: Log): Log
{ if acts == [] then log else TamperedBy(acts[1..], Tampered(log, other, acts[0]), other) }

function method Written(count: nat, from: int, log: Log): Log
{ if count == 0 then log else Written(count - 1, from + 1, Sealed(log, from)) }

// A log of so many entries, and another one, which has the `same` first ones.
datatype Counts = Counts(entries: nat, same: nat)

function method Answer(counts: Counts, acts: seq<Act>): Verdict {
  var log := Written(counts.entries, 0, []);
  VerifyAgainst(TamperedBy(acts, log, Written(counts.entries, 50, Written(counts.same, 0, []))), Top(log))
}
