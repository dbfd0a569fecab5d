// The protocol's own TypeScript SDK, revision 2025-11-25.
import { mkdirSync, writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = JSON.parse(process.argv[1]);
const skills = process.argv[2];
const client = new Client({ name: "clients", version: "1" }, { capabilities: {} });
const changed = new Promise((done) =>
  client.setNotificationHandler(ToolListChangedNotificationSchema, done),
);
await client.connect(new StdioClientTransport({ command, args }));

const call = async (name, input, options) => {
  const result = await client.callTool({ name, arguments: input }, undefined, options);
  return result.content.map((part) => part.text ?? "").join("\n");
};
const described = async () =>
  (await client.listTools()).tools.map((tool) => tool.description ?? "").join("");
const file = { skill: "pdf", path: "references/fields.md" };

const catalog = await described();
const read = await call("skills_read", file);
const [body, other] = await Promise.all(
  ["pdf", "notes"].map((name) => call("skills_load", { names: [name] })),
);
const times = [];
for (let count = 0; count < 200; count += 1) {
  const begun = performance.now();
  await call("skills_read", file);
  times.push(performance.now() - begun);
}
const controller = new AbortController();
const cancelled = call("skills_search", { query: "forms" }, { signal: controller.signal });
controller.abort();
await cancelled.catch(() => {});
const cancel = (await call("skills_read", file)).includes("marker");
mkdirSync(`${skills}/new`);
writeFileSync(`${skills}/new/SKILL.md`, "---\nname: new\ndescription: Is new.\n---\nnew-body\n");
await changed;
const changes = (await described()).includes("Is new.");
const parallel = other.includes("notes-body") && body !== other;
console.log(JSON.stringify({ catalog, body, read, parallel, cancel, changes, times }));
await client.close();
