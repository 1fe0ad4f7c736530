/**
 * A rule that nobody has seen fail is no rule: each violation of the layers is planted in a copy of the tree, and the
 * compiler or the linter must name it.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

interface Violation {
  readonly rule: string;
  readonly room: string;
  readonly code: string;
  readonly caughtBy: 'compiler' | 'linter';
}

const violations: readonly Violation[] = [
  pure('reads files', `import { readFileSync } from 'node:fs';\nexport const x = readFileSync;`, 'compiler'),
  pure('reads the environment', 'export const x = process.env;', 'compiler'),
  pure('logs', `console.log('x');\nexport const x = 1;`, 'compiler'),
  pure('calls the network', `export const x = fetch('http://127.0.0.1');`, 'compiler'),
  pure('waits', 'export const x = setTimeout(() => {}, 1);', 'compiler'),
  pure('reads the clock', 'export const x = Date.now();', 'linter'),
  pure('uses an SDK', `import { EC2Client } from '@aws-sdk/client-ec2';\nexport const x = EC2Client;`, 'linter'),
  pure('imports an adapter', `export { systemClock } from '../aws/clock.ts';`, 'compiler'),
  pure('imports the reconcile', `import { inTurn } from '../reconcile/turn.ts';\nexport const x = inTurn;`, 'compiler'),
  violation('the reconcile reads the clock', 'shared/reconcile', 'export const x = Date.now();', 'linter'),
  violation('the reconcile logs', 'shared/reconcile', `console.log('x');\nexport const x = 1;`, 'compiler'),
  violation(
    'the reconcile imports an adapter',
    'shared/reconcile',
    `import { systemClock } from '../aws/clock.ts';\nexport const x = systemClock;`,
    'compiler',
  ),
  violation(
    'the keeper imports an adapter',
    'shared/keeper',
    `import { systemClock } from '../aws/clock.ts';\nexport const x = systemClock;`,
    'compiler',
  ),
  violation('the keeper reads the clock', 'shared/keeper', 'export const x = Date.now();', 'linter'),
  violation('an adapter reads the environment', 'shared/aws', `export const x = process.env['X'];`, 'linter'),
  violation(
    'an adapter imports a program',
    'shared/aws',
    `import { timesOf } from '../../functions/sync-deps.ts';\nexport const x = timesOf;`,
    'compiler',
  ),
  violation(
    'an adapter uses middy',
    'shared/aws',
    `import middy from '@middy/core';\nexport const x = middy;`,
    'linter',
  ),
  violation('the CLI uses middy', 'cli', `import middy from '@middy/core';\nexport const x = middy;`, 'linter'),
  violation(
    'the CLI imports a function',
    'cli',
    `import { timesOf } from '../functions/sync-deps.ts';\nexport const x = timesOf;`,
    'linter',
  ),
  violation(
    'a function imports the CLI',
    'functions',
    `import { version } from '../cli/version.ts';\nexport const x = version;`,
    'linter',
  ),
  violation(
    'the agent imports the sandbox',
    'agent',
    `import '../infra/sandbox/clock.ts';\nexport const x = 1;`,
    'linter',
  ),
  violation(
    'the sandbox imports the domain it is to judge',
    'infra/sandbox',
    `import { parseCidr } from '../../shared/domain/cidr.ts';\nexport const x = parseCidr;`,
    'compiler',
  ),
  violation(
    'a program imports a test',
    'functions',
    `import { FakeClock } from '../test/fakes/reconcile/clock.ts';\nexport const x = FakeClock;`,
    'linter',
  ),
];

function violation(rule: string, room: string, code: string, caughtBy: Violation['caughtBy']): Violation {
  return { rule, room, code, caughtBy };
}

function pure(rule: string, code: string, caughtBy: Violation['caughtBy']): Violation {
  return violation(`the domain ${rule}`, 'shared/domain', code, caughtBy);
}

test('each layering rule refuses its violation', async (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'leaseway-layers-'));
  try {
    for (const name of [
      'shared',
      'functions',
      'agent',
      'cli',
      'infra',
      'test',
      'tsconfig.json',
      'biome.json',
      'package.json',
    ]) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const files = violations.map(({ room, code }, at) => {
      const file = join(room, `planted-${at}.ts`);
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      writeFileSync(join(copy, file), `${code}\n`);
      return file;
    });
    const node = process.execPath;
    const rooms = [...new Set(violations.filter(({ caughtBy }) => caughtBy === 'compiler').map(({ room }) => room))];
    const compiled = rooms.map(
      (room) => run(copy, node, [bin('typescript', 'tsc'), '-p', room, '--pretty', 'false']).text,
    );
    const linted = run(copy, bin('@biomejs/biome', 'biome'), [
      'lint',
      '--colors=off',
      '--vcs-enabled=false',
      '--max-diagnostics=none',
      '--reporter=github',
      ...files,
    ]).text;
    const said = { compiler: compiled.join('\n'), linter: linted };
    for (const [at, { rule, caughtBy }] of violations.entries()) {
      await t.test(rule, () => {
        const lines = said[caughtBy].split('\n').filter((line) => line.includes(`planted-${at}.ts`));
        const errors = lines.filter((line) => (caughtBy === 'compiler' ? / error TS/ : /^::error/).test(line));
        const relevant =
          caughtBy === 'linter' ? errors.filter((line) => /noRestricted|noProcessEnv/.test(line)) : errors;
        assert.notEqual(relevant.length, 0, `${caughtBy} said: ${lines.join('\n') || 'nothing'}`);
      });
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

function bin(packageName: string, name: string): string {
  const found = execFileSync('node', ['-p', `require.resolve('${packageName}/package.json')`], {
    cwd: root,
    encoding: 'utf8',
  });
  return join(dirname(found.trim()), 'bin', name);
}

function run(cwd: string, command: string, args: readonly string[]): { readonly text: string } {
  const { stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 << 20 });
  return { text: `${stdout}\n${stderr}` };
}
