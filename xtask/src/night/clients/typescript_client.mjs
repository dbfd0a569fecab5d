// The protocol's own TypeScript client, revision 2026-07-28, with its skills extension.
import { mkdirSync, writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [command, ...args] = JSON.parse(process.argv[1]);
const skills = process.argv[2];
let onChanged;
const changed = new Promise((done) => (onChanged = done));
const client = new Client(
  { name: "clients", version: "1" },
  {
    versionNegotiation: { mode: { pin: "2026-07-28" } },
    listChanged: { tools: { onChanged: (error, tools) => onChanged(error ?? tools) } },
  },
);
await client.connect(new StdioClientTransport({ command, args }));

const call = async (name, input, options) => {
  const result = await client.callTool({ name, arguments: input }, options);
  return result.content.map((part) => part.text ?? "").join("\n");
};
const described = (tools) => tools.map((tool) => tool.description ?? "").join("");
const file = { skill: "pdf", path: "references/fields.md" };

const catalog = described((await client.listTools()).tools);
const loads = ["pdf", "notes"].map((name) => call("skills_load", { names: [name] }));
const [body, other] = await Promise.all(loads);
const parallel = other.includes("notes-body") && body !== other;

// The extension: the client compares size, digest and frontmatter with the list.
const extension = new SkillsClient(client);
const listed = (await extension.list()).skills.find((skill) => skill.frontmatter.name === "pdf");
const instructions = await extension.read(listed);
const resource = await extension.read(listed, "references/fields.md");
if (!instructions.verified || !resource.verified || !instructions.body.includes("marker"))
  throw new Error("the files of the extension are not verified");
const read = (await call("skills_read", file)) + resource.text;

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
const tools = await changed;
const changes = Array.isArray(tools) && described(tools).includes("Is new.");
console.log(JSON.stringify({ catalog, body, read, parallel, cancel, changes, times }));
await client.close();
