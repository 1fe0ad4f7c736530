/**
 * The EC2 of the embedded AWS: one account, one region, the actions that routing containers needs.
 *
 * It is a reading of AWS of its own and imports nothing of `shared/`, so that a mistake there is not
 * repeated here. What AWS leaves open is decided towards the stricter answer.
 */
import { type ApiRequest, AwsError, type SandboxClock, type SandboxEvent, type Service } from '../service.ts';
import { actions } from './actions.ts';
import { beforeWrite } from './history.ts';
import { find, idKinds } from './ids.ts';
import { forget, forgetLongTerminated } from './instance-lifecycle.ts';
import type { LagRequest } from './lag.ts';
import { flag } from './params.ts';
import { addAwsLists } from './prefix-lists.ts';
import type { RawRoute } from './records.ts';
import { type Seed, seedWorld } from './seed.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';
import { type BucketSize, TokenBuckets } from './token-buckets.ts';
import { usualRouteLimit, World } from './world.ts';

export interface Ec2Options {
  readonly clock: SandboxClock;
  emit(event: SandboxEvent): void;
  /** How long an instance stays pending, stopping or shutting down: milliseconds of real time, 30 unless given. */
  readonly transitionMs?: number;
  /** Whether calls are throttled as AWS does; on unless given. */
  readonly throttle?: boolean;
}

export class Ec2 implements Service {
  readonly name = 'ec2';
  readonly actions = Object.keys(actions);
  readonly #world: World;
  readonly #buckets: TokenBuckets;

  constructor(options: Ec2Options) {
    const { clock, transitionMs = 30, throttle = true } = options;
    this.#world = new World(clock, (event) => options.emit(event), transitionMs);
    this.#buckets = new TokenBuckets(clock, throttle);
    addAwsLists(this.#world);
  }

  async handle({ action, params }: ApiRequest): Promise<Readonly<Record<string, unknown>>> {
    const perform = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (perform === undefined) {
      throw new AwsError('InvalidAction', `The action ${action} is not valid for this web service.`);
    }
    this.#buckets.take(action, params);
    if (flag(params, 'DryRun') === true) {
      throw new AwsError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
    }
    forgetLongTerminated(this.#world);
    return perform(this.#world, params);
  }

  /** Puts resources in as the AWS CLI prints them; see `seed.ts`. */
  seed(seed: Seed): void {
    seedWorld(this.#world, seed);
  }

  /** All that is there, as the AWS CLI prints it. */
  snapshot(): Snapshot {
    forgetLongTerminated(this.#world);
    return snapshotOf(this.#world);
  }

  /** Adds a row that no API call can make (propagated routes, blackholes without ids), verbatim. */
  plantRoute(routeTableId: string, route: RawRoute): void {
    const table = find(this.#world, this.#world.routeTables, idKinds.routeTable, routeTableId);
    beforeWrite(this.#world, table.id);
    table.routes = [...table.routes, route];
  }

  /** EC2 no longer knows the instance, as an hour after its end. No event tells of it. */
  forgetInstance(id: string): void {
    forget(this.#world, id);
  }

  /** Sets the quota of one table, or with `undefined` that of all tables without one of their own. */
  setRouteLimit(routeTableId: string | undefined, limit: number): void {
    if (routeTableId === undefined) this.#world.routeLimit = limit;
    else this.#world.routeLimits.set(routeTableId, limit);
  }

  /** The quota of all tables without one of their own; `undefined` while it is AWS's usual one. */
  get routeLimit(): number | undefined {
    const { routeLimit } = this.#world;
    return routeLimit === usualRouteLimit ? undefined : routeLimit;
  }

  /** Makes the next reads of one resource late. */
  lag(request: LagRequest): void {
    this.#world.lags.add(request);
  }

  /** Those that have not befallen all their reads yet. */
  get lags(): readonly Required<LagRequest>[] {
    return this.#world.lags.list();
  }

  clearLags(): void {
    this.#world.lags.clear();
  }

  /** Switches throttling; buckets are full afterwards. */
  throttle(on: boolean): void {
    this.#buckets.switch(on);
  }

  setTokenBucket(action: string, size: BucketSize | 'unlimited'): void {
    this.#buckets.resize(action, size);
  }

  /** Ends the transitions under way. */
  close(): void {
    for (const timer of this.#world.timers.values()) clearTimeout(timer);
    this.#world.timers.clear();
  }
}
