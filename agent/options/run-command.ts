/** `leaseway agent run`. */
import { startMonitor } from '../linux/monitor.ts';
import { systemRunner } from '../linux/runner.ts';
import { systemSysctls } from '../linux/sysctl.ts';
import { settingsRecord } from '../linux/sysctl-record.ts';
import { toolProblem } from '../linux/versions.ts';
import { takeAgentLock } from '../lock.ts';
import { systemdNotifier } from '../notify.ts';
import { runLoop } from '../reconcile/loop.ts';
import type { NodeWorld } from '../reconcile/node-world.ts';
import { onceExit, runOnce } from '../reconcile/once.ts';
import type { AgentLog, StatusSink } from '../reconcile/ports.ts';
import { printPlan } from '../reconcile/print-plan.ts';
import type { AgentStatus } from '../reconcile/status.ts';
import { removeStatusFile, statusFile } from '../reconcile/status-file.ts';
import type { ListenAddress } from '../serve/listen-address.ts';
import { type ReportDesk, reportDesk } from '../serve/report-desk.ts';
import { type Serving, startServing } from '../serve/serving.ts';
import { agentVersion } from '../version.ts';
import type { ClaimOptions } from './claim-options.ts';
import { type Maps, openMaps } from './open-maps.ts';
import type { RunOptions } from './run-options.ts';
import { starting } from './start-failed.ts';
import type { AgentTerminal } from './terminal.ts';

/** @throws StartFailed, InvalidInput */
export async function runCommand(options: RunOptions, claim: ClaimOptions, terminal: AgentTerminal): Promise<number> {
  const runner = systemRunner(terminal.env);
  const log: AgentLog = {
    info: (message) => terminal.note(`leaseway agent: ${message}`),
    warn: (message) => terminal.note(`leaseway agent: ${message}`),
  };
  const problem = await toolProblem(runner);
  if (problem !== null) {
    log.warn(problem);
    return onceExit.none;
  }
  const lock = options.plan ? null : await starting(() => takeAgentLock(claim.network));
  let maps: Maps | null = null;
  const desk = reportDesk({
    version: agentVersion,
    now: () => Date.now(),
    claim: () => maps?.control?.claimStatus() ?? null,
  });
  try {
    const opened = await starting(() => openMaps(options, claim, { env: terminal.env, runner, log, desk }));
    maps = opened;
    const world = worldOf(options, opened.instanceId, runner, log);
    if (options.plan) return await printPlan(world, opened.source, terminal.print);
    if (options.once) return await runOnce(world, opened.source, statusFile(options.node.stateDir));
    await runFor({ options, world, maps: opened, desk, terminal });
    return 0;
  } finally {
    await closeControl(maps, claim.releaseOnExit && terminal.signal.aborted, log);
    await lock?.release();
  }
}

/** The lease is given up only at an end that was asked for: an agent that fails is started again. */
async function closeControl(maps: Maps | null, release: boolean, log: AgentLog): Promise<void> {
  try {
    await maps?.control?.close(release);
  } catch (error) {
    log.warn(`the lease could not be given up: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function worldOf(options: RunOptions, instanceId: string, runner: NodeWorld['runner'], log: AgentLog): NodeWorld {
  const sysctls = systemSysctls();
  const record = settingsRecord(options.node.stateDir, sysctls);
  return {
    runner,
    sysctls,
    record,
    log,
    options: { ...options.node, instanceId },
    now: () => Date.now(),
    elapsed: () => performance.now(),
  };
}

interface Run {
  readonly options: RunOptions;
  readonly world: NodeWorld;
  readonly maps: Maps;
  readonly desk: ReportDesk;
  readonly terminal: AgentTerminal;
}

async function runFor({ options, world, maps, desk, terminal }: Run): Promise<void> {
  const { log, runner } = world;
  const { stateDir } = options.node;
  const serving = await starting(() => serve(stateDir, options.listen, desk, log));
  // Of a run that ended long ago.
  await removeStatusFile(stateDir);
  const notifier = systemdNotifier(runner, terminal.env['NOTIFY_SOCKET'], log);
  const sink: StatusSink = {
    publish: async (status) => {
      await desk.sink.publish(status);
      await (status.ready ? notifier.ready(oneLine(status)) : notifier.status(oneLine(status)));
    },
  };
  try {
    const watchKernel = (ring: () => void) => startMonitor(terminal.env, ring, log.warn);
    const source = desk.overhear(maps.source);
    await runLoop({ world, source, sink, watchKernel, sweep: options.sweep }, terminal.signal);
  } finally {
    await serving.close();
  }
}

/** A node does not stay cut off because somebody has the port: it goes on without the endpoints, and says so. */
async function serve(
  stateDir: string,
  listen: ListenAddress | null,
  desk: ReportDesk,
  log: AgentLog,
): Promise<Serving> {
  const { report } = desk;
  try {
    const serving = await startServing({ stateDir, listen, report });
    if (serving.address !== null) log.info(`/healthz, /readyz and /metrics at http://${serving.address}`);
    return serving;
  } catch (error) {
    if (listen === null || !(error instanceof Error) || !error.message.startsWith('--listen')) throw error;
    log.warn(`no health endpoints: ${error.message}`);
    return startServing({ stateDir, listen: null, report });
  }
}

function oneLine({ ready, revision, leases, problems }: AgentStatus): string {
  const reached = leases.filter(({ path }) => path !== null).length;
  const line = `revision ${revision ?? 'none'}, ${reached} of ${leases.length} leases reachable`;
  return ready ? line : `not ready: ${problems[0] ?? line}`;
}
