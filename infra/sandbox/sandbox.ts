import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Activity } from './activity.ts';
import { createClock } from './clock.ts';
import { CallLog } from './control/calls.ts';
import { answerControl, plantFaults } from './control/control.ts';
import type { FaultInput } from './control/fault.ts';
import { Faults } from './control/faults.ts';
import { Dispatcher } from './dispatcher.ts';
import { DynamoDb } from './dynamodb/dynamodb.ts';
import { Ec2 } from './ec2/ec2.ts';
import { Endpoint } from './endpoint.ts';
import { EventBus } from './events/bus.ts';
import { EventBridge } from './events/events.ts';
import { RuleBook } from './events/rule-book.ts';
import { Schedules } from './events/schedules.ts';
import { Callers } from './iam/callers.ts';
import { checkWiring } from './iam/wiring.ts';
import { FunctionPool } from './lambda/function-pool.ts';
import { Lambda } from './lambda/lambda.ts';
import { isRecord, number, type Params, record } from './params.ts';
import { startPollers } from './pollers.ts';
import { Sqs } from './sqs/sqs.ts';
import type { SandboxState } from './state.ts';
import { Sts } from './sts.ts';
import { surroundingsOf } from './surroundings.ts';
import { seedTables } from './tables.ts';
import { sendTo, targetPort } from './targets.ts';
import { functionsOf } from './template/functions.ts';
import { mappingsOf } from './template/mappings.ts';
import { queuesOf } from './template/queues.ts';
import { rulesOf } from './template/rules.ts';
import { readStack } from './template/stack.ts';
import { followTransitions } from './transitions.ts';
import { presentWorld, worldResources } from './world.ts';

export interface SandboxOptions {
  /** 0, the default: a free one. */
  readonly port?: number;
  readonly templateFile: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly stackName?: string;
  /** A world file to begin with: clock, EC2's resources and quota, leases and the network's configuration. */
  readonly worldFile?: string;
  /** The same, not from a file. */
  readonly world?: Params;
  /** `auto`: the sandbox's clock runs them. `manual`, the default: only `runSchedule` does. */
  readonly schedules?: 'auto' | 'manual';
  /** How long an instance stays pending, stopping or shutting down: milliseconds of real time. */
  readonly transitionMs?: number;
  /** Whether EC2 throttles calls as AWS does; on unless given. */
  readonly throttle?: boolean;
  /** False: no function runs, nothing is fed from queues and streams. */
  readonly functions?: boolean;
  /** `skip`: what a function sleeps moves the sandbox's clock and lasts no time. `real` unless given. */
  readonly waits?: 'real' | 'skip';
  /** The most processes of one function at once; 4 unless given. */
  readonly maximumProcesses?: number;
  /** Waits before an asynchronous invocation is repeated, in seconds; Lambda's own (60, 120) unless given. */
  readonly asyncRetrySeconds?: readonly [number, number];
  /** The first wait before a failed stream batch is tried again, in ms; 100 unless given. */
  readonly streamRetryMs?: number;
  /** The first wait before a rule's target is tried again, in ms; 1000 unless given. */
  readonly deliveryRetryMs?: number;
  /** Logical ids of what the sandbox must know by name. */
  readonly leasesTable?: string;
  readonly nodePolicy?: string;
}

export interface Sandbox extends SandboxState {
  readonly url: string;
  readonly port: number;
  /** Plants one fault or several, as `POST /_sandbox/faults` does. */
  fault(fault: FaultInput | readonly FaultInput[]): void;
  /** Runs a schedule now and waits for the end of what it started. */
  runSchedule(logicalId: string): Promise<void>;
  /** Waits until nothing is in flight; throws and names what still is after `timeoutMs` (a minute unless given). */
  idle(timeoutMs?: number): Promise<void>;
  /** Ends every process and closes the port; again, it does nothing. */
  close(): Promise<void>;
}

