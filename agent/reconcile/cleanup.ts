/** `cleanup`: removes all that is ours from this namespace and nothing else. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isOurDevice } from '../linux/devices.ts';
import { kernelTables } from '../linux/kernel-tables.ts';
import { deleteTables } from '../linux/masquerade.ts';
import { readLinks } from '../linux/read-links.ts';
import { CommandFailed, type Runner } from '../linux/runner.ts';
import { removeSubnetEnv } from '../linux/subnet-env-file.ts';
import type { SettingsRecord } from '../linux/sysctl-record.ts';
import { deletes, planTables, readTables } from './apply-rows.ts';
import { statusPath } from './status-file.ts';

const none: ReadonlySet<string> = new Set();
const noRows = { fdb: [], neighbours: [], routes: [], untouched: [] };

export interface CleanupResult {
  readonly done: readonly string[];
  /** What could not be removed. */
  readonly problems: readonly string[];
}

/** Knows what is ours by protocol number and device name alone: no memory of what was done is needed. */
export async function cleanup(runner: Runner, record: SettingsRecord, stateDir: string): Promise<CleanupResult> {
  const done: string[] = [];
  const problems: string[] = [];
  // Routes first: a packet must not meet a route whose tunnel is gone.
  const tables = kernelTables(runner, none);
  const routes = deletes(planTables(noRows, await readTables(tables), tables).routes);
  const failures = await tables.routes.apply(routes);
  done.push(...routes.filter((step) => !failures.some((failure) => failure.step === step)).map(describe));
  problems.push(...failures.map(({ step, problem }) => `${describe(step)}: ${problem}`));
  // Neighbours, FDB entries, addresses and settings of a device go with it.
  for (const { name } of (await readLinks(runner)).filter(isOurDevice)) {
    await attempt(`device ${name}`, () => runner.run(['ip', 'link', 'del', name]));
  }
  await attempt('nft tables', async () => (await deleteTables(runner)) > 0);
  done.push(...(await record.undo()));
  const env = await removeSubnetEnv(stateDir);
  if (env !== null) done.push(env);
  for (const file of ['lingering.json', 'masquerade.json', 'subnet-env.json', 'sysctls.json']) {
    await rm(join(stateDir, file), { force: true });
  }
  await rm(statusPath(stateDir), { force: true });
  return { done, problems };

  function describe(step: (typeof routes)[number]): string {
    return `route ${tables.routes.kind.describe(step.action === 'replace' ? step.to : step.row)}`;
  }

  async function attempt(what: string, remove: () => Promise<unknown>): Promise<void> {
    try {
      if ((await remove()) !== false) done.push(what);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      // A host without nft has no tables of ours.
      if (error.exitCode !== null || what !== 'nft tables') problems.push(error.message);
    }
  }
}
