#!/usr/bin/env node
/** The entry point of the node agent: the only file of it that touches the process. */
import { runAgent } from './options/program.ts';

const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.abort());

// No top-level await: the single executable is a script, not an ES module.
void runAgent(process.argv.slice(2), {
  env: process.env,
  signal: ending.signal,
  print: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
}).then((code) => {
  process.exitCode = code;
});
