// `node gemini.mjs ROOT [MODULES]`: finds the skills of a directory once with the loader of gemini-cli-core, which
// reads and keeps each body.
//
// Prints `{"skills": COUNT, "cpu_us": TIME, "whole_us": TIME, "peak_kib": MEMORY}`: CPU time of the process
// around the work alone and since its start, and the most memory that it has had. It is imported from MODULES, or from the directory that it runs in.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const here = createRequire(join(process.argv[3] ?? process.cwd(), "package.json"));
const loader = here.resolve("@google/gemini-cli-core/dist/src/skills/skillLoader.js");
const { loadSkillsFromDir } = await import(pathToFileURL(loader).href);

const start = process.cpuUsage();
const skills = await loadSkillsFromDir(process.argv[2]);
const { user, system } = process.cpuUsage(start);
const whole = process.cpuUsage();
const peak = process.resourceUsage().maxRSS;
console.log(JSON.stringify({ skills: skills.length, cpu_us: user + system, whole_us: whole.user + whole.system, peak_kib: peak }));
