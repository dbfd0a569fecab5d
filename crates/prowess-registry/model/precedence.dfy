// Which of the skills with one id is offered: `rank` and `resolve_collisions` of `src/precedence`.
//
// fault: if a.isUntrusted != b.isUntrusted then b.isUntrusted => if false then b.isUntrusted

// `isOff`: it is excluded, for example because a program is missing that it needs.
datatype Record = Record(isUntrusted: bool, isRepaired: bool, layer: int, effective: int, source: int, path: int, isOff: bool)

// Trust, then names that are the id as they are written, then weight and priority, source and path.
predicate method Before(a: Record, b: Record) {
  if a.isUntrusted != b.isUntrusted then b.isUntrusted
  else if a.isRepaired != b.isRepaired then b.isRepaired
  else if a.layer != b.layer then a.layer > b.layer
  else if a.effective != b.effective then a.effective > b.effective
  else if a.source != b.source then a.source < b.source
  else a.path < b.path
}

// Only an unclamped priority reaches into other layers.
function method Layer(isClamped: bool, weight: int): int { if isClamped then weight else 0 }

function method Effective(isClamped: bool, weight: int, priority: int): int {
  weight * 1000 + (if !isClamped then priority else if priority > 999 then 999 else if priority < -999 then -999 else priority)
}

function method Best(rs: seq<Record>): Record
  requires rs != []
  ensures Best(rs) in rs && forall r :: r in rs ==> !Before(r, Best(rs))
{
  assert rs == [rs[0]] + rs[1..];
  if |rs| == 1 then rs[0]
  else var rest := Best(rs[1..]); if Before(rs[0], rest) then rs[0] else rest
}

function method Admitted(rs: seq<Record>, isReserved: bool): seq<Record>
  ensures forall r :: r in Admitted(rs, isReserved) <==> r in rs && !r.isOff && !(isReserved && r.isUntrusted)
{
  if rs == [] then []
  else
    assert rs == [rs[0]] + rs[1..];
    (if rs[0].isOff || (isReserved && rs[0].isUntrusted) then [] else [rs[0]]) + Admitted(rs[1..], isReserved)
}

// An id of a trusted skill that is off is reserved: no untrusted skill takes it.
predicate method IsReserved(rs: seq<Record>) { exists r :: r in rs && r.isOff && !r.isUntrusted }

// At most one record. Where a collision is an error, one of equal trust leaves none.
function method Offered(rs: seq<Record>, isError: bool): seq<Record> {
  var admitted := Admitted(rs, IsReserved(rs));
  if admitted == [] then []
  else
    var best := Best(admitted);
    if isError && exists r :: r in admitted && r != best && r.isUntrusted == best.isUntrusted then [] else [best]
}

predicate AreDistinct(rs: seq<Record>)
{ forall a, b :: a in rs && b in rs && a != b ==> a.source != b.source || a.path != b.path }

lemma P1_OrderIsTotal(a: Record, b: Record, c: Record)
  ensures !Before(a, a) && !(Before(a, b) && Before(b, a))
  ensures Before(a, b) && Before(b, c) ==> Before(a, c)
  ensures a.source != b.source || a.path != b.path ==> Before(a, b) || Before(b, a)
{}

lemma P2_UntrustedNeverShadowsTrusted(rs: seq<Record>, isError: bool)
  requires Offered(rs, isError) != [] && Offered(rs, isError)[0].isUntrusted
  ensures forall r :: r in rs ==> r.isUntrusted
{}

lemma P3_ScanOrderDoesNotMatter(a: seq<Record>, b: seq<Record>, isError: bool)
  requires AreDistinct(a) && forall r :: r in a <==> r in b
  ensures Offered(a, isError) == Offered(b, isError)
{
  var x, y := Admitted(a, IsReserved(a)), Admitted(b, IsReserved(b));
  assert forall r :: r in x <==> r in y;
  if x != [] { assert x[0] in y; P1_OrderIsTotal(Best(x), Best(y), Best(x)); }
  if y != [] { assert y[0] in x; }
}

lemma P4_UntrustedContestsNoTrusted(rs: seq<Record>, more: Record)
  requires more.isUntrusted && AreDistinct(rs + [more])
  requires Offered(rs, true) != [] && !Offered(rs, true)[0].isUntrusted
  ensures Offered(rs + [more], true) == Offered(rs, true)
{
  var x, y := Admitted(rs, IsReserved(rs)), Admitted(rs + [more], IsReserved(rs + [more]));
  assert forall r :: r in rs + [more] <==> r in rs || r == more;
  assert IsReserved(rs + [more]) <==> IsReserved(rs);
  assert forall r :: r in x ==> r in y;
  assert Best(x) in y;
  assert forall r :: r in y ==> r in x || r == more;
  P1_OrderIsTotal(Best(x), Best(y), Best(x));
}

lemma P5_ClampedPriorityCrossesNoLayer(a: Record, b: Record, high: int, low: int)
  requires a.isUntrusted == b.isUntrusted && a.isRepaired == b.isRepaired && high > low
  requires a.layer == Layer(true, high) && b.layer == Layer(true, low)
  ensures Before(a, b)
{}

lemma P6_ReservedIdIsNotTaken(rs: seq<Record>, isError: bool, r: Record)
  requires r in rs && r.isOff && !r.isUntrusted
  ensures Offered(rs, isError) != [] ==> !Offered(rs, isError)[0].isUntrusted
{}

function method Pick<T>(of: seq<T>, n: int): T
  requires |of| > 0
{ if 0 <= n < |of| then of[n] else of[0] }

// Four layers: an untrusted one of the most weight, two trusted ones, and an untrusted one.
function method Read(n: int, at: int, isClamped: bool): Record {
  var layer, kind, priority := n % 4, n / 4 % 3, Pick([0, 5, 1001, -1500], n / 12);
  var weight := Pick([9, 2, 1, 5], layer);
  Record(layer == 0 || layer == 3, kind == 1, Layer(isClamped, weight), Effective(isClamped, weight, priority),
    layer, at, kind == 2)
}

function method ReadAll(numbers: seq<int>, at: int, isClamped: bool): seq<Record>
  decreases |numbers|
{ if numbers == [] then [] else [Read(numbers[0], at, isClamped)] + ReadAll(numbers[1..], at + 1, isClamped) }

// The question: whether a collision is an error and whether priorities are clamped; the records. The
// answer: the number of the offered one.
function method Answer(question: seq<seq<int>>): seq<int>
  requires |question| == 2 && |question[0]| == 2
{
  var offered := Offered(ReadAll(question[1], 0, question[0][1] == 1), question[0][0] == 1);
  if offered == [] then [] else [offered[0].path]
}
