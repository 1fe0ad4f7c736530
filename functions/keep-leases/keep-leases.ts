/** Everything that wakes the keeper, told apart by shape: claims, EC2's events, the sweep, lease commands. */
import { placeOf } from '../../shared/domain/instance-arn.ts';
import { answerClaims, type ClaimPorts } from '../../shared/keeper/answer-claims.ts';
import type { CommandPorts } from '../../shared/keeper/command-ports.ts';
import { handleLifeEvent } from '../../shared/keeper/life-event.ts';
import type { ClaimRecord, Served } from '../../shared/keeper/read-claims.ts';
import { type CommandResult, runCommand } from '../../shared/keeper/run-command.ts';
import { type SweepReport, sweep } from '../../shared/keeper/sweep.ts';
import { type BatchAnswer, batchAnswer } from '../batch-answer.ts';
import type { Run } from '../middleware.ts';
import { parseStreamRecord, streamRecordsOf } from '../stream-record.ts';
import { parseLifeEvent } from './life-event.ts';

export type KeeperPorts = ClaimPorts & CommandPorts;

export type KeeperAnswer = BatchAnswer | CommandResult | SweepAnswer | { readonly outcome: string };

/** A sweep's report as JSON: errors as their messages. */
type SweepAnswer = Omit<SweepReport, 'errors'> & { readonly errors: readonly string[] };

export async function keepLeases(ports: KeeperPorts, event: unknown, run: Run): Promise<KeeperAnswer> {
  const records = streamRecordsOf(event);
  if (records !== null) return keepClaims(ports, records, run);
  const fields = typeof event === 'object' && event !== null ? (event as Record<string, unknown>) : {};
  if ('command' in fields) return keepCommand(ports, event, run);
  if (fields['source'] === 'leaseway' && fields['detail-type'] === 'Sweep') return keepSweep(ports, run);
  if (fields['source'] === 'aws.ec2' && fields['detail-type'] === 'EC2 Instance State-change Notification') {
    return keepLife(ports, event, run);
  }
  await run.reject('keep-leases', 'is none of claims, state change, sweep and command', event);
  return { outcome: 'rejected' };
}

async function keepClaims(ports: KeeperPorts, raw: readonly unknown[], run: Run): Promise<BatchAnswer> {
  const records: ClaimRecord[] = [];
  let served: Served | null = null;
  for (const item of raw) {
    try {
      const { pk, sk, eventName, sequenceNumber, streamArn } = parseStreamRecord(item);
      if (sk !== 'claim' || eventName === 'REMOVE') continue;
      // The stream's own ARN says where we are: partition, region and account of all nodes that we serve.
      const place = placeOf(streamArn);
      if (place !== null) served ??= { ...place, network: ports.network };
      records.push({ instanceArn: pk, sequenceNumber });
    } catch (error) {
      await run.reject('claims stream', messageOf(error), item);
    }
  }
  if (served === null) return batchAnswer(null);
  const report = await answerClaims(ports, records, served);
  for (const { reason, body } of report.rejects) await run.reject('claims', reason, body);
  run.info('claims answered', { ...report.answers });
  for (const [status, count] of Object.entries(report.answers)) {
    if (count > 0) run.metric(`Claims${capital(status)}`, count);
  }
  if (report.ec2Problem !== null) run.warn(report.ec2Problem);
  checksSaid(report.checkProblems, run);
  for (const error of report.errors) run.error('a claim could not be answered', {}, error);
  return batchAnswer(report.firstFailed);
}

async function keepLife(ports: KeeperPorts, event: unknown, run: Run): Promise<KeeperAnswer> {
  let life: ReturnType<typeof parseLifeEvent>;
  try {
    life = parseLifeEvent(event);
  } catch (error) {
    await run.reject('instance state change', messageOf(error), event);
    return { outcome: 'rejected' };
  }
  const outcome = await handleLifeEvent(ports, life);
  // Strangers are most of an account's instances: no line for each.
  if (outcome !== 'stranger') run.info('instance changed', { instanceId: life.instanceId, state: life.state, outcome });
  return { outcome };
}

async function keepSweep(ports: KeeperPorts, run: Run): Promise<SweepAnswer> {
  const report = await sweep(ports);
  for (const [state, count] of Object.entries(report.leases)) run.metric(`Leases${capital(state)}`, count);
  run.metric('StaleLeases', report.leases.stale);
  run.metric('LeaseDuplicates', report.duplicates.length);
  run.metric('UnreadableItems', report.unreadable.length);
  run.metric('SweepFailures', report.problem === null && report.errors.length === 0 ? 0 : 1);
  if (report.problem !== null) run.error('the sweep changed nothing', { problem: report.problem });
  for (const line of report.duplicates) run.error('two leases that must not be', { line });
  for (const line of report.unreadable) run.error('an item cannot be read', { line });
  for (const error of report.errors) run.error('a lease could not be written', {}, error);
  checksSaid(report.checkProblems, run);
  for (const { subnet, state } of report.changed) run.info('lease changed', { subnet, state });
  return { ...report, errors: report.errors.map(messageOf) };
}

async function keepCommand(ports: KeeperPorts, event: unknown, run: Run): Promise<CommandResult> {
  const answer = await runCommand(ports, event);
  const { command } = event as { command: unknown };
  run.info('command', { command: String(command).slice(0, 32), ok: answer.ok });
  return answer;
}

function checksSaid(problems: readonly string[], run: Run): void {
  if (problems.length > 0) run.metric('SourceDestCheckFailures', problems.length);
  for (const problem of problems) run.error('forwarding is blocked', { problem });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
