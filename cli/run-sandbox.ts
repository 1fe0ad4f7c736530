/** Runs the embedded AWS until it is told to stop. */
import { once } from 'node:events';
import { startSandbox } from '../infra/sandbox/sandbox.ts';
import { buildBundles, templateFile } from './checkout.ts';
import { type Console, jsonText } from './console.ts';
import { exit, UserError } from './exit.ts';
import { readJson } from './read-file.ts';
import { type SandboxWorld, sandboxWorld } from './sandbox-world.ts';

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
  const given = request.world === undefined ? undefined : await readWorld(request.world, terminal);
  for (const warning of given?.warnings ?? []) terminal.note(warning);
  const parameters = parametersOf(request.parameter ?? []);
  const tables = parameters['RouteTableIds'] ?? (given?.tableIds ?? []).join(',');
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
    ...(given !== undefined && { world: given.world }),
  }).catch((error: Error) => {
    throw new UserError(`sandbox: ${error.message}`, { cause: error });
  });
  terminal.print(request.json === true ? jsonText({ url: sandbox.url, port: sandbox.port }) : sandbox.url);
  await interrupted();
  await sandbox.close();
  return exit.ok;
}

async function readWorld(file: string, terminal: Console): Promise<SandboxWorld> {
  return sandboxWorld(await readJson(file, '--world', 'world', terminal));
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

async function interrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
