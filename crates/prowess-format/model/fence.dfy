// The two fences of a file: `find` of `src/fence.rs`, for a whole file without a byte order mark that is
// smaller than the limits. A text is its characters.
//
// fault: IsFence(t, i) || IsDots(t, i) then i => IsFence(t, i) then i else if i > 4 then i

type Text = seq<int>
datatype Found = Fences(yaml: nat, end: nat, body: nat) | Missing | Unclosed

function method LineEnd(t: Text, i: nat): nat
  requires i <= |t|
  ensures i <= LineEnd(t, i) <= |t| && (i < |t| ==> i < LineEnd(t, i))
  decreases |t| - i
{ if i == |t| then i else if t[i] == 10 then i + 1 else LineEnd(t, i + 1) }

predicate method AreBlank(t: Text) { forall c :: c in t ==> c == 32 || c == 9 }
predicate method AreSpace(t: Text) { forall c :: c in t ==> c == 32 || c == 9 || c == 10 || c == 12 || c == 13 }

// The line without its end.
function method Content(t: Text, i: nat): Text
  requires i <= |t|
{
  var line := t[i..LineEnd(t, i)];
  var cut := if line != [] && line[|line| - 1] == 10 then line[..|line| - 1] else line;
  if cut != [] && cut[|cut| - 1] == 13 then cut[..|cut| - 1] else cut
}

predicate method IsFence(t: Text, i: nat)
  requires i <= |t|
{ var c := Content(t, i); |c| >= 3 && c[..3] == [45, 45, 45] && AreBlank(c[3..]) }

// A line `...`, where YAML ends; it needs a line end.
predicate method IsDots(t: Text, i: nat)
  requires i <= |t|
{
  var line := t[i..LineEnd(t, i)];
  |line| > 3 && line[..3] == [46, 46, 46] && line[|line| - 1] == 10 && AreSpace(line[3..])
}

// The first line from `i` on that closes; the length of the text if there is none.
function method Closing(t: Text, i: nat): nat
  requires i <= |t|
  ensures i <= Closing(t, i) <= |t|
  decreases |t| - i
{ if i == |t| || IsFence(t, i) || IsDots(t, i) then i else Closing(t, LineEnd(t, i)) }

function method Find(t: Text): Found {
  if t == [] || !IsFence(t, 0) then Missing
  else
    var start := LineEnd(t, 0);
    var end := Closing(t, start);
    if t[start - 1] != 10 || end == |t| then Unclosed else Fences(start, end, LineEnd(t, end))
}

function method Body(t: Text): Text
  requires Find(t).Fences?
{ t[Find(t).body..] }

// The parts of a file are all of it, so the body is exactly what follows the second fence.
lemma F1_BodyFollowsTheSecondFence(t: Text)
  requires Find(t).Fences?
  ensures var f := Find(t);
    f.yaml <= f.end < f.body <= |t| && t == t[..f.yaml] + t[f.yaml..f.end] + t[f.end..f.body] + Body(t)
  ensures IsFence(t, 0) && (IsFence(t, Find(t).end) || IsDots(t, Find(t).end))
{ ClosingIsOne(t, LineEnd(t, 0)); }

lemma ClosingIsOne(t: Text, i: nat)
  requires i <= |t| && Closing(t, i) < |t|
  ensures IsFence(t, Closing(t, i)) || IsDots(t, Closing(t, i))
  decreases |t| - i
{ if !IsFence(t, i) && !IsDots(t, i) { ClosingIsOne(t, LineEnd(t, i)); } }

predicate StartsLine(t: Text, from: nat, i: nat)
  requires from <= |t|
  decreases |t| - from
{ i == from || (from < |t| && StartsLine(t, LineEnd(t, from), i)) }

lemma F2_FieldsHaveNoFence(t: Text, from: nat, i: nat)
  requires from <= |t| && from <= i < Closing(t, from) && StartsLine(t, from, i)
  ensures !IsFence(t, i) && !IsDots(t, i)
  decreases |t| - from
{ if i != from { LineStartsLater(t, LineEnd(t, from), i); F2_FieldsHaveNoFence(t, LineEnd(t, from), i); } }

lemma LineStartsLater(t: Text, from: nat, i: nat)
  requires from <= |t| && StartsLine(t, from, i)
  ensures from <= i
  decreases |t| - from
{ if i != from { LineStartsLater(t, LineEnd(t, from), i); } }

// No text of the body moves the fences, so it cannot take a field out or put one in.
lemma F3_BodyMovesNoFence(t: Text, other: Text)
  requires Find(t).Fences? && t[Find(t).body - 1] == 10
  ensures Find(t[..Find(t).body] + other) == Find(t)
{
  var f := Find(t);
  var cut := t[..f.body] + other;
  ClosingIsOne(t, f.yaml);
  EndsAlike(t, cut, f.body, 0);
  ClosesAlike(t, cut, f.body, f.yaml);
}

lemma EndsAlike(t: Text, u: Text, n: nat, i: nat)
  requires i < n <= |t| && n <= |u| && t[..n] == u[..n] && t[n - 1] == 10
  ensures LineEnd(t, i) == LineEnd(u, i) <= n && t[i..LineEnd(t, i)] == u[i..LineEnd(u, i)]
  decreases n - i
{
  assert t[i] == t[..n][i] == u[i];
  if t[i] != 10 { EndsAlike(t, u, n, i + 1); }
  assert t[i..LineEnd(t, i)] == t[..n][i..LineEnd(t, i)];
}

lemma ClosesAlike(t: Text, u: Text, n: nat, i: nat)
  requires i < n <= |t| && n <= |u| && t[..n] == u[..n] && t[n - 1] == 10 && Closing(t, i) < n
  ensures Closing(u, i) == Closing(t, i) && LineEnd(u, Closing(u, i)) == LineEnd(t, Closing(t, i))
  decreases n - i
{
  EndsAlike(t, u, n, i);
  if !IsFence(t, i) && !IsDots(t, i) { ClosesAlike(t, u, n, LineEnd(t, i)); }
}

// The body; or nothing but its absence.
function method Answer(question: seq<Text>): seq<int>
  requires |question| == 1
{ var t := question[0]; if Find(t).Fences? then [1] + Body(t) else [0] }
