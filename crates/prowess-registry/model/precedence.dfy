// Which of the skills with one id is offered: `rank` and `resolve_collisions` of `src/precedence`.
//
// fault: if a.isUntrusted != b.isUntrusted then b.isUntrusted => if false then b.isUntrusted

// `isOff`: it is excluded, for example because a program is missing that it needs.
datatype Record = Record(
  isUntrusted: bool, isRepaired: bool, layer: int, effective: int, source: int, path: int, isOff: bool)
type Records = seq<Record>

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

function method Effective(isClamped: bool, weight: int, priority: int): int
{ weight * 1000 + if !isClamped || -999 <= priority <= 999 then priority else if priority > 0 then 999 else -999 }

function method Best(rs: Records): Record
  requires rs != []
  ensures Best(rs) in rs && forall r :: r in rs ==> !Before(r, Best(rs))
{
  assert rs == [rs[0]] + rs[1..];
  if |rs| == 1 then rs[0] else var rest := Best(rs[1..]); if Before(rs[0], rest) then rs[0] else rest
}

// An id of a trusted skill that is off is reserved: no untrusted skill takes it.
predicate method IsReserved(rs: Records) { exists r :: r in rs && r.isOff && !r.isUntrusted }

function method Admitted(rs: Records, isReserved: bool): Records
  ensures forall r :: r in Admitted(rs, isReserved) <==> r in rs && !r.isOff && !(isReserved && r.isUntrusted)
{
  if rs == [] then []
  else (if rs[0].isOff || (isReserved && rs[0].isUntrusted) then [] else [rs[0]]) + Admitted(rs[1..], isReserved)
}

// At most one record. Where a collision is an error, one of equal trust leaves none.
function method Offered(rs: Records, isError: bool): Records {
  var admitted := Admitted(rs, IsReserved(rs));
  if admitted == [] then []
  else var best := Best(admitted);
    if isError && exists r :: r in admitted && r != best && r.isUntrusted == best.isUntrusted then [] else [best]
}

predicate AreDistinct(rs: Records)
{ forall a, b :: a in rs && b in rs && a != b ==> a.source != b.source || a.path != b.path }

lemma P1_OrderIsTotal(a: Record, b: Record, c: Record)
  ensures !Before(a, a) && !(Before(a, b) && Before(b, a)) && (Before(a, b) && Before(b, c) ==> Before(a, c))
  ensures a.source != b.source || a.path != b.path ==> Before(a, b) || Before(b, a) {}

lemma P2_UntrustedNeverShadowsTrusted(rs: Records, isError: bool)
  requires Offered(rs, isError) != [] && Offered(rs, isError)[0].isUntrusted
  ensures forall r :: r in rs ==> r.isUntrusted {}

lemma P3_ScanOrderDoesNotMatter(a: Records, b: Records, isError: bool)
  requires AreDistinct(a) && forall r :: r in a <==> r in b
  ensures Offered(a, isError) == Offered(b, isError)
{ assert forall r :: r in Admitted(a, IsReserved(a)) <==> r in Admitted(b, IsReserved(b)); }

lemma P4_UntrustedContestsNoTrusted(rs: Records, more: Record)
  requires more.isUntrusted && AreDistinct(rs + [more])
  requires Offered(rs, true) != [] && !Offered(rs, true)[0].isUntrusted
  ensures Offered(rs + [more], true) == Offered(rs, true) {}

lemma P5_ClampedPriorityCrossesNoLayer(a: Record, b: Record, high: int, low: int)
  requires a.isUntrusted == b.isUntrusted && a.isRepaired == b.isRepaired && high > low
  requires a.layer == Layer(true, high) && b.layer == Layer(true, low)
  ensures Before(a, b) {}

// Four layers: an untrusted one of the most weight, two trusted ones, and an untrusted one.
datatype Place = Downloads | User | Project | Plugins
datatype Kind = AsWritten | Repaired | Off
datatype Priority = Usual | Higher | Highest | Lowest
datatype Written = Written(priority: Priority, kind: Kind, place: Place)

function method Read(w: Written, at: int, isClamped: bool): Record {
  var weight := match w.place case Downloads => 9 case User => 2 case Project => 1 case Plugins => 5;
  var source := match w.place case Downloads => 0 case User => 1 case Project => 2 case Plugins => 3;
  var priority := match w.priority case Usual => 0 case Higher => 5 case Highest => 1001 case Lowest => -1500;
  Record(w.place == Downloads || w.place == Plugins, w.kind == Repaired, Layer(isClamped, weight),
    Effective(isClamped, weight, priority), source, at, w.kind == Off)
}

function method ReadAll(ws: seq<Written>, at: int, isClamped: bool): Records
{ if ws == [] then [] else [Read(ws[0], at, isClamped)] + ReadAll(ws[1..], at + 1, isClamped) }

datatype Rules = Rules(isError: bool, isClamped: bool)

// The number of the offered record.
function method Answer(rules: Rules, ws: seq<Written>): seq<int> {
  var offered := Offered(ReadAll(ws, 0, rules.isClamped), rules.isError);
  if offered == [] then [] else [offered[0].path]
}
