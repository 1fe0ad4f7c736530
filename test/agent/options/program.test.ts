/** What the agent's command line refuses before it does anything, and in which words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAgent } from '../../../agent/options/program.ts';

async function told(...args: readonly string[]): Promise<{ code: number; notes: string[] }> {
  const notes: string[] = [];
  const terminal = { env: {}, signal: new AbortController().signal, print: () => undefined };
  const code = await runAgent(args, { ...terminal, note: (line) => void notes.push(line) });
  return { code, notes };
}

/** Changes nothing, whatever gets through. */
const plan = ['run', '--plan', '--map', '/nonexistent/map.json', '--instance', 'i-1'];

test('--listen is read in every run, also in one that does not listen', async () => {
  for (const wrong of ['xx', '127.0.0.1', '127.0.0.1:99999', '']) {
    const { code, notes } = await told(...plan, '--listen', wrong);
    assert.equal(code, 1);
    assert.match(notes.join('\n'), /--listen <address>.*is no address and port such as 127\.0\.0\.1:9476/, wrong);
  }
  for (const right of ['off', '[::1]:0', 'localhost:9476']) {
    const { notes } = await told(...plan, '--listen', right);
    assert.doesNotMatch(notes.join('\n'), /--listen/, right);
  }
});

test('what the command line refuses is one line that begins with the name of the program', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['run', '--onec'], /^leaseway agent: unknown option '--onec' \(Did you mean --once\?\)$/],
    [['stauts'], /^leaseway agent: unknown command 'stauts' \(Did you mean status\?\)$/],
    [['run', '--poll', 'x'], /^leaseway agent: option '--poll <seconds>' argument 'x' is invalid\. x is not a number/],
    [['run', '--map'], /^leaseway agent: option '--map <file>' argument missing$/],
  ];
  for (const [args, line] of cases) {
    const { code, notes } = await told(...args);
    assert.equal(code, 1);
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', line);
  }
});
