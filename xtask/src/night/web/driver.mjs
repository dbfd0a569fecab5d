// The operator's page in Chromium. Prints what was seen, as JSON: each value has to be true.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const { program, home, shots } = JSON.parse(process.argv.at(-1));
const axe = readFileSync(createRequire(`${process.cwd()}/`).resolve("axe-core"), "utf8");
const options = { cwd: `${home}/project`, env: { HOME: home } };
const json = (...args) =>
  JSON.parse(execFileSync(program, [...args, "--format", "json"], options).toString());

const server = spawn(program, ["serve", "--web", "127.0.0.1:0", "--format", "json"], options);
server.stderr.pipe(process.stderr);
let printed = "";
for await (const part of server.stdout) {
  printed += part;
  if (printed.includes("}")) break;
}
const { url } = JSON.parse(printed);
const origin = url.slice(0, url.lastIndexOf("/"));

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const context = await browser.newContext();
const page = await context.newPage();
const seen = {};
const violations = [];
page.on("console", (message) => {
  if (/Content Security Policy/.test(message.text())) violations.push(message.text());
});

await page.goto(url);
seen["the printed URL leads to the page"] = page.url() === `${origin}/`;
seen["the address has no token"] = !page.url().includes("token");
seen["a script cannot read the cookie"] = (await page.evaluate(() => document.cookie)) === "";
const other = await browser.newContext();
seen["the URL works once"] = (await (await other.newPage()).goto(url)).status() === 403;
await other.close();

const [first, second] = json("approvals", "list").approvals;
await page.goto(`${origin}/approval?id=${first.id}`);
await page.getByRole("button", { name: "Allow this call" }).click();
seen["a decision leads back"] = page.url() === `${origin}/approval?id=${first.id}`;
seen["the command sees the decision"] =
  json("approvals", "show", first.id).approval.state === "granted";

await page.goto(`${origin}/approval?id=${second.id}`);
execFileSync(program, ["approvals", "deny", second.id], options);
const [answer] = await Promise.all([
  page.waitForResponse((response) => response.request().method() === "POST"),
  page.getByRole("button", { name: "Allow this call" }).click(),
]);
seen["a stale decision is a conflict"] = answer.status() === 409;
seen["it shows the difference"] = (await page.locator("table").innerText()).includes("denied");
seen["and decides nothing"] = json("approvals", "show", second.id).approval.state === "denied";
await page.screenshot({ path: `${shots}/stale.png`, fullPage: true });

const [proposal, other_proposal] = json("proposals", "list").proposals;
await page.goto(`${origin}/proposal?id=${proposal.name}`);
await page.getByRole("button", { name: "Accept, and change the skill" }).click();
seen["a change is accepted"] = json("history", "pdf").versions[0].action === "accepted";
const waiting = `/proposal?id=${other_proposal.name}`;
await page.goto(origin + waiting);
seen["the other change is a conflict"] =
  (await page.locator("main").innerText()).includes("has changed where the proposal changes it") &&
  (await page.getByRole("button", { name: "Accept" }).count()) === 0;

await page.goto(`${origin}/trust`);
await page.getByRole("button", { name: "Revoke trust" }).first().click();
seen["trust is revoked"] = json("trust", "--list").folders.length === 0;

const stories = [];
await page.goto(`${origin}/sessions`);
const sessions = await page.locator("main ul.rows a").all();
const links = await Promise.all(sessions.map((session) => session.getAttribute("href")));
for (const link of links) {
  await page.goto(origin + link.slice(1));
  stories.push(await page.locator("main").innerText());
}
seen["a session has its story"] = stories.some((story) => story.includes("skills.run"));
seen["and what was decided on its proposals"] = stories.some((story) => story.includes("accepted by"));

const paths = ["/", "/approvals?all=1", `/approval?id=${first.id}`, "/proposals?all=1", waiting,
  "/history?id=pdf", "/difference?id=pdf&from=1&to=2", "/skills", "/skill?id=pdf",
  "/explain?id=pdf", "/sessions", "/audit", "/chain", "/stats", "/health", "/trust", "/quarantine"];
for (const path of paths) {
  for (const [width, colorScheme] of [[320, "light"], [320, "dark"], [1600, "light"], [1600, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(origin + path);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    if (wide) seen[`${path} fits into ${width}`] = false;
    // The rules run in a world of their own, which the page's policy does not forbid.
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run({ runOnly: ["wcag2a", "wcag2aa",
      "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    for (const { id, nodes } of found.violations) {
      seen[`axe ${path} ${width} ${colorScheme} ${id}`] = nodes.map((node) => node.html);
    }
    const name = path.split("?")[0].replace("/", "") || "waiting";
    await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}.png`, fullPage: true });
  }
}
seen["axe has seen every page"] = true;
seen["no page has a script"] =
  (await page.locator("script").count()) === 0 && !(await page.title()).startsWith("x");
seen["no page wanted what the policy forbids"] = violations.length === 0 || violations;

await page.goto(`${origin}/skills`);
const order = [];
for (let at = 0; at < 14; at++) {
  await page.keyboard.press("Tab");
  order.push(await page.evaluate(() => document.activeElement.textContent || document.activeElement.name));
}
seen["the keyboard goes from the menu to the content"] =
  order[0] === "Skip to the content" && order.includes("q") && order.includes("Search") || order;

await browser.close();
server.kill();
console.log(JSON.stringify(seen));
