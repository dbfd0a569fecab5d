// An authorization server (oidc-provider), a server that accepts its tokens, and the protocol's own
// TypeScript client. Prints what was seen, as JSON: each value has to be true.
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Provider } from "oidc-provider";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const SCOPE = "skills:use";
const OTHER = "https://other.example/mcp";
const CLIENT = { clientId: "agent", clientSecret: "the-secret-of-the-agent" };
const ALGORITHMS = ["RS256", "RS512", "PS256", "ES256", "ES384", "EdDSA"];

const pairs = {
  R: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  P: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  E: (alg) => generateKeyPairSync("ec", { namedCurve: alg === "ES256" ? "P-256" : "P-384" }),
};

function keys(generation) {
  return ALGORITHMS.map((alg) => {
    const pair = alg === "EdDSA" ? generateKeyPairSync("ed25519") : pairs[alg[0]](alg);
    const key = pair.privateKey.export({ format: "jwk" });
    return { ...key, alg, use: "sig", kid: `${alg}-${generation}` };
  });
}

// The algorithm of the next token.
let alg = "RS256";

function provider(issuer, generation) {
  return new Provider(issuer, {
    jwks: { keys: keys(generation) },
    scopes: [SCOPE],
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: SCOPE,
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg } },
        }),
      },
    },
  });
}

let handler;
const authorization = createServer((request, response) => handler(request, response));
await new Promise((done) => authorization.listen(0, "127.0.0.1", done));
const issuer = `http://127.0.0.1:${authorization.address().port}`;
handler = provider(issuer, 1).callback();

const [command, ...args] = JSON.parse(process.argv[1]);
const options = ["127.0.0.1:0", "--oauth-issuer", issuer, "--oauth-scope", SCOPE];
const server = spawn(command, [...args, ...options], { stdio: ["ignore", "inherit", "pipe"] });
const url = await new Promise((done, failed) => {
  const lines = createInterface({ input: server.stderr });
  lines.on("line", (line) => {
    console.error(line);
    const found = line.match(/serving at (\S+)/);
    if (found) done(found[1]);
  });
  lines.on("close", () => failed(new Error("the server ended")));
});

async function token(resource, scope) {
  const form = new URLSearchParams({ grant_type: "client_credentials", resource });
  if (scope) form.set("scope", scope);
  const secret = Buffer.from(`${CLIENT.clientId}:${CLIENT.clientSecret}`).toString("base64");
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${secret}` },
    body: form,
  });
  const answer = await response.json();
  if (!answer.access_token) throw new Error(JSON.stringify(answer));
  return answer.access_token;
}

async function status(bearer) {
  const headers = bearer ? { authorization: `Bearer ${bearer}` } : {};
  return (await fetch(new URL("/metrics", url), { headers })).status;
}

async function load(authProvider) {
  const client = new Client({ name: "oauth", version: "1" }, { capabilities: {} });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  const result = await client.callTool({ name: "skills_load", arguments: { names: ["pdf"] } });
  await client.close();
  return result.content.map((part) => part.text ?? "").join("\n");
}

const agent = { ...CLIENT, clientName: "oauth", scope: SCOPE, expectedIssuer: issuer };
const results = {};
try {
  results["client without credentials"] = await load().then(() => false, () => true);
  const body = await load(new ClientCredentialsProvider(agent));
  results["client gets a token and loads"] = body.includes("body-marker");
  for (alg of ALGORITHMS) {
    results[`token signed by ${alg}`] = (await status(await token(url, SCOPE))) === 200;
  }
  results["no token: 401"] = (await status()) === 401;
  results["token for another server: 401"] = (await status(await token(OTHER, SCOPE))) === 401;
  results["token without the scope: 403"] = (await status(await token(url))) === 403;
  alg = "ES256";
  const old = await token(url, SCOPE);
  handler = provider(issuer, 2).callback();
  const fresh = await token(url, SCOPE);
  // Keys are fetched at most every ten seconds.
  const patience = Date.now() + 60_000;
  while ((await status(fresh)) !== 200 && Date.now() < patience) {
    await new Promise((done) => setTimeout(done, 200));
  }
  results["token of a replaced key"] = (await status(fresh)) === 200;
  results["token of the key before: 401"] = (await status(old)) === 401;
} catch (error) {
  console.error(error);
  results.error = String(error);
}
console.log(JSON.stringify(results));
server.kill("SIGTERM");
authorization.closeAllConnections();
authorization.close();
