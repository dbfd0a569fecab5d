// Runs one agent with a scripted model, and prints as JSON what reaches the model.
//
// Arguments: the name of the agent, the server as JSON (`{"command": […]}` or `{"url": …}`), and the
// directory of its skills, in which the run adds a skill. With `AGENTS_TRACE`, each request is
// printed.

import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";

const [name, serverText, skills] = process.argv.slice(-3);
const server = JSON.parse(serverText);
const [command, ...args] = server.command ?? [];
const home = join(dirname(skills), "home");
rmSync(home, { recursive: true, force: true });
const work = join(home, "work");
mkdirSync(work, { recursive: true });
const platform = `${process.platform}-${process.arch}`;
const bin = (name) => resolve("node_modules/.bin", name);
const put = (path, value) => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), typeof value === "string" ? value : JSON.stringify(value, null, 1));
};
const entry = server.url ? { type: "http", url: server.url } : { type: "stdio", command, args };
const PROMPT = "Use the skills.";

// Each returns the command line and the variables, for a model at this address.
const agents = {
  "claude-code": (url) => {
    put("mcp.json", { mcpServers: { prowess: entry } });
    return {
      line: [`node_modules/@anthropic-ai/claude-code-${platform}/claude`, "-p", PROMPT, "--mcp-config", join(home, "mcp.json"), "--strict-mcp-config", "--allowedTools", "mcp__prowess"],
      env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "k", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
    };
  },
  codex: (url) => {
    const place = server.url ? `url = ${JSON.stringify(server.url)}` : `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`;
    put(".codex/config.toml", `model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n[mcp_servers.prowess]\n${place}\n`);
    return {
      line: [bin("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT],
      env: { SCRIPTED_KEY: "k", CODEX_HOME: join(home, ".codex") },
    };
  },
  opencode: (url) => {
    const mcp = server.url ? { type: "remote", url: server.url, enabled: true } : { type: "local", command: server.command, enabled: true };
    put("work/opencode.json", {
      provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "scripted", options: { baseURL: `${url}/v1`, apiKey: "k" }, models: { scripted: { name: "scripted", tool_call: true, limit: { context: 200000, output: 8000 } } } } },
      model: "scripted/scripted", mcp: { prowess: mcp }, permission: "allow", autoupdate: false, share: "disabled",
    });
    return { line: [`node_modules/opencode-${platform}/bin/opencode`, "run", "--model", "scripted/scripted", PROMPT], env: {} };
  },
  "gemini-cli": (url) => {
    const place = server.url ? { httpUrl: server.url } : { command, args };
    put(".gemini/settings.json", { mcpServers: { prowess: { ...place, trust: true } }, security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } }, privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false, disableAutoUpdate: true } });
    return { line: [process.execPath, bin("gemini"), "-p", PROMPT, "-y", "-m", "gemini-2.5-pro"], env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "k", GEMINI_CLI_TRUST_WORKSPACE: "true" } };
  },
  "qwen-code": (url) => {
    // Over HTTP as by hand: without the key that `mcp config` sets, the tools are deferred.
    const place = server.url ? { httpUrl: server.url } : { command, args, alwaysLoadTools: true };
    put(".qwen/settings.json", { mcpServers: { prowess: { ...place, trust: true } }, security: { auth: { selectedType: "openai" } }, privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } });
    return { line: [process.execPath, bin("qwen"), "-p", PROMPT, "-y"], env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "k", OPENAI_MODEL: "scripted" } };
  },
  copilot: (url) => {
    put("mcp.json", { mcpServers: { prowess: { ...entry, type: server.url ? "http" : "local", tools: ["*"] } } });
    return {
      line: [`node_modules/@github/copilot-${platform}/copilot`, "-p", PROMPT, "--allow-all-tools", "--additional-mcp-config", `@${join(home, "mcp.json")}`],
      env: { COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: "k", COPILOT_MODEL: "scripted", COPILOT_OFFLINE: "true" },
    };
  },
  cline: (url) => {
    const place = server.url ? { type: "streamableHttp", url: server.url } : { command, args };
    put(".cline/data/settings/cline_mcp_settings.json", { mcpServers: { prowess: { ...place, disabled: false, autoApprove: ["*"] } } });
    put(".cline/data/settings/providers.json", { version: 1, lastUsedProvider: "openai-compatible", providers: { "openai-compatible": { settings: { provider: "openai-compatible", model: "scripted", apiKey: "k", baseUrl: `${url}/v1` }, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" } } });
    return { line: [bin("cline"), "--auto-approve", "true", "-P", "openai-compatible", "-m", "scripted", PROMPT], env: {} };
  },
  continue: (url) => {
    const place = server.url ? { type: "streamable-http", url: server.url } : { command, args };
    put("config.json", { name: "scripted", version: "1.0.0", schema: "v1", models: [{ name: "scripted", provider: "openai", model: "scripted", apiBase: `${url}/v1`, apiKey: "k", roles: ["chat"], capabilities: ["tool_use"] }], mcpServers: [{ name: "prowess", ...place }] });
    return { line: [process.execPath, bin("cn"), "-p", PROMPT, "--auto", "--config", join(home, "config.json")], env: { CONTINUE_TELEMETRY_ENABLED: "0" } };
  },
};

const seen = { tools: false, catalog: false, body: false, read: false, pages: 0, long: false, changes: false, error: false };
let requests = 0;
let searched = 0;
let sent = null;
let tail = 0;

// The steps of the model: each has a call, and what the next request shows after it.
const load = (name) => ["skills_load", { names: [name] }];
const steps = [
  { call: load("marked"), check: (text) => (seen.body = text.includes("body-marker-77aa")) },
  { call: ["skills_read", { skill: "marked", path: "notes.md" }], check: (text) => (seen.read = text.includes("file-marker-09be")) },
  { call: load("long"), check: readOn },
  { before: addSkill, call: load("later"), check: (text) => (seen.changes = text.includes("later-marker-31d0")) },
  { call: load("nothing-like-this"), check: (text) => (seen.error = text.includes("no skill named")) },
];

// Reads the pages of long instructions, as their notes say, and checks that no line is missing.
function readOn(text) {
  seen.pages += 1;
  const plain = text.replaceAll("\\", "");
  const lines = Array.from({ length: 900 }, (_, line) => `long-line-${String(line + 1).padStart(4, "0")}`);
  const missing = lines.filter((line) => !plain.includes(line));
  seen.long = missing.length === 0;
  // The note has the call for the next page, wherever the client has put the last result.
  const next = Math.max(0, ...[...plain.matchAll(/"lines":\s?\{"from":\s?(\d+)\}/g)].map((found) => Number(found[1])));
  if (process.env.AGENTS_TRACE) console.error("page", seen.pages, "missing", missing.length, missing[0], missing.at(-1), "next", next);
  if (next > tail && !seen.long && seen.pages < 30) {
    tail = next;
    steps.unshift({ call: ["skills_read", { skill: "long", path: "SKILL.md", lines: { from: next } }], check: readOn });
  }
}

// A model takes longer than the server to see a new file.
function addSkill() {
  mkdirSync(join(skills, "later"), { recursive: true });
  writeFileSync(join(skills, "later/SKILL.md"), "---\nname: later\ndescription: Comes later.\n---\nlater-marker-31d0\n");
  return new Promise((resolve) => setTimeout(resolve, 1000));
}

async function next(tools, text) {
  const named = (name) => tools.find((tool) => tool.name.endsWith(name) || tool.name.endsWith(name.replace("_", "-")));
  if (requests++ === 0) seen.catalog = text.includes("catalog-marker-5f1c");
  const finder = tools.find((tool) => /^tool_?search/i.test(tool.name));
  // Some agents show the tools that were found, and others call them by a bridge.
  const bridge = tools.find((tool) => /^tool_?call$/i.test(tool.name));
  if (!named("skills_load")) {
    // Deferred tools are found by their names.
    seen.deferred ||= Boolean(finder);
    if (finder && !searched++) return { ...finder, arguments: { query: "skills_load" } };
    if (!bridge) return null;
  }
  seen.tools = true;
  sent?.check(text);
  sent = steps.shift();
  if (!sent) return null;
  await sent.before?.();
  const [name, given] = sent.call;
  const shown = named(name);
  return shown ? { ...shown, arguments: given } : { ...bridge, arguments: { name: `mcp__prowess__${name}`, arguments: given } };
}

const model = await startModel(next);
const { line, env } = agents[name](model.url);
const [program, ...rest] = line;
const child = spawn(resolve(program), rest, {
  cwd: work,
  env: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), HOME: home, XDG_CONFIG_HOME: join(home, ".config"), XDG_DATA_HOME: join(home, ".local/share"), NO_COLOR: "1", TERM: "dumb", NO_PROXY: "127.0.0.1,localhost", ...env },
  stdio: ["ignore", "pipe", "pipe"],
});
let output = "";
for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
const patience = setTimeout(() => child.kill("SIGKILL"), 240_000);
const code = await new Promise((resolve) => child.on("close", resolve));
clearTimeout(patience);
model.close();
console.log(JSON.stringify({ ...seen, done: steps.length === 0, code }));
console.error(output.slice(-4000));
process.exit(0);
