import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { agentVersion } from '../../agent/version.ts';

test("the agent's version is the project's", async () => {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.equal(agentVersion, manifest.version);
});
