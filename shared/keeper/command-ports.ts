/** What the lease commands need, and how they write. */
import { InvalidInput } from '../domain/invalid-input.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import type { Clock, Instances, LeaseBook, Transaction, Vpc, VpcFacts } from './ports.ts';
import { openBook, type WorkingBook } from './working-book.ts';

export interface CommandPorts {
  readonly network: string;
  readonly book: LeaseBook;
  readonly ec2: Instances;
  readonly vpc: Vpc;
  readonly clock: Clock;
  /** The template's `RouteTableIds`. */
  readonly routeTableIds: readonly string[];
}

export interface Decided<Result> {
  readonly result: Result;
  /** Null: nothing changes. */
  readonly transaction: Transaction | null;
}

const attempts = 8;

/** Decides on the present book and writes; again from the book when another writer was faster. */
export async function decideAndCommit<Result>(
  ports: Pick<CommandPorts, 'book'>,
  decide: (book: WorkingBook, counter: number) => Decided<Result> | Promise<Decided<Result>>,
): Promise<Result> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const raw = await ports.book.readAll();
    const { result, transaction } = await decide(openBook(raw), raw.counter);
    if (transaction === null || (await ports.book.commit(transaction)) === 'done') return result;
  }
  throw new InvalidInput('', undefined, 'other changes were faster each time; nothing was changed, try again');
}

export function configOf(book: WorkingBook): NetworkConfig {
  if (book.config === null) throw new InvalidInput('', undefined, book.configProblem);
  return book.config;
}

export async function readVpc(ports: Pick<CommandPorts, 'vpc'>, config: NetworkConfig): Promise<VpcFacts> {
  return ec2Read(() => ports.vpc.read(config));
}

/** EC2 being away is an answer to a command, with nothing changed. */
export async function ec2Read<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new InvalidInput('', undefined, `EC2 cannot be read: ${message}`, { cause: error });
  }
}
