// What a skill is: the predicates of the specification by their names. `src/name/rule.rs`, `src/check`.
//
// fault: if c == HYPHEN then !was && KeepsWords(name[1..], true) => if c == HYPHEN then KeepsWords(name[1..], true)

type Text = seq<int>
const HYPHEN := 45

predicate method IsWordCharacter(c: int) { 97 <= c <= 122 || 48 <= c <= 57 }

// `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters.
predicate method IsValidSkillName(name: Text) {
  1 <= |name| <= 64 && (forall c :: c in name ==> IsWordCharacter(c) || c == HYPHEN)
  && name[0] != HYPHEN && name[|name| - 1] != HYPHEN
  && forall i :: 0 <= i < |name| - 1 ==> name[i] != HYPHEN || name[i + 1] != HYPHEN
}

// `is_kebab_case`, which reads a name once. `was`: whether a hyphen, or nothing, is in front.
predicate method KeepsWords(name: Text, was: bool) {
  if name == [] then !was
  else
    var c := name[0];
    if c == HYPHEN then !was && KeepsWords(name[1..], true) else IsWordCharacter(c) && KeepsWords(name[1..], false)
}

lemma Keeps(name: Text, was: bool)
  requires name != []
  ensures KeepsWords(name, was) <==>
    (forall c :: c in name ==> IsWordCharacter(c) || c == HYPHEN)
    && (was ==> name[0] != HYPHEN) && name[|name| - 1] != HYPHEN
    && forall i :: 0 <= i < |name| - 1 ==> name[i] != HYPHEN || name[i + 1] != HYPHEN
{
  var rest := name[1..];
  assert name == [name[0]] + rest;
  if rest != [] {
    Keeps(rest, name[0] == HYPHEN);
    assert rest[|rest| - 1] == name[|name| - 1] && rest[0] == name[1];
    assert forall i :: 0 <= i < |rest| ==> rest[i] == name[i + 1];
    assert forall i :: 1 <= i < |name| - 1 ==> name[i] == rest[i - 1] && name[i + 1] == rest[i];
  }
}

lemma N1_OnePassIsTheGrammar(name: Text)
  requires |name| <= 64
  ensures IsValidSkillName(name) <==> name != [] && KeepsWords(name, true)
{ if name != [] { Keeps(name, true); } }

// No name is a path: it has no slash, backslash, dot, colon or NUL.
lemma N2_NameIsNoPath(name: Text)
  requires IsValidSkillName(name)
  ensures 47 !in name && 92 !in name && 46 !in name && 58 !in name && 0 !in name
{}

lemma N3_JoinedNamesAreAName(a: Text, b: Text)
  requires IsValidSkillName(a) && IsValidSkillName(b) && |a| + |b| < 64
  ensures IsValidSkillName(a + [HYPHEN] + b)
{
  var all := a + [HYPHEN] + b;
  forall i | 0 <= i < |all| - 1 ensures all[i] != HYPHEN || all[i + 1] != HYPHEN {
    if i > |a| { assert all[i] == b[i - |a| - 1] && all[i + 1] == b[i - |a|]; }
  }
}

// A description is counted without the blanks around it.
predicate method IsValidDescription(text: Text) { 1 <= |Trimmed(text)| <= 1024 }
predicate method IsBlank(c: int) { c == 32 || c == 10 }

function method Start(text: Text): Text { if text != [] && IsBlank(text[0]) then Start(text[1..]) else text }
function method Trimmed(text: Text): Text
  decreases |text|
{
  var t := Start(text);
  if t != [] && IsBlank(t[|t| - 1]) && |t| - 1 < |text| then Trimmed(t[..|t| - 1]) else t
}

datatype Frontmatter = Frontmatter(name: Text, description: Text, compatibility: int, hasUnknown: bool)

// A negative length stands for a field that is absent.
predicate method IsValidFrontmatter(f: Frontmatter) {
  IsValidSkillName(f.name) && IsValidDescription(f.description) && f.compatibility <= 500 && !f.hasUnknown
}
predicate method IsValidSkillDirectory(directory: Text, name: Text) { directory == name }
predicate method IsValidLevel1(f: Frontmatter) { IsValidFrontmatter(f) }
predicate method IsValidLevel2(f: Frontmatter, lines: int) { IsValidLevel1(f) && lines <= 500 }
// The third level, the other files of a package, is in the model of paths.
predicate method IsValidCompleteSkill(f: Frontmatter, lines: int, directory: Text) {
  IsValidLevel2(f, lines) && IsValidSkillDirectory(directory, f.name)
}

lemma N4_LevelsNarrow(f: Frontmatter, lines: int, directory: Text)
  ensures IsValidCompleteSkill(f, lines, directory) ==> IsValidLevel2(f, lines) && IsValidSkillName(directory)
  ensures IsValidLevel2(f, lines) ==> IsValidLevel1(f)
{}

function method Repeated(c: int, count: int): Text
  decreases count
{ if count <= 0 then [] else [c] + Repeated(c, count - 1) }

// The question: the name; the description as blanks, letters and blanks; the length of the compatibility,
// whether there is an unknown field, and the lines of the body; the name of the directory.
function method Answer(question: seq<Text>): seq<int>
  requires |question| == 4 && |question[1]| == 3 && |question[2]| == 3
{
  var name, d, n := question[0], question[1], question[2];
  var description := Repeated(32, d[0]) + Repeated(97, d[1]) + Repeated(10, d[2]);
  var f := Frontmatter(name, description, n[0], n[1] == 1);
  [if IsValidSkillName(name) then 1 else 0, if IsValidDescription(description) then 1 else 0,
   if IsValidSkillDirectory(question[3], name) then 1 else 0, if IsValidLevel1(f) then 1 else 0,
   if IsValidLevel2(f, n[2]) then 1 else 0, if IsValidCompleteSkill(f, n[2], question[3]) then 1 else 0]
}
