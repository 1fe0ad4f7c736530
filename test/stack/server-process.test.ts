/** The harness itself: a run that is ended leaves no server behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { until } from './until.ts';

for (const [name, module, start] of [
  ['MiniStack', './ministack.ts', 'startMiniStack'],
  ['moto', './moto.ts', 'startMoto'],
] as const) {
  test(`${name} ends with the run that started it`, async () => {
    const program = `
      const { ${start} } = await import('${new URL(module, import.meta.url)}');
      console.log((await ${start}()).url);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    const url = String(line).trim();
    assert.ok((await fetch(url)).status > 0);
    child.kill('SIGTERM');
    await once(child, 'exit');
    await until(() => assert.rejects(fetch(url)), 20);
  });
}
