// What a skill is: the predicates of the specification by their names. `src/name/rule.rs`, `src/check`.
//
// fault: IsWordCharacter(c) || c == HYPHEN) => IsWordCharacter(c) || c == HYPHEN || c == 46)

type Text = seq<int>
const HYPHEN := 45

predicate method IsWordCharacter(c: int) { 97 <= c <= 122 || 48 <= c <= 57 }

// `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters.
predicate method IsValidSkillName(name: Text) {
  1 <= |name| <= 64 && (forall c :: c in name ==> IsWordCharacter(c) || c == HYPHEN)
  && name[0] != HYPHEN && name[|name| - 1] != HYPHEN
  && forall i :: 0 <= i < |name| - 1 ==> name[i] != HYPHEN || name[i + 1] != HYPHEN
}

// A description is counted without the blanks around it.
predicate method IsValidDescription(text: Text) { 1 <= |Trimmed(text)| <= 1024 }

function method Trimmed(text: Text): Text
  decreases |text|
{
  if text != [] && text[0] in [32, 10] then Trimmed(text[1..])
  else if text != [] && text[|text| - 1] in [32, 10] then Trimmed(text[..|text| - 1])
  else text
}

// A negative length stands for a field that is absent.
datatype Frontmatter = Frontmatter(name: Text, description: Text, compatibility: int, hasUnknown: bool)

predicate method IsValidFrontmatter(f: Frontmatter)
{ IsValidSkillName(f.name) && IsValidDescription(f.description) && f.compatibility <= 500 && !f.hasUnknown }
predicate method IsValidSkillDirectory(directory: Text, name: Text) { directory == name }
predicate method IsValidLevel1(f: Frontmatter) { IsValidFrontmatter(f) }
predicate method IsValidLevel2(f: Frontmatter, lines: int) { IsValidLevel1(f) && lines <= 500 }

// `isLevel3` is `IsValidLevel3` of the model of paths, which `prowess-core` answers: this crate reads one file and
// knows no path. So the vectors ask with files that are valid.
predicate method IsValidCompleteSkill(f: Frontmatter, lines: int, isLevel3: bool, directory: Text)
{ IsValidLevel1(f) && IsValidLevel2(f, lines) && isLevel3 && IsValidSkillDirectory(directory, f.name) }

// No name is a path: it has no slash, backslash, dot, colon or NUL.
lemma N1_NameIsNoPath(name: Text)
  ensures IsValidSkillName(name) ==> forall c :: c in [47, 92, 46, 58, 0] ==> c !in name {}

lemma N2_LevelsNarrow(f: Frontmatter, lines: int, isLevel3: bool, directory: Text)
  ensures IsValidCompleteSkill(f, lines, isLevel3, directory)
    ==> IsValidLevel2(f, lines) && isLevel3 && IsValidSkillName(directory)
  ensures IsValidLevel2(f, lines) ==> IsValidLevel1(f) {}

function method Repeated(c: int, count: nat): Text { if count == 0 then [] else [c] + Repeated(c, count - 1) }

// The description: blanks, letters and blanks. Then the other fields, and the lines of the body.
datatype Counts = Counts(before: nat, letters: nat, after: nat)
datatype Rest = Rest(compatibility: int, hasUnknown: bool, lines: nat)

function method Answer(name: Text, counts: Counts, rest: Rest, directory: Text): seq<bool> {
  var description := Repeated(32, counts.before) + Repeated(97, counts.letters) + Repeated(10, counts.after);
  var f := Frontmatter(name, description, rest.compatibility, rest.hasUnknown);
  [IsValidSkillName(name), IsValidDescription(description), IsValidSkillDirectory(directory, name), IsValidLevel1(f),
   IsValidLevel2(f, rest.lines), IsValidCompleteSkill(f, rest.lines, true, directory)]
}
