// The two fences of a file: `find` of `src/fence.rs`, for a whole file without a byte order mark that is smaller than
// the limits. A text is its characters.
//
// fault: IsFence(lines[0]) || IsDots(lines[0]) then 0 => IsFence(lines[0]) then 0

type Text = seq<int>
datatype Found = Missing | Body(text: Text)

// Each line with its end.
function method Lines(t: Text): seq<Text> {
  if t == [] then []
  else var rest := Lines(t[1..]);
    if t[0] == 10 || rest == [] then [[t[0]]] + rest else [[t[0]] + rest[0]] + rest[1..]
}

function method Joined(lines: seq<Text>): Text
{ if lines == [] then [] else lines[0] + Joined(lines[1..]) }

predicate method Ends(line: Text, c: int) { line != [] && line[|line| - 1] == c }
predicate method AreBlank(t: Text) { forall c :: c in t ==> c in [32, 9] }
predicate method AreSpace(t: Text) { forall c :: c in t ==> c in [32, 9, 10, 12, 13] }

predicate method IsFence(line: Text) {
  var cut := if Ends(line, 10) then line[..|line| - 1] else line;
  var content := if Ends(cut, 13) then cut[..|cut| - 1] else cut;
  |content| >= 3 && content[..3] == [45, 45, 45] && AreBlank(content[3..])
}

// A line `...`, where YAML ends; it needs a line end.
predicate method IsDots(line: Text)
{ |line| > 3 && line[..3] == [46, 46, 46] && Ends(line, 10) && AreSpace(line[3..]) }

// The position of the first line that closes; the number of lines if there is none.
function method Closing(lines: seq<Text>): nat
  ensures Closing(lines) <= |lines|
{ if lines == [] || IsFence(lines[0]) || IsDots(lines[0]) then 0 else 1 + Closing(lines[1..]) }

function method Find(lines: seq<Text>): Found {
  if lines == [] || !IsFence(lines[0]) then Missing
  else var end := 1 + Closing(lines[1..]);
    if end == |lines| then Missing else Body(Joined(lines[end + 1..]))
}

lemma F1_LinesAreTheText(t: Text)
  ensures Joined(Lines(t)) == t {}

lemma F2_FirstFenceCloses(lines: seq<Text>, i: nat)
  requires i <= Closing(lines) < |lines|
  ensures i < Closing(lines) <==> !IsFence(lines[i]) && !IsDots(lines[i])
{ if i > 0 { F2_FirstFenceCloses(lines[1..], i - 1); } }

// No text of the body moves the fences, so it cannot take a field out or put one in.
lemma F3_BodyMovesNoFence(lines: seq<Text>, other: seq<Text>)
  requires Closing(lines) < |lines|
  ensures Closing(lines[..Closing(lines) + 1] + other) == Closing(lines)
{
  if Closing(lines) > 0 {
    F3_BodyMovesNoFence(lines[1..], other);
    assert (lines[..Closing(lines) + 1] + other)[1..] == lines[1..][..Closing(lines)] + other;
  }
}

lemma F4_LinesOfABodyAreItsOwn(head: Text, body: Text)
  requires Ends(head, 10)
  ensures Lines(head + body) == Lines(head) + Lines(body)
{
  assert (head + body)[1..] == head[1..] + body;
  if |head| == 1 { assert head[1..] + body == body; }
}

function method Answer(t: Text): Found { Find(Lines(t)) }
