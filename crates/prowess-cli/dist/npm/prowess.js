#!/usr/bin/env node
// Runs the program of this platform's package with the same arguments, streams, signals and exit code.
"use strict";

const { spawn } = require("node:child_process");
const { isatty } = require("node:tty");

const platform = `@prowess/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${platform}/prowess`);
} catch {
  console.error(
    `error: there is no program for this system: the package \`${platform}\` is not installed\n` +
      "  = help: install again without `--omit=optional`; on other systems, and on Linux with musl, build it with cargo",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // A terminal sends this one to both.
  process.on(signal, () => (signal === "SIGINT" && isatty(0)) || child.kill(signal));
}
child.on("error", (error) => {
  console.error(`error: \`${program}\` does not start: ${error.message}`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exitCode = code;
  } else {
    // Ends by the same signal.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
});
