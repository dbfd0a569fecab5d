// Programs that run the words behind their own, as they read them: `src/behind/wrapper.rs` is as wide as this at
// least. A denial of a command holds behind them, so a wrapper is never wider than what it runs.
//
// fault: then Inner(Rest(line, 2), w) => then Inner(Rest(line, 1), w)

// Four wrappers; the denied program; four options; `--`; an assignment; any other word, which is also the duration
// of `timeout`, and a program.
datatype Word = Sudo | Nice | Timeout | Env | Denied | N | U | K | I | Dashes | Assignment | Other

predicate method IsWrapper(w: Word) { w == Sudo || w == Nice || w == Timeout || w == Env }
predicate method TakesAssignments(w: Word) { w == Sudo || w == Env }
predicate method IsOption(o: Word) { o == N || o == U || o == K || o == I }
predicate method IsOptionWithValue(o: Word, w: Word)
{ (o == U && TakesAssignments(w)) || (o == N && w == Nice) || (o == K && w == Timeout) }
predicate method IsFlag(o: Word, w: Word) { (o == N && w == Sudo) || (o == I && w == Env) }

function method Rest(line: seq<Word>, n: nat): seq<Word>
{ if n <= |line| then line[n..] else [] }

// The words that the wrapper runs, behind its options; none if it refuses an option.
function method Inner(line: seq<Word>, w: Word): seq<Word>
  ensures |Inner(line, w)| <= |line|
  decreases |line|
{
  if line == [] then []
  else if IsOptionWithValue(line[0], w) then Inner(Rest(line, 2), w)
  else if IsFlag(line[0], w) then Inner(line[1..], w)
  else if IsOption(line[0]) then []
  else Command(if line[0] == Dashes then line[1..] else line, w)
}

// Behind the options: assignments of `sudo` and `env`, the duration of `timeout`.
function method Command(line: seq<Word>, w: Word): seq<Word>
  ensures |Command(line, w)| <= |line|
{
  if line != [] && line[0] == Assignment && TakesAssignments(w) then Command(line[1..], w)
  else if w == Timeout then Rest(line, 1) else line
}

// Whether the line runs the denied program.
predicate method Runs(line: seq<Word>)
  decreases |line|
{ line != [] && (line[0] == Denied || (IsWrapper(line[0]) && Runs(Inner(line[1..], line[0])))) }

lemma W1_WrapperRunsWhatIsBehindIt(w: Word, line: seq<Word>)
  requires IsWrapper(w) && w != Timeout && line != [] && !IsOption(line[0]) && line[0] !in [Dashes, Assignment]
  ensures Runs([w] + line) <==> Runs(line)
{ assert ([w] + line)[1..] == line; }

lemma W2_TimeoutRunsWhatIsBehindItsDuration(line: seq<Word>)
  ensures Runs([Timeout, Other] + line) <==> Runs(line)
{ assert ([Timeout, Other] + line)[1..] == [Other] + line; assert ([Other] + line)[1..] == line; }

lemma {:induction false} W3_OptionsHideNothing(w: Word, o: Word, value: Word, line: seq<Word>)
  requires IsWrapper(w) && IsOptionWithValue(o, w)
  ensures Runs([w, o, value] + line) <==> Runs([w] + line)
{ assert ([w, o, value] + line)[1..] == [o, value] + line; assert Rest([o, value] + line, 2) == ([w] + line)[1..]; }
