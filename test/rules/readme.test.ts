/** Documents that name a command, an option, a path or an alarm that is not there are wrong: each is looked up. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { runCli } from '../../cli/program.ts';
import { readTemplate } from '../../infra/read-template.ts';
import { capturedConsole } from '../cli/captured-console.ts';

const root = resolve(import.meta.dirname, '../..');
const documents = ['README.md', ...globSync('docs/*.md', { cwd: root })].sort();
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const readme = textOf('README.md');

/** Fenced blocks, by their content. */
function blocksOf(text: string): string[] {
  return [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** Everything that is set as code: lines of blocks, with continued lines as one, and spans. */
function codeOf(text: string): string[] {
  const spans = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...blocksOf(text).flatMap((block) => block.replaceAll('\\\n', ' ').split('\n')), ...spans];
}

async function cli(args: readonly string[], input = ''): Promise<{ code: number; printed: string }> {
  const { terminal, printed } = capturedConsole(input);
  const code = await runCli(args, terminal);
  return { code, printed: printed() };
}

/** Subcommands that a help text lists. */
function commandsIn(help: string): string[] {
  const [, list = ''] = /^Commands:\n((?: {2}.*\n?)+)/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
}

/** The agent is a program of its own, whose help is not the command line's. */
const handedOver = 'agent';

/** Why a command line is wrong; null: each subcommand and option of it is in the CLI's help. */
async function problemOf(commandLine: string): Promise<string | null> {
  const [own = ''] = commandLine.split(/[;&|<>]/);
  const words = own.trim().split(/\s+/);
  const path: string[] = [];
  let help = (await cli(['--help'])).printed;
  for (const word of words) {
    const commands = commandsIn(help).filter((name) => name !== 'help');
    if (commands.length === 0 || !/^[a-z]/.test(word)) break;
    if (!commands.includes(word)) return `there is no "${[...path, word].join(' ')}"`;
    if (word === handedOver) return null;
    path.push(word);
    help = (await cli([...path, '--help'])).printed;
  }
  const unknown = words.filter((word) => word.startsWith('--') && !new RegExp(`${word}(?![\\w-])`).test(help));
  return unknown.length === 0 ? null : `"${path.join(' ')}" has no ${unknown.join(', ')}`;
}

/** Command lines of `leaseway` in code, without the word itself. */
function leasewayLinesOf(text: string): string[] {
  return codeOf(text).flatMap((line) =>
    [...line.matchAll(/(?<![\w./-])leaseway (?:-- )?([a-z].*)/g)].map(([, rest = '']) => rest),
  );
}

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };

/** `demo` and what follows `--` of `npm run demo -- ...`. */
function scriptLinesOf(text: string): { name: string; args: string }[] {
  const lines = codeOf(text).flatMap((line) => [...line.matchAll(/npm run (?:-s )?([\w:-]+)(?: -- ([^;&|]*))?/g)]);
  return lines.map(([, name = '', args = '']) => ({ name, args }));
}

const rooms = ['agent', 'bench', 'cli', 'docs', 'functions', 'infra', 'shared', 'test', '\\.ci'].join('|');

function pathsIn(text: string): string[] {
  const found = text.matchAll(new RegExp(`(?<![\\w/.:-])((?:${rooms})/[\\w./-]*\\w)`, 'g'));
  return [...found].map(([, path = '']) => path);
}

const template = readTemplate();

describe('the look-ups of this test', () => {
  it('find what is wrong', async () => {
    assert.equal(await problemOf('plan --world w.json'), null);
    assert.equal(await problemOf('leases reserve --subnet a --eni b'), null);
    assert.equal(await problemOf('plann'), 'there is no "plann"');
    assert.equal(await problemOf('leases lend i-1'), 'there is no "leases lend"');
    assert.equal(await problemOf('plan --world w.json --wor'), '"plan" has no --wor');
    assert.deepEqual(
      leasewayLinesOf('```sh\n$ leaseway plan --json\nnpm run -s leaseway -- status\n```\n`leaseway x`'),
      ['plan --json', 'status', 'x'],
    );
    assert.deepEqual(pathsIn('see `cli/main.ts` and [x](docs/a.md), not dist/functions/x'), [
      'cli/main.ts',
      'docs/a.md',
    ]);
  });
});

for (const file of documents) {
  describe(file, () => {
    const text = textOf(file);

    it('names commands and options that the CLI has', async () => {
      for (const line of leasewayLinesOf(text)) assert.equal(await problemOf(line), null, `leaseway ${line}`);
    });

    it('names scripts that npm has', async () => {
      for (const { name, args } of scriptLinesOf(text)) {
        const script = scripts[name];
        assert.ok(script !== undefined, `npm run ${name}`);
        const [, command] = /cli\/main\.ts (\w+)$/.exec(script) ?? [];
        if (command !== undefined) assert.equal(await problemOf(`${command} ${args}`), null, `npm run ${name}`);
      }
    });

    it('names paths that are there', () => {
      assert.deepEqual(
        pathsIn(text).filter((path) => !existsSync(join(root, path))),
        [],
      );
    });

    it('links to what is there', () => {
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
      const relative = links.filter((link) => !/^https?:/.test(link));
      assert.deepEqual(
        relative.filter((link) => !existsSync(join(root, dirname(file), link))),
        [],
      );
    });
  });
}

describe('README.md', () => {
  it('says what to do on each alarm of the template, and names no other', () => {
    const alarms = Object.keys(template['Resources'] ?? {}).flatMap((key) =>
      key.endsWith('Alarm') ? [key.slice(0, -5)] : [],
    );
    const [, table = ''] = /^## Alarms\n(.*?)^## /ms.exec(readme) ?? [];
    const named = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
      cell.replaceAll('`', '').split(', '),
    );
    assert.deepEqual(named.sort(), alarms.sort());
  });

  it('names every parameter of the template', () => {
    const missing = Object.keys(template['Parameters'] ?? {}).filter((name) => !readme.includes(`\`${name}\``));
    assert.deepEqual(missing, []);
  });

  it('prints the plan that its world file has', async () => {
    const blocks = blocksOf(readme);
    const at = blocks.findIndex((block) => block.startsWith('cat > world.json <<END\n'));
    const [, heredoc = ''] = /<<END\n(.*?)^END$/ms.exec(blocks[at] ?? '') ?? [];
    const world = heredoc.replace('$(aws ec2 describe-route-tables --output json)', JSON.stringify(exampleTables));
    const { code, printed } = await cli(['plan', '--world', '-'], world);
    assert.equal(`${printed}\n`, blocks[at + 1]);
    assert.equal(code, 2);
  });
});

/** What `aws ec2 describe-route-tables` printed when the README's plan was made. */
const exampleTables = (
  JSON.parse(readFileSync(join(root, 'docs/examples/world.json'), 'utf8')) as { readonly routeTables: object }
).routeTables;
