// Paths inside a package: `normalise` and `PackagePath::is_normal` of `src/path.rs`, and the check
// that `prowess-dir` makes before it opens one. A text is its characters.
//
// fault: if |done| == 0 then Outside else => if |done| == 0 then Walk(done, rest[1..]) else

type Text = seq<int>

const NUL := 0
const DOT := 46
const SLASH := 47
const COLON := 58
const BACKSLASH := 92

datatype Result = Normal(text: Text) | Escape | Nul
datatype Walked = Inside(parts: seq<Text>) | Outside

predicate method IsLetter(c: int) { 65 <= c <= 90 || 97 <= c <= 122 }
predicate method IsDrive(t: Text) { |t| > 1 && IsLetter(t[0]) && t[1] == COLON }
predicate method IsNothing(part: Text) { part == [] || part == [DOT] }
predicate method IsUp(part: Text) { part == [DOT, DOT] }
predicate method IsPart(part: Text) { !IsNothing(part) && !IsUp(part) }
predicate ArePure(parts: seq<Text>) { forall p :: p in parts ==> SLASH !in p }

function method Split(t: Text): seq<Text>
  ensures |Split(t)| > 0 && ArePure(Split(t))
{
  if t == [] then [[]]
  else if t[0] == SLASH then [[]] + Split(t[1..])
  else var rest := Split(t[1..]); [[t[0]] + rest[0]] + rest[1..]
}

function method Join(parts: seq<Text>): Text {
  if |parts| == 0 then []
  else if |parts| == 1 then parts[0]
  else parts[0] + [SLASH] + Join(parts[1..])
}

function method Walk(done: seq<Text>, rest: seq<Text>): Walked
  decreases |rest|
{
  if rest == [] then Inside(done)
  else if IsNothing(rest[0]) then Walk(done, rest[1..])
  else if IsUp(rest[0]) then
    if |done| == 0 then Outside else Walk(done[..|done| - 1], rest[1..])
  else Walk(done + [rest[0]], rest[1..])
}

function method Normalise(t: Text): Result {
  if NUL in t then Nul
  else if (|t| > 0 && t[0] == SLASH) || BACKSLASH in t then Escape
  else match Walk([], Split(t))
    case Outside => Escape
    case Inside(parts) =>
      if IsDrive(t) || IsDrive(Join(parts)) then Escape else Normal(Join(parts))
}

predicate method IsNormal(t: Text) {
  t == [] || (NUL !in t && BACKSLASH !in t && !IsDrive(t) && forall p :: p in Split(t) ==> IsPart(p))
}

// The check of `prowess-dir`.
predicate method Check(t: Text) {
  NUL !in t && (forall p :: p in Split(t) ==> !IsUp(p)) && (t == [] || t[0] != SLASH)
}

// How far below its start a walk is.
function Depth(parts: seq<Text>): int {
  if parts == [] then 0
  else var last := parts[|parts| - 1];
    Depth(parts[..|parts| - 1]) + (if IsUp(last) then -1 else if IsNothing(last) then 0 else 1)
}

// No accepted path is above its root at any of its parts.
lemma D1_AcceptedPathStaysInside(t: Text)
  requires Normalise(t).Normal?
  ensures forall k :: 0 <= k <= |Split(t)| ==> Depth(Split(t)[..k]) >= 0
{ StaysInside([], Split(t), Split(t)); }

lemma StaysInside(done: seq<Text>, rest: seq<Text>, all: seq<Text>)
  requires |rest| <= |all| && all[|all| - |rest|..] == rest
  requires Walk(done, rest).Inside? && Depth(all[..|all| - |rest|]) == |done|
  ensures forall k :: |all| - |rest| <= k <= |all| ==> Depth(all[..k]) >= 0
  decreases |rest|
{
  if rest != [] {
    var k := |all| - |rest| + 1;
    assert all[..k][..k - 1] == all[..k - 1];
    assert all[k - 1] == rest[0];
    var next := if IsNothing(rest[0]) then done
      else if IsUp(rest[0]) then done[..|done| - 1] else done + [rest[0]];
    StaysInside(next, rest[1..], all);
  }
}

// The normal form has no `.`, `..` and empty part.
lemma D2_NormalFormHasNamesOnly(done: seq<Text>, rest: seq<Text>)
  requires ArePure(done) && ArePure(rest) && forall p :: p in done ==> IsPart(p)
  ensures Walk(done, rest).Inside? ==>
    ArePure(Walk(done, rest).parts) && forall p :: p in Walk(done, rest).parts ==> IsPart(p)
  decreases |rest|
{
  if rest != [] { assert rest[0] in rest; }
  if rest != [] && IsPart(rest[0]) { D2_NormalFormHasNamesOnly(done + [rest[0]], rest[1..]); }
  else if rest != [] && IsNothing(rest[0]) { D2_NormalFormHasNamesOnly(done, rest[1..]); }
  else if rest != [] && done != [] {
    var less := done[..|done| - 1];
    assert forall p :: p in less ==> p in done;
    D2_NormalFormHasNamesOnly(less, rest[1..]);
  }
}

