// Vercel's AI SDK with a model that follows a script and reports what it is shown.
import { mkdirSync, writeFileSync } from "node:fs";
import { generateText, stepCountIs } from "ai";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { MockLanguageModelV4 as ScriptedModel } from "ai/test";

const [command, ...args] = JSON.parse(process.argv[1]);
const skills = process.argv[2];
const client = await createMCPClient({ transport: new StdioTransport({ command, args }) });
const file = { skill: "pdf", path: "references/fields.md" };
const described = (tools) => Object.values(tools).map((tool) => tool.description ?? "").join("");

const seen = { catalog: "", body: "", read: "", parallel: false };
const calls = (...named) => ({
  content: named.map(([toolName, input], index) => ({
    type: "tool-call", toolCallId: `${toolName}-${index}`, toolName, input: JSON.stringify(input),
  })),
  finishReason: { unified: "tool-calls", raw: "tool-calls" },
  usage: { inputTokens: {}, outputTokens: {} },
  warnings: [],
});
const model = new ScriptedModel({
  doGenerate: async ({ prompt, tools }) => {
    seen.catalog = tools.map((tool) => tool.description ?? "").join("");
    const returned = prompt
      .flatMap((message) => (message.role === "tool" ? message.content : []))
      .map((part) => JSON.stringify(part.output));
    if (returned.length === 0) {
      // Calls of one response run at the same time.
      return calls(["skills_load", { names: ["pdf"] }], ["skills_load", { names: ["notes"] }]);
    }
    if (returned.length === 2) {
      seen.body = returned[0];
      seen.parallel = returned[0].includes("body-marker") && returned[1].includes("notes-body");
      return calls(["skills_read", file]);
    }
    seen.read = returned[2];
    const done = calls();
    return {
      ...done,
      content: [{ type: "text", text: "done" }],
      finishReason: { unified: "stop", raw: "stop" },
    };
  },
});
const tools = await client.tools();
await generateText({ model, tools, prompt: "Fill the form.", stopWhen: stepCountIs(5) });

const run = (name, input, options = {}) =>
  tools[name].execute(input, { toolCallId: "call", messages: [], ...options });
const times = [];
for (let count = 0; count < 200; count += 1) {
  const begun = performance.now();
  await run("skills_read", file);
  times.push(performance.now() - begun);
}
const controller = new AbortController();
const search = run("skills_search", { query: "forms" }, { abortSignal: controller.signal });
controller.abort();
await Promise.resolve(search).catch(() => {});
const cancel = JSON.stringify(await run("skills_read", file)).includes("marker");
mkdirSync(`${skills}/new`);
writeFileSync(`${skills}/new/SKILL.md`, "---\nname: new\ndescription: Is new.\n---\nnew-body\n");
let changes = false;
for (let tries = 0; tries < 300 && !changes; tries += 1) {
  await new Promise((done) => setTimeout(done, 100));
  changes = described(await client.tools()).includes("Is new.");
}
console.log(JSON.stringify({ ...seen, cancel, changes, times }));
await client.close();
