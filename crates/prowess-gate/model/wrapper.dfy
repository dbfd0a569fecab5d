// Programs that run the words behind their own, as they read them: `src/behind/wrapper.rs` is as wide as
// this at least. A denial of a command holds behind them, so a wrapper is never wider than what it runs.
//
// fault: then Inner(Rest(line, 2), w) => then Inner(Rest(line, 1), w)

// `sudo`, `nice`, `timeout` and `env`; the denied program; the options `-n`, `-u`, `-k` and `-i`; `--`; an
// assignment; any other word, which is also the duration of `timeout`, and a program.
datatype Word = Sudo | Nice | Timeout | Env | Denied | N | U | K | I | Dashes | Assignment | Other

predicate method IsWrapper(w: Word) { w == Sudo || w == Nice || w == Timeout || w == Env }
// Options with a value, and without one.
predicate method IsValue(o: Word, w: Word)
{ (o == U && (w == Sudo || w == Env)) || (o == N && w == Nice) || (o == K && w == Timeout) }
predicate method IsFlag(o: Word, w: Word) { (o == N && w == Sudo) || (o == I && w == Env) }
predicate method IsOption(o: Word) { o == N || o == U || o == K || o == I }

function method Rest(line: seq<Word>, n: nat): seq<Word>
{ if n <= |line| then line[n..] else [] }

// The words that the wrapper runs, behind its options; none if it refuses an option.
function method Inner(line: seq<Word>, w: Word): seq<Word>
  ensures |Inner(line, w)| <= |line|
  decreases |line|
{
  if line == [] then []
  else if IsValue(line[0], w) then Inner(Rest(line, 2), w)
  else if IsFlag(line[0], w) then Inner(line[1..], w)
  else if IsOption(line[0]) then []
  else if line[0] == Dashes then Command(line[1..], w)
  else Command(line, w)
}

// Behind the options: assignments of `sudo` and `env`, the duration of `timeout`.
function method Command(line: seq<Word>, w: Word): seq<Word>
  ensures |Command(line, w)| <= |line|
  decreases |line|
{
  if line == [] then []
  else if line[0] == Assignment && (w == Sudo || w == Env) then Command(line[1..], w)
  else if w == Timeout then line[1..]
  else line
}

predicate method Runs(line: seq<Word>)
  decreases |line|
{
  line != [] && (line[0] == Denied ||
    (IsWrapper(line[0]) && Runs(Inner(line[1..], line[0]))))
}

lemma W1_WrapperRunsWhatIsBehindIt(w: Word, line: seq<Word>)
  requires IsWrapper(w) && w != Timeout && line != [] && !IsOption(line[0])
  requires line[0] != Dashes && line[0] != Assignment
  ensures Runs([w] + line) <==> Runs(line)
{ assert ([w] + line)[1..] == line; }

lemma W2_TimeoutRunsWhatIsBehindItsDuration(line: seq<Word>)
  ensures Runs([Timeout, Other] + line) <==> Runs(line)
{ assert ([Timeout, Other] + line)[1..] == [Other] + line; assert ([Other] + line)[1..] == line; }

lemma W3_OptionsHideNothing(w: Word, o: Word, value: Word, line: seq<Word>)
  requires IsWrapper(w) && IsValue(o, w)
  ensures Runs([w, o, value] + line) <==> Runs([w] + line)
{
  var all := [w, o, value] + line;
  assert all[1..] == [o, value] + line;
  assert Rest(all[1..], 2) == line && ([w] + line)[1..] == line;
}

lemma W4_DashesHideNothing(w: Word, line: seq<Word>)
  requires IsWrapper(w) && line != [] && !IsOption(line[0]) && line[0] != Dashes
  ensures Runs([w, Dashes] + line) <==> Runs([w] + line)
{
  assert ([w, Dashes] + line)[1..] == [Dashes] + line;
  assert ([Dashes] + line)[1..] == line && ([w] + line)[1..] == line;
}

function method Read(numbers: seq<int>): seq<Word> {
  var all := [Sudo, Nice, Timeout, Env, Denied, N, U, K, I, Dashes, Assignment, Other];
  if numbers == [] then []
  else [if 0 <= numbers[0] < |all| then all[numbers[0]] else Other] + Read(numbers[1..])
}

// Whether the line runs the denied program.
function method Answer(question: seq<seq<int>>): seq<int>
  requires |question| == 1
{ [if Runs(Read(question[0])) then 1 else 0] }