lemma SplitJoined(first: Text, rest: seq<Text>)
  requires SLASH !in first && ArePure(rest)
  ensures Split(Join([first] + rest)) == [first] + rest
  decreases |rest|, |first|
{
  var joined := Join([first] + rest);
  assert ([first] + rest)[1..] == rest;
  if first != [] {
    SplitJoined(first[1..], rest);
    assert ([first[1..]] + rest)[1..] == rest;
    assert joined == [first[0]] + Join([first[1..]] + rest);
    assert first == [first[0]] + first[1..];
  } else if rest != [] {
    assert rest[0] in rest && rest == [rest[0]] + rest[1..];
    SplitJoined(rest[0], rest[1..]);
    assert joined == [SLASH] + Join(rest);
  } else {
    assert joined == [];
  }
}

lemma JoinedHas(parts: seq<Text>, c: int)
  requires c != SLASH && forall p :: p in parts ==> c !in p
  ensures c !in Join(parts)
{}

lemma SplitHas(t: Text, c: int)
  requires c !in t
  ensures forall p :: p in Split(t) ==> c !in p
{ if t != [] { SplitHas(t[1..], c); } }

lemma WalkHas(done: seq<Text>, rest: seq<Text>, c: int)
  requires forall p :: p in done || p in rest ==> c !in p
  ensures Walk(done, rest).Inside? ==> forall p :: p in Walk(done, rest).parts ==> c !in p
  decreases |rest|
{
  if rest != [] && IsPart(rest[0]) { WalkHas(done + [rest[0]], rest[1..], c); }
  else if rest != [] && IsNothing(rest[0]) { WalkHas(done, rest[1..], c); }
  else if rest != [] && done != [] { WalkHas(done[..|done| - 1], rest[1..], c); }
}

// The normal form is in normal form, and the second guard accepts it, too.
lemma D3_NormalFormIsNormal(t: Text)
  requires Normalise(t).Normal?
  ensures IsNormal(Normalise(t).text) && Check(Normalise(t).text)
{
  var parts := Walk([], Split(t)).parts;
  D2_NormalFormHasNamesOnly([], Split(t));
  SplitHas(t, NUL); WalkHas([], Split(t), NUL); JoinedHas(parts, NUL);
  SplitHas(t, BACKSLASH); WalkHas([], Split(t), BACKSLASH); JoinedHas(parts, BACKSLASH);
  if parts != [] {
    assert parts[0] in parts && parts == [parts[0]] + parts[1..];
    SplitJoined(parts[0], parts[1..]);
  }
}

lemma WalkOfNames(done: seq<Text>, rest: seq<Text>)
  requires forall p :: p in rest ==> IsPart(p)
  ensures Walk(done, rest) == Inside(done + rest)
  decreases |rest|
{
  if rest == [] { assert done + rest == done; }
  else {
    assert rest[0] in rest;
    WalkOfNames(done + [rest[0]], rest[1..]);
    assert rest == [rest[0]] + rest[1..];
    assert done + [rest[0]] + rest[1..] == done + rest;
  }
}

lemma JoinSplit(t: Text)
  ensures Join(Split(t)) == t
{
  if t != [] {
    var rest := Split(t[1..]);
    JoinSplit(t[1..]);
    if t[0] == SLASH { assert ([[]] + rest)[1..] == rest; }
    else if |rest| > 1 { assert Split(t)[1..] == rest[1..]; }
  }
}

// What a scan reports as normal is exactly what normalisation leaves as it is.
lemma D4_NormalIsUnchanged(t: Text)
  ensures IsNormal(t) <==> Normalise(t) == Normal(t)
{
  JoinSplit(t);
  if IsNormal(t) && t != [] {
    WalkOfNames([], Split(t));
    assert [] + Split(t) == Split(t);
    assert Split(t)[0] in Split(t);
  }
  if Normalise(t).Normal? { D3_NormalFormIsNormal(t); }
}

// A path that the second guard accepts never goes up.
lemma D5_CheckedPathStaysInside(t: Text, k: int)
  requires Check(t) && 0 <= k <= |Split(t)|
  ensures Depth(Split(t)[..k]) >= 0
{ if k > 0 { D5_CheckedPathStaysInside(t, k - 1); assert Split(t)[..k][..k - 1] == Split(t)[..k - 1]; } }

// S2: the third level of a skill is its other files; each stays inside.
predicate method IsValidLevel3(paths: seq<Text>) {
  forall p :: p in paths ==> Normalise(p).Normal? && Normalise(p).text != []
}

// Answers for a text: `ResourcePath::new`, `PackagePath::is_normal`, and the check of `prowess-dir`.
function method Answer(question: seq<Text>): seq<int>
  requires |question| == 1
{
  var t := question[0];
  [if IsNormal(t) then 1 else 0, if Check(t) then 1 else 0, if IsValidLevel3([t]) then 1 else 0] +
  match Normalise(t)
    case Normal(text) => [0] + text
    case Escape => [1]
    case Nul => [2]
}
