// Paths inside a package: `normalise` and `PackagePath::is_normal` of `src/path.rs`, and the check that `prowess-dir`
// makes before it opens one. A text is its characters.
//
// fault: if |done| == 0 then Outside else => if |done| == 0 then Walk(rest[1..], done) else

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

function method Split(t: Text): seq<Text>
  ensures |Split(t)| > 0
{
  if t == [] then [[]]
  else if t[0] == SLASH then [[]] + Split(t[1..])
  else var rest := Split(t[1..]); [[t[0]] + rest[0]] + rest[1..]
}

function method Join(parts: seq<Text>): Text
{ if parts == [] then [] else if |parts| == 1 then parts[0] else parts[0] + [SLASH] + Join(parts[1..]) }

function method Walk(rest: seq<Text>, done: seq<Text>): Walked {
  if rest == [] then Inside(done)
  else if IsNothing(rest[0]) then Walk(rest[1..], done)
  else if IsUp(rest[0]) then
    if |done| == 0 then Outside else Walk(rest[1..], done[..|done| - 1])
  else Walk(rest[1..], done + [rest[0]])
}

function method Normalise(t: Text): Result {
  if NUL in t then Nul
  else if (|t| > 0 && t[0] == SLASH) || BACKSLASH in t then Escape
  else match Walk(Split(t), [])
    case Outside => Escape
    case Inside(parts) => if IsDrive(t) || IsDrive(Join(parts)) then Escape else Normal(Join(parts))
}

predicate method IsNormal(t: Text)
{ t == [] || (NUL !in t && BACKSLASH !in t && !IsDrive(t) && forall p :: p in Split(t) ==> IsPart(p)) }

// The check of `prowess-dir`.
predicate method Check(t: Text)
{ NUL !in t && (forall p :: p in Split(t) ==> !IsUp(p)) && (t == [] || t[0] != SLASH) }

// S2: the third level of a skill is its other files; each stays inside.
predicate method IsValidLevel3(paths: seq<Text>)
{ forall p :: p in paths ==> Normalise(p).Normal? && Normalise(p).text != [] }

// No part of a walk that starts so far below a root leads above it.
predicate Stays(parts: seq<Text>, depth: int) {
  depth >= 0 && (parts == [] ||
    Stays(parts[1..], depth + (if IsUp(parts[0]) then -1 else if IsNothing(parts[0]) then 0 else 1)))
}

lemma D1_AcceptedPathStaysInside(rest: seq<Text>, done: seq<Text>)
  requires Walk(rest, done).Inside?
  ensures Stays(rest, |done|) {}

// The normal form has no `.`, `..` and empty part.
lemma D2_NormalFormHasNamesOnly(rest: seq<Text>, done: seq<Text>)
  requires Walk(rest, done).Inside? && forall p :: p in done ==> IsPart(p)
  ensures forall p :: p in Walk(rest, done).parts ==> IsPart(p) {}

// A path that the second guard accepts never goes up.
lemma D3_CheckedPathStaysInside(parts: seq<Text>, depth: nat)
  ensures (forall p :: p in parts ==> !IsUp(p)) ==> Stays(parts, depth) {}

// `PackagePath::is_normal`, the check of `prowess-dir`, `ResourcePath::new` and `PackagePath::new`.
datatype Answers = Answers(isNormal: bool, isChecked: bool, isFile: bool, result: Result)

function method Answer(t: Text): Answers { Answers(IsNormal(t), Check(t), IsValidLevel3([t]), Normalise(t)) }
