/** The queues there are: the template's, and those that calls make and delete. */
import type { AlarmClock } from '../clock.ts';
import { number, type Params, record, text } from '../params.ts';
import { AwsError } from '../service.ts';
import type { QueueModel } from '../template/queues.ts';
import { Queue } from './queue.ts';
import { differingAttribute, newQueue, withAttributes } from './queue-settings.ts';

/** A name is free again so long after its queue was deleted. */
const deletionMs = 60_000;

export class Queues {
  readonly #queues = new Map<string, Queue>();
  readonly #deletedAt = new Map<string, number>();
  readonly #clock: AlarmClock;

  constructor(models: readonly QueueModel[], clock: AlarmClock) {
    this.#clock = clock;
    for (const model of models) this.#add(model);
  }

  get all(): readonly Queue[] {
    return [...this.#queues.values()];
  }

  readonly byArn = (arn: string): Queue | undefined => this.all.find((queue) => queue.model.arn === arn);

  /** By URL or name. */
  find(urlOrName: string): Queue | undefined {
    return this.#queues.get(urlOrName.slice(urlOrName.lastIndexOf('/') + 1));
  }

  /** Throws `QueueDoesNotExist`. */
  named(urlOrName: string): Queue {
    const queue = this.find(urlOrName);
    if (!queue) throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  }

  /** The same call again gives the same queue. */
  create(name: string, params: Params): Queue {
    const attributes = record(params, 'Attributes') ?? {};
    const fresh = withAttributes(newQueue(name, attributes), attributes, this.byArn);
    const present = this.#queues.get(name);
    if (present !== undefined) {
      const differing = differingAttribute(present.model, attributes, this.byArn);
      if (differing === undefined) return present;
      throw new AwsError(
        'QueueNameExists',
        `A queue already exists with the same name and a different value for attribute ${differing}`,
      );
    }
    const deletedAt = this.#deletedAt.get(name);
    if (deletedAt !== undefined && this.#clock.now() < deletedAt + deletionMs) {
      throw new AwsError(
        'QueueDeletedRecently',
        'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
      );
    }
    const queue = this.#add(fresh);
    queue.tag(record(params, 'tags') ?? {});
    return queue;
  }

  configure(queue: Queue, attributes: Params): void {
    queue.configure(withAttributes(queue.model, attributes, this.byArn));
  }

  delete(queue: Queue): void {
    queue.purge();
    this.#queues.delete(queue.model.name);
    this.#deletedAt.set(queue.model.name, this.#clock.now());
  }

  /** Those that `ListQueues` answers with, in the order of their names, and the token of the rest. */
  list(params: Params): { readonly queues: readonly Queue[]; readonly nextToken?: string } {
    const prefix = text(params, 'QueueNamePrefix') ?? '';
    const most = number(params, 'MaxResults');
    if (most !== undefined && !(most >= 1 && most <= 1000)) {
      throw new AwsError('InvalidParameterValue', `Value ${most} for parameter MaxResults is invalid.`);
    }
    const after = Buffer.from(text(params, 'NextToken') ?? '', 'base64').toString();
    const names = [...this.#queues.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const page = names.slice(0, most ?? 1000);
    const last = page.at(-1) ?? '';
    return {
      queues: page.map((name) => this.named(name)),
      ...(page.length < names.length && { nextToken: Buffer.from(last).toString('base64') }),
    };
  }

  #add(model: QueueModel): Queue {
    const queue = new Queue(model, this.#clock, this.byArn);
    this.#queues.set(model.name, queue);
    return queue;
  }
}