/**
 * Starts the embedded AWS as a SAM template describes it. Rejects with a `TemplateError` that names what of the
 * template is not understood, leaving nothing behind.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const endpoint = await Endpoint.listen(options.port ?? 0);
  try {
    return await assemble(endpoint, options);
  } catch (error) {
    await endpoint.close();
    throw error;
  }
}

async function assemble(endpoint: Endpoint, options: SandboxOptions): Promise<Sandbox> {
  const { parameters = {}, stackName = 'leaseway', functions: runsFunctions = true } = options;
  const stack = readStack(readFileSync(options.templateFile, 'utf8'), {
    stackName,
    parameters,
    endpoint: endpoint.url,
  });
  const models = functionsOf(stack, dirname(resolve(options.templateFile)));
  const rules = rulesOf(stack, models);
  const mappings = mappingsOf(stack, models);
  checkWiring({ stack, endpoint: endpoint.url, functions: models, rules, mappings });
  const callers = new Callers(stack, models, options.nodePolicy ?? 'NodePolicy');
  const world = worldOf(options);
  const network = models.map((model) => model.environment['NETWORK']).find((name) => name !== undefined) ?? 'default';

  const begin = number(world, 'now');
  const clock = createClock(begin === undefined ? undefined : begin * 1000);
  const activity = new Activity();
  const faults = new Faults();
  const calls = new CallLog();
  const deliveries = { twice: false };
  const sqs = new Sqs({ models: queuesOf(stack), clock, endpoint: endpoint.url });
  const dynamodb = new DynamoDb({ clock });
  await dynamodb.start();
  const send = sendTo(sqs);
  const { maximumProcesses = 4, waits = 'real', asyncRetrySeconds: retrySeconds = [60, 120] } = options;
  const pools = (runsFunctions ? models : []).map(
    (model) => new FunctionPool(model, { clock, activity, endpoint: endpoint.url, maximumProcesses, waits }),
  );
  const lambda = new Lambda(pools, { clock, activity, send, retrySeconds });
  const targets = targetPort({ sqs, lambda, faults, runsFunctions });
  const book = new RuleBook(rules);
  const bus = new EventBus(book, { clock, activity, targets, retryMs: options.deliveryRetryMs ?? 1000 });
  const schedules = new Schedules(book, bus, clock);
  const { transitionMs, throttle } = options;
  const follow = followTransitions(activity);
  const ec2 = new Ec2({
    clock,
    emit(event) {
      bus.publish(event);
      follow(event);
    },
    ...(transitionMs !== undefined && { transitionMs }),
    ...(throttle !== undefined && { throttle }),
  });
  ec2.seed(worldResources(world));
  const routeLimit = number(record(world, 'options') ?? {}, 'routeLimit');
  if (routeLimit !== undefined) ec2.setRouteLimit(undefined, routeLimit);
  const leasesTable = await seedTables(stack, dynamodb, {
    world,
    network,
    logicalId: options.leasesTable ?? 'LeasesTable',
    now: clock.now(),
  });

  const events = new EventBridge({ bus, clock, book });
  const services = [ec2, dynamodb, dynamodb.streams, events, sqs, lambda, new Sts()];
  const state: SandboxState = {
    clock,
    activity,
    ec2,
    dynamodb,
    sqs,
    lambda,
    bus,
    schedules,
    faults,
    calls,
    deliveries,
    actions: new Map(services.map((service) => [service.name, service.actions])),
    consumed: new Set(mappings.map((mapping) => mapping.sourceArn)),
    world: async () => {
      const { instances, routeTables } = ec2.snapshot();
      const leaseItems = leasesTable === undefined ? [] : await dynamodb.dumpTable(leasesTable);
      const { routeLimit } = ec2;
      return presentWorld({ now: clock.now(), network, leaseItems, reservations: instances, routeTables, routeLimit });
    },
  };
  const dispatcher = new Dispatcher({
    services,
    callers,
    surroundings: surroundingsOf(stack, ec2),
    faults,
    calls,
    clock,
    kill: async (accessKeyId) => {
      await Promise.all(pools.map((pool) => pool.kill(accessKeyId)));
    },
  });
  endpoint.serve({ dispatcher, control: (request) => answerControl(state, request) });
  const { streamRetryMs: retryMs = 100 } = options;
  const pollers = startPollers(runsFunctions ? mappings : [], { state, send, retryMs });
  if (options.schedules === 'auto') schedules.start();

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    schedules.stop();
    for (const poller of pollers) poller.stop();
    clock.stop();
    ec2.close();
    await lambda.close();
    await endpoint.close();
    await dynamodb.close();
  }

  return {
    ...state,
    url: endpoint.url,
    port: endpoint.port,
    fault: (fault) => plantFaults(state, fault),
    async runSchedule(logicalId) {
      await (await schedules.run(logicalId)).ended;
    },
    async idle(timeoutMs = 60_000) {
      const left = await activity.idle(timeoutMs);
      if (left.length > 0) throw new Error(`the sandbox is not idle: ${left.join(', ')}`);
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function worldOf({ world, worldFile }: SandboxOptions): Params {
  if (world !== undefined || worldFile === undefined) return world ?? {};
  const read: unknown = JSON.parse(readFileSync(worldFile, 'utf8'));
  if (!isRecord(read)) throw new Error(`${worldFile} is no world file: a JSON object is wanted`);
  return read;
}
