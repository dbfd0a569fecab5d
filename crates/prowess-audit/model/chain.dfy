// The chain of a log: `seal` of `src/chain.rs`, and `verify_against` of `src/verify.rs`. A hash is what it
// was computed from: two texts with one hash are not looked for.
//
// fault: if line.previous != last.hash then Broken(Replaced, at) => if false then Broken(Replaced, at)

datatype Hash = Empty | Of(number: int, previous: Hash, entry: int)
datatype Line = Line(number: int, previous: Hash, entry: int, hash: Hash)
datatype Head = Head(number: int, hash: Hash)
datatype Problem = Changed | Order | Replaced
datatype Verdict = Whole(head: Head) | Broken(problem: Problem, line: int) | HeadMissing

function method Seal(last: Head, entry: int): Line {
  Line(last.number + 1, last.hash, entry, Of(last.number + 1, last.hash, entry))
}

function method HeadOf(line: Line): Head { Head(line.number, line.hash) }

function method Written(last: Head, entries: seq<int>): seq<Line>
  ensures |Written(last, entries)| == |entries|
  decreases |entries|
{
  if entries == [] then []
  else var line := Seal(last, entries[0]); [line] + Written(HeadOf(line), entries[1..])
}

function method Verify(last: Head, lines: seq<Line>, at: int): Verdict
  decreases |lines|
{
  if lines == [] then Whole(last)
  else
    var line := lines[0];
    if line.hash != Of(line.number, line.previous, line.entry) then Broken(Changed, at)
    else if line.number != last.number + 1 then Broken(Order, at)
    else if line.previous != last.hash then Broken(Replaced, at)
    else Verify(HeadOf(line), lines[1..], at + 1)
}

predicate method HasHead(lines: seq<Line>, kept: Head)
{ kept == Head(0, Empty) || exists line :: line in lines && HeadOf(line) == kept }

function method VerifyAgainst(lines: seq<Line>, kept: Head): Verdict {
  var v := Verify(Head(0, Empty), lines, 1);
  if v.Whole? && !HasHead(lines, kept) then HeadMissing else v
}

function Entries(lines: seq<Line>): seq<int>
  ensures |Entries(lines)| == |lines|
{ if lines == [] then [] else [lines[0].entry] + Entries(lines[1..]) }

lemma C1_WrittenLogIsWhole(last: Head, entries: seq<int>, at: int)
  ensures Verify(last, Written(last, entries), at).Whole?
  decreases |entries|
{
  if entries != [] {
    var line := Seal(last, entries[0]);
    C1_WrittenLogIsWhole(HeadOf(line), entries[1..], at + 1);
  }
}

// A whole log is one that was written, so nothing in it can be changed alone.
lemma C2_WholeLogWasWritten(last: Head, lines: seq<Line>, at: int)
  requires Verify(last, lines, at).Whole?
  ensures lines == Written(last, Entries(lines))
  decreases |lines|
{
  if lines != [] {
    C2_WholeLogWasWritten(HeadOf(lines[0]), lines[1..], at + 1);
    assert lines == [lines[0]] + lines[1..];
  }
}

// Line `k` of a whole log has the number `k + 1` behind the start.
lemma Numbers(last: Head, lines: seq<Line>, at: int, k: int)
  requires Verify(last, lines, at).Whole? && 0 <= k < |lines|
  ensures lines[k].number == last.number + 1 + k
  ensures lines[k].hash == Of(lines[k].number, lines[k].previous, lines[k].entry)
  ensures k > 0 ==> lines[k].previous == lines[k - 1].hash
  ensures k == 0 ==> lines[k].previous == last.hash
  decreases |lines|
{ if k > 0 { Numbers(HeadOf(lines[0]), lines[1..], at + 1, k - 1); } }

// Two whole logs with one head are equal up to it: a line that was changed, dropped, inserted or moved
// before the kept head is found.
lemma C3_OneHeadIsOneLog(a: seq<Line>, b: seq<Line>, k: int)
  requires Verify(Head(0, Empty), a, 1).Whole? && Verify(Head(0, Empty), b, 1).Whole?
  requires 0 <= k < |a| && k < |b| && HeadOf(a[k]) == HeadOf(b[k])
  ensures a[..k + 1] == b[..k + 1]
{
  Numbers(Head(0, Empty), a, 1, k);
  Numbers(Head(0, Empty), b, 1, k);
  if k > 0 {
    Numbers(Head(0, Empty), a, 1, k - 1);
    Numbers(Head(0, Empty), b, 1, k - 1);
    C3_OneHeadIsOneLog(a, b, k - 1);
  }
}

lemma C4_KeptHeadIsFoundAtItsPlace(kept: seq<Line>, now: seq<Line>)
  requires Verify(Head(0, Empty), kept, 1).Whole? && |kept| > 0
  requires VerifyAgainst(now, HeadOf(kept[|kept| - 1])).Whole?
  ensures kept <= now
{
  var last := |kept| - 1;
  Numbers(Head(0, Empty), kept, 1, last);
  var line :| line in now && HeadOf(line) == HeadOf(kept[last]);
  var k :| 0 <= k < |now| && now[k] == line;
  Numbers(Head(0, Empty), now, 1, k);
  C3_OneHeadIsOneLog(kept, now, last);
}

// Tampering: drops a line, swaps it with the next one, edits it, repeats it, cuts the log before it, or
// puts the line of another log there.
function method Tampered(lines: seq<Line>, other: seq<Line>, kind: int, at: int): seq<Line> {
  if at < 0 || at >= |lines| || at >= |other| then lines
  else if kind == 0 then lines[..at] + lines[at + 1..]
  else if kind == 1 then if at + 1 < |lines| then lines[..at] + [lines[at + 1], lines[at]] + lines[at + 2..] else lines
  else if kind == 2 then lines[at := lines[at].(entry := lines[at].entry + 100)]
  else if kind == 3 then lines[..at] + [lines[at]] + lines[at..]
  else if kind == 4 then lines[..at]
  else lines[at := other[at]]
}

function method TamperedBy(lines: seq<Line>, other: seq<Line>, acts: seq<int>): seq<Line>
  decreases |acts|
{ if acts == [] then lines else TamperedBy(Tampered(lines, other, acts[0] % 6, acts[0] / 6), other, acts[1..]) }

function method Numbered(from: int, count: int): seq<int>
  decreases count
{ if count <= 0 then [] else [from] + Numbered(from + 1, count - 1) }

// The question: the number of entries, and of those that another log has, too, and acts of tampering.
function method Answer(question: seq<seq<int>>): seq<int>
  requires |question| == 2 && |question[0]| == 2
{
  var count, same := question[0][0], question[0][1];
  var lines := Written(Head(0, Empty), Numbered(0, count));
  var other := Written(Head(0, Empty), Numbered(0, same) + Numbered(50, count));
  var kept := if lines == [] then Head(0, Empty) else HeadOf(lines[|lines| - 1]);
  match VerifyAgainst(TamperedBy(lines, other, question[1]), kept)
    case Whole(_) => [0]
    case Broken(problem, line) => [match problem case Changed => 1 case Order => 2 case Replaced => 3, line]
    case HeadMissing => [4]
}
