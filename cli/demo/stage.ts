/** Where the demo plays: the running sandbox, what was seen in it, and the checks of every claim that is made. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '@aws-sdk/client-ec2';
import type { Sandbox } from '../../infra/sandbox/sandbox.ts';
import type { Paint } from '../../shared/domain/render-plan-text.ts';
import type { Console } from '../console.ts';
import type { Stack } from '../stack-functions.ts';
import type { Aws, Tables } from './aws.ts';
import { changeLines, destinationOf } from './table-changes.ts';

/** A claim that turned out to be false. */
export class CheckFailed extends Error {
  constructor(claim: string, found: string) {
    super(`${claim}: ${found}`);
    this.name = 'CheckFailed';
  }
}

export interface Call {
  readonly service: string;
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Name of the stack's function that called, if one did. */
  readonly function?: string;
}

/** Longer than anything in the demo takes on a busy machine. */
const patience = 30_000;

export class Stage {
  readonly sandbox: Sandbox;
  readonly aws: Aws;
  readonly stack: Stack;
  /** Calls of chapters that are over. */
  readonly #earlier: Call[] = [];
  readonly #terminal: Console;
  #before: Tables = {};
  checks = 0;

  constructor(parts: { sandbox: Sandbox; aws: Aws; stack: Stack; terminal: Console }) {
    this.sandbox = parts.sandbox;
    this.aws = parts.aws;
    this.stack = parts.stack;
    this.#terminal = parts.terminal;
  }

  say(text = ''): void {
    this.#terminal.print(text === '' ? '' : `  ${text}`);
  }

  paint(): Promise<Paint> {
    return this.#terminal.paint();
  }

  async chapter(title: string): Promise<void> {
    const { heading } = await this.#terminal.paint();
    this.#terminal.print(`\n${heading(title)}`);
    this.#earlier.push(...(await this.calls()));
    await this.#control('DELETE', 'calls');
    this.#before = await this.aws.describeTables();
  }

  /** Prints what happened to the tables since the chapter began. */
  async showChanges(): Promise<void> {
    const lines = changeLines(this.#before, await this.aws.describeTables());
    for (const line of lines.length === 0 ? ['no table changed'] : lines) this.say(line);
  }

  /** Makes a claim that holds, or ends the demo. `found` says what is so instead. */
  check(claim: string, holds: boolean, found: string): void {
    if (!holds) throw new CheckFailed(claim, found);
    this.checks += 1;
    this.say(`✓ ${claim}`);
  }

  /** The same of what becomes true soon; `look` gives null when it is, else what is so instead. */
  async becomes(claim: string, look: () => Promise<string | null>): Promise<void> {
    const end = performance.now() + patience;
    let found = await look();
    while (found !== null && performance.now() < end) {
      await sleep(20);
      found = await look();
    }
    this.check(claim, found === null, found ?? '');
  }

  /** Every listed table has exactly these rows of ours, active. */
  async tablesBecome(claim: string, wanted: ReadonlyMap<string, string>, tables: readonly string[]): Promise<void> {
    await this.becomes(claim, async () => {
      const present = await this.aws.describeTables();
      const wrong = tables.flatMap((id) => differences(id, ownRows(present[id] ?? []), wanted));
      return wrong.length === 0 ? null : wrong.join('; ');
    });
    await this.sandbox.idle();
  }

  /** API calls since the chapter began. */
  async calls(): Promise<readonly Call[]> {
    const response = await this.#control('GET', 'calls');
    return (await response.json()) as readonly Call[];
  }

  /** Calls of the whole demo. */
  async allCalls(): Promise<readonly Call[]> {
    return [...this.#earlier, ...(await this.calls())];
  }

  /** How often the stack's functions called each of EC2's actions in this chapter, such as `3 CreateRoute`. */
  async routeWrites(): Promise<string> {
    const writes = (await this.calls()).filter((call) => call.function !== undefined && isRouteWrite(call));
    const counts = routeWriteActions.flatMap((action) => {
      const count = writes.filter((call) => call.action === action).length;
      return count === 0 ? [] : [`${count} ${action}`];
    });
    return counts.join(', ') || 'nothing';
  }

  async checkWrites(expected: string): Promise<void> {
    const found = await this.routeWrites();
    this.check(`routes were written by ${expected}`, found === expected, `they were by ${found}`);
  }

  async runSchedule(logicalId: string): Promise<void> {
    const response = await this.#control('POST', `schedules/${logicalId}?wait=true`);
    if (!response.ok) throw new Error(`the sandbox could not run ${logicalId}: ${await response.text()}`);
    await this.sandbox.idle();
  }

  #control(method: string, path: string): Promise<Response> {
    return fetch(`${this.sandbox.url}/_sandbox/${path}`, { method });
  }
}

const routeWriteActions = ['CreateRoute', 'ReplaceRoute', 'DeleteRoute'];

export function isRouteWrite(call: Call): boolean {
  return call.service === 'ec2' && routeWriteActions.includes(call.action);
}

/** Rows of the network's range. */
export function ownRows(routes: readonly Route[]): Route[] {
  return routes.filter((route) => destinationOf(route).startsWith('10.244.'));
}

function differences(id: string, rows: readonly Route[], wanted: ReadonlyMap<string, string>): string[] {
  const present = new Map(rows.map((row) => [destinationOf(row), row]));
  const missing = [...wanted].flatMap(([destination, eni]) => {
    const row = present.get(destination);
    if (row === undefined) return [`${id} has no ${destination}`];
    if (row.NetworkInterfaceId !== eni) return [`${id} has ${destination} at ${row.NetworkInterfaceId}, not ${eni}`];
    return row.State === 'active' ? [] : [`${id} has ${destination} as ${row.State}`];
  });
  const extra = [...present.keys()].filter((destination) => !wanted.has(destination));
  return [...missing, ...extra.map((destination) => `${id} still has ${destination}`)];
}
