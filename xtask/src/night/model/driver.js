// Behind a compiled model: prints questions of its domain, each with the answer of the model.
// Arguments: the file of the domain, the number of questions, and the seed of the random ones.
_dafny.Seq.prototype.contains = function (value) {
  return this.some((own) => _dafny.areEqual(own, value));
};

const [domainFile, countText, seedText] = process.argv.slice(2);
const { parts } = JSON.parse(require('fs').readFileSync(domainFile, 'utf8'));
const count = Number(countText);
let state = Number(seedText) >>> 0;

// mulberry32: equal seeds give equal questions on each machine.
function random(below) {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % below;
}

// A part has a list of values for `each` of its places, or one list `of` values for all.
function lists(part, length) {
  return part.each ?? Array(length).fill(part.of);
}
function lengths(part) {
  const [least, most] = part.each ? [0, 0] : part.length;
  return Array.from({ length: most - least + 1 }, (_, at) => least + at);
}
function size(part) {
  const sizes = lengths(part).map((n) => lists(part, n).reduce((all, list) => all * list.length, 1));
  return sizes.reduce((one, other) => one + other);
}
function joined(part, values) {
  return typeof values[0] === 'string' || part.join !== undefined ? values.join(part.join ?? '') : values;
}
function* every(part) {
  for (const length of lengths(part)) {
    const of = lists(part, length);
    const total = of.reduce((all, list) => all * list.length, 1);
    for (let number = 0; number < total; number++) {
      let rest = number;
      yield joined(part, of.map((list) => {
        const value = list[rest % list.length];
        rest = Math.floor(rest / list.length);
        return value;
      }));
    }
  }
}
function any(part) {
  const all = lengths(part);
  const of = lists(part, all[random(all.length)]);
  return joined(part, of.map((list) => list[random(list.length)]));
}
function* everyQuestion(at = 0) {
  if (at === parts.length) return yield [];
  for (const first of every(parts[at])) for (const rest of everyQuestion(at + 1)) yield [first, ...rest];
}
function* anyQuestion() {
  const seen = new Set();
  for (let tries = 0; tries < 20 * count && (count > 1e5 ? tries : seen.size) < count; tries++) {
    const question = parts.map(any);
    const text = JSON.stringify(question);
    if (count <= 1e5 && seen.has(text)) continue;
    if (count <= 1e5) seen.add(text);
    yield question;
  }
}

const seq = (items) => _dafny.Seq.of(...items);
const number = (value) => new BigNumber(value);
function answer(question) {
  const sequence = question.map((part) =>
    seq(typeof part === 'string' ? [...part].map((c) => number(c.codePointAt(0))) : part.map(number)));
  return [..._module.__default.Answer(seq(sequence))].map((value) => value.toNumber());
}

const total = parts.map(size).reduce((one, other) => one * other, 1);
let text = '';
for (const question of total <= count ? everyQuestion() : anyQuestion()) {
  text += `${JSON.stringify([question, answer(question)])}\n`;
  if (text.length > 1 << 16) {
    require('fs').writeSync(1, text);
    text = '';
  }
}
require('fs').writeSync(1, text);
