/** Runs the embedded AWS until it is told to stop. */
import { once } from 'node:events';
import { type SandboxOptions, startSandbox } from '../infra/sandbox/sandbox.ts';
import { buildBundles, templateFile } from './checkout.ts';
import { type Console, jsonText } from './console.ts';
import { exit, UserError } from './exit.ts';
import { readJson } from './read-file.ts';

export interface SandboxRequest {
  readonly port: number;
  readonly world?: string;
  readonly parameter?: readonly string[];
  readonly stack: string;
  readonly json?: true;
}

/** The template wants one: without a table there is nothing for the functions to do, and they do not run. */
const noTable = 'rtb-none';

export async function runSandbox(request: SandboxRequest, terminal: Console): Promise<number> {
  const world = request.world === undefined ? undefined : await readWorld(request.world, terminal);
  const parameters = parametersOf(request.parameter ?? []);
  const tables = parameters['RouteTableIds'] ?? (world === undefined ? [] : tableIdsOf(world)).join(',');
  if (tables === '')
    terminal.note('no route table is named, so no function runs: give --world or --parameter RouteTableIds=...');
  else await buildBundles();
  const sandbox = await startSandbox({
    port: request.port,
    templateFile,
    stackName: request.stack,
    parameters: { ...parameters, RouteTableIds: tables === '' ? noTable : tables },
    schedules: 'auto',
    functions: tables !== '',
    ...(world !== undefined && { world }),
  }).catch((error: Error) => {
    throw new UserError(`sandbox: ${error.message}`, { cause: error });
  });
  terminal.print(request.json === true ? jsonText({ url: sandbox.url, port: sandbox.port }) : sandbox.url);
  await interrupted();
  await sandbox.close();
  return exit.ok;
}

type World = NonNullable<SandboxOptions['world']>;

async function readWorld(file: string, terminal: Console): Promise<World> {
  const world = await readJson(file, '--world', 'world', terminal);
  if (typeof world === 'object' && world !== null && !Array.isArray(world)) return world as World;
  throw new UserError('world: is not an object');
}

function parametersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at < 1) throw new UserError(`--parameter: is not NAME=VALUE (got ${JSON.stringify(text)})`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** The tables that the world's configuration lists, else all of the world's. */
function tableIdsOf(world: World): string[] {
  const backend = caseFree(caseFree(world['config'])['backend']);
  const listed = [backend['routetableid'] ?? []].flat().map(String);
  if (listed.length > 0) return listed;
  const tables = (world['routeTables'] as { RouteTables?: unknown } | undefined)?.RouteTables;
  return Array.isArray(tables) ? tables.map((table) => String((table as { RouteTableId?: unknown }).RouteTableId)) : [];
}

/** Members by lower-case key: key case is free in a configuration. */
function caseFree(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value ?? {}).map(([key, member]) => [key.toLowerCase(), member]));
}

async function interrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
