#!/usr/bin/env node
/** The entry point of the node agent: the only file of it that touches the process. */
import { runAgent } from './options/program.ts';

process.exitCode = await runAgent(process.argv.slice(2), {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
});
