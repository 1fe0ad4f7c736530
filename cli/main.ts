#!/usr/bin/env node
/** The entry point: the only file of the CLI that touches the process. */
import { text } from 'node:stream/consumers';
import type { Console } from './console.ts';
import { runCli } from './program.ts';

// `leaseway plan | head`: the reader has what it wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// `leaseway plan 2>&1 >plan.txt | head`: what was asked for goes on without those who wanted to hear of it.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const terminal: Console = {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
  isTerminal: process.stdout.isTTY === true && process.stderr.isTTY === true,
  readInput: () => text(process.stdin),
  async ask(question) {
    if (!process.stdin.isTTY) return null;
    const { createInterface } = await import('node:readline/promises');
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  },
  async paint() {
    const { paintFor } = await import('./paint.ts');
    return paintFor(process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined);
  },
};

// npm runs scripts in the folder of package.json; files are named from where the command was typed.
const typedIn = process.env['npm_lifecycle_event'] === 'leaseway' ? process.env['INIT_CWD'] : undefined;
if (typedIn !== undefined) process.chdir(typedIn);

process.exitCode = await runCli(process.argv.slice(2), terminal);
