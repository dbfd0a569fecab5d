// Behind a compiled model: prints questions of its domain, each with the answer of the model.
// Arguments: the file of the domain, the name of the limit in it, the number of questions if it says no less, and
// the seed of the random ones.
_dafny.Seq.prototype.contains = function (value) {
  return this.some((own) => _dafny.areEqual(own, value));
};

const { readFileSync, writeSync } = require('fs');
const [domainFile, limit, countText, seedText] = process.argv.slice(2);
const domain = JSON.parse(readFileSync(domainFile, 'utf8'));
const { parts, function: asked = 'Answer' } = domain;
const count = Math.min(Number(countText), domain[limit] ?? Infinity);
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

// The types of the model say how the numbers of a part are read. A list has one item for each number. The
// fields of any other value take the numbers in turn: a variant is its position, 1 is true. Within a list, a
// number is all of a value: its last digit is the last field, to the base of the number of values of that field.
const source = readFileSync(domainFile.replace(/json$/, 'dfy'), 'utf8').replace(/\/\/.*/g, '');
const aliases = Object.fromEntries([...source.matchAll(/^type (\w+) = (.*)$/gm)].map(([, name, type]) => [name, type]));
const fields = (text = '') => [...text.matchAll(/(\w+): ([\w<>]+)/g)].map(([, name, type]) => ({ name, type }));
const datatypes = {};
for (const [, name, body] of source.matchAll(/^datatype (\w+) = (.*(?:\n +.*)*)/gm)) {
  const variants = [...body.matchAll(/(\w+)(?:\(([^)]*)\))?/g)];
  datatypes[name] = variants.map(([, variant, text]) => ({ create: `create_${variant}`, fields: fields(text) }));
}
const signature = new RegExp(`^(?:function|predicate) method ${asked}\\(([^)]*)\\)(?:: ([\\w<>]+))?`, 'm');
const [, parameters, answerType = 'bool'] = signature.exec(source);

const item = (type) => /^seq<(.*)>$/.exec(aliases[type] ?? type)?.[1];
const variant = (type, at) => _module[type][datatypes[type][at].create];
const isRecord = (type) => datatypes[type]?.length === 1;
const isPlain = (type) => ['int', 'nat'].includes(type);

function values(type) {
  if (isPlain(type)) return Infinity;
  if (type === 'bool') return 2;
  if (!isRecord(type)) return datatypes[type].length;
  return datatypes[type][0].fields.reduce((all, field) => all * values(field.type), 1);
}
function unpacked(type, number) {
  if (isPlain(type)) return new BigNumber(number);
  if (type === 'bool') return number === 1;
  if (!isRecord(type)) return variant(type, number)();
  let rest = number;
  const digits = [...datatypes[type][0].fields].reverse().map((field) => {
    const base = values(field.type);
    const digit = base === Infinity ? rest : rest % base;
    rest = base === Infinity ? 0 : Math.floor(rest / base);
    return unpacked(field.type, digit);
  });
  return variant(type, 0)(...digits.reverse());
}
function packed(type, value) {
  if (!isRecord(type)) return written(type, value)[0];
  return datatypes[type][0].fields.reduce((number, field) =>
    (number && number * values(field.type)) + packed(field.type, value[field.name]), 0);
}
function read(type, numbers) {
  if (item(type)) return _dafny.Seq.of(...numbers.splice(0).map((number) => unpacked(item(type), number)));
  if (!isRecord(type)) return unpacked(type, numbers.shift());
  return variant(type, 0)(...datatypes[type][0].fields.map((field) => read(field.type, numbers)));
}
function written(type, value) {
  if (isPlain(type)) return [value.toNumber()];
  if (type === 'bool') return [Number(value)];
  if (item(type)) return [...value].map((one) => packed(item(type), one));
  const own = datatypes[type][value.$tag].fields.flatMap((field) => written(field.type, value[field.name]));
  return isRecord(type) ? own : [value.$tag, ...own];
}

function answer(question) {
  const values = fields(parameters).map(({ type }, at) => {
    const part = question[at];
    return read(type, typeof part === 'string' ? [...part].map((c) => c.codePointAt(0)) : [...part]);
  });
  return written(answerType, _module.__default[asked](...values));
}

const total = parts.map(size).reduce((one, other) => one * other, 1);
let text = '';
for (const question of total <= count ? everyQuestion() : anyQuestion()) {
  text += `${JSON.stringify([question, answer(question)])}\n`;
  if (text.length > 1 << 16) {
    writeSync(1, text);
    text = '';
  }
}
writeSync(1, text);
