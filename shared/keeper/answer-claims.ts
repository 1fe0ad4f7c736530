/** Claims to answers: one look at EC2 and one read of the book a batch, one transaction a grant. */
import type { Answer } from '../domain/answer.ts';
import { digestOf } from '../domain/digest.ts';
import { type LifeFact, readingAge } from '../domain/instance-life.ts';
import { needsCheckOff } from '../domain/segment.ts';
import { type ClaimedNode, claimedNode } from './claimed-node.ts';
import { type ClaimCase, type Decision, decideClaim } from './decide-claim.ts';
import { decideRelease } from './decide-release.ts';
import type { ClaimStore, Clock, InstanceFacts, Instances, LeaseBook, Vpc, VpcFacts } from './ports.ts';
import { type ClaimRecord, type ClaimsRead, readClaims, type Served, type WaitingClaim } from './read-claims.ts';
import { type CheckResult, switchChecksOff } from './source-dest-check.ts';
import { openBook, type WorkingBook, withCommitted } from './working-book.ts';

export interface ClaimPorts {
  readonly claims: ClaimStore;
  readonly book: LeaseBook;
  readonly ec2: Instances;
  readonly vpc: Vpc;
  readonly clock: Clock;
}

export interface ClaimsReport {
  /** Answers written, by status. */
  readonly answers: Readonly<Record<Answer['status'], number>>;
  readonly rejects: ClaimsRead['rejects'];
  /** Why EC2 could not be read; null: it was, or nothing needed it. All claims of the batch are pending then. */
  readonly ec2Problem: string | null;
  /** Source/destination checks that are not known to be off, one line each. */
  readonly checkProblems: readonly string[];
  /** The first record of the batch that has to be seen again, because a table could not be read or written. */
  readonly firstFailed: string | null;
  readonly errors: readonly unknown[];
}

/** Decisions that another writer may overtake before the claim is left to be repeated. */
const attempts = 8;

/**
 * Safe to kill between any two calls and to run twice or at the same time: every grant is one transaction on the
 * versions that it was decided on, and whoever comes again finds it in the book.
 *
 * EC2 being away fails no record: the nodes are told `pending` and repeat their claims. A failing table does.
 */
export async function answerClaims(
  ports: ClaimPorts,
  records: readonly ClaimRecord[],
  served: Served,
): Promise<ClaimsReport> {
  const arns = [...new Set(records.map(({ instanceArn }) => instanceArn))];
  const read = await readClaims(ports.claims, arns, served);
  const failed = new Map(read.failed);
  const answers = { granted: 0, pending: 0, refused: 0, lost: 0 };
  const answer = async (arn: string, text: Answer) => {
    await ports.claims.writeAnswer(arn, text);
    answers[text.status] += 1;
  };
  const attempt = async (arn: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failed.set(arn, error);
    }
  };

  for (const { instanceArn, answer: refusal } of read.refusals) {
    await attempt(instanceArn, () => answer(instanceArn, refusal));
  }
  let ec2Problem: string | null = null;
  let checkProblems: readonly string[] = [];
  if (read.waiting.length > 0) {
    const desk = await openDesk(ports, read.waiting);
    ec2Problem = desk.ec2Problem;
    checkProblems = [...desk.checks.problems.values()];
    for (const waiting of read.waiting) {
      await attempt(waiting.instanceArn, async () =>
        answer(waiting.instanceArn, await settle(ports, desk, waiting, served)),
      );
    }
  }
  const firstFailed = records.find(({ instanceArn }) => failed.has(instanceArn))?.sequenceNumber ?? null;
  return { answers, rejects: read.rejects, ec2Problem, checkProblems, firstFailed, errors: [...failed.values()] };
}

/** What a batch is decided on. `book` moves on with each grant; null: to be read again. */
interface Desk {
  book: WorkingBook | null;
  /** Which of the free subnets this batch takes, counted round; it moves with every conflict. */
  spread: bigint;
  /** Nodes of this batch by instance id, and why none of them can be known. */
  readonly nodes: ReadonlyMap<string, ClaimedNode>;
  readonly ec2Problem: string | null;
  /** Null where EC2 was not read. Rows are foreign or not by the configuration of `configRevision`. */
  readonly vpc: VpcFacts | null;
  readonly configRevision: number;
  readonly checks: CheckResult;
  /** Epoch seconds before the reading of EC2, less the age of a reading. */
  readonly readAt: number;
}

async function openDesk(ports: ClaimPorts, waiting: readonly WaitingClaim[]): Promise<Desk> {
  const book = openBook(await ports.book.readAll());
  const readAt = Math.floor(ports.clock.now() / 1000) - readingAge;
  const empty = {
    book,
    configRevision: book.configRevision,
    spread: 0n,
    nodes: new Map(),
    vpc: null,
    checks: { off: new Set<string>(), problems: new Map() },
    readAt,
  };
  const asking = waiting.filter(({ claim }) => !claim.release);
  if (book.config === null || asking.length === 0) return { ...empty, ec2Problem: null };
  let facts: readonly InstanceFacts[];
  let vpc: VpcFacts;
  try {
    vpc = await ports.vpc.read(book.config);
    facts = await ports.ec2.describe(asking.map(({ instanceId }) => instanceId));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...empty, ec2Problem: `EC2 cannot be read: ${message}` };
  }
  const byId = new Map(facts.map((instance) => [instance.instanceId, instance]));
  const nodes = new Map<string, ClaimedNode>(
    asking.map(({ instanceId, claim }) => [
      instanceId,
      claimedNode(instanceId, claim.eniId, byId.get(instanceId), vpc.vpcId),
    ]),
  );
  const enis = [...nodes.values()].flatMap((node) => (node.kind === 'node' ? [node.eni] : []));
  const checks = await switchChecksOff(ports, enis, needsCheckOff(book.config));
  return { ...empty, nodes, vpc, checks, ec2Problem: null };
}

async function settle(ports: ClaimPorts, desk: Desk, waiting: WaitingClaim, { network }: Served): Promise<Answer> {
  const { claim, instanceId } = waiting;
  const pending = (reason: string): Answer => ({ claimId: claim.claimId, status: 'pending', reason });
  if (desk.ec2Problem !== null && !claim.release) return pending(desk.ec2Problem);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    desk.book ??= openBook(await ports.book.readAll());
    const { book, vpc } = desk;
    if (book.config === null) return pending(book.configProblem);
    if (claim.release) {
      const release = decideRelease(book, instanceId, claim, ports.clock.now());
      if (await isCommitted(ports, desk, book, release)) return release.answer;
      continue;
    }
    const node = desk.nodes.get(instanceId);
    if (node === undefined || vpc === null || book.configRevision !== desk.configRevision) {
      return pending('another network configuration was applied just now');
    }
    if (node.kind !== 'node') return { claimId: claim.claimId, status: node.kind, reason: node.reason };
    const fact: LifeFact = { state: node.state, time: desk.readAt };
    const about: ClaimCase = {
      ...waiting,
      network,
      eni: node.eni,
      fact,
      checkIsOff: desk.checks.off.has(node.eni.eniId),
      checkProblem: desk.checks.problems.get(node.eni.eniId) ?? null,
    };
    const decision = decideClaim(book, book.config, vpc, about, ports.clock.now(), desk.spread);
    if (await isCommitted(ports, desk, book, decision)) return decision.answer;
    desk.spread = spreadOf(`${instanceId} ${attempt}`);
  }
  return pending('other keepers were faster each time');
}

async function isCommitted(
  ports: ClaimPorts,
  desk: Desk,
  book: WorkingBook,
  { transaction }: Decision,
): Promise<boolean> {
  if (transaction === null) return true;
  // Until the answer is in, nobody knows what the book says.
  desk.book = null;
  if ((await ports.book.commit(transaction)) === 'conflict') return false;
  desk.book = withCommitted(book, transaction);
  return true;
}

/**
 * Lowest free subnet first, until another keeper is at it too: then each goes on in a part of the range of its own, or
 * they would meet again at every grant of a burst.
 */
function spreadOf(text: string): bigint {
  return BigInt(`0x${digestOf(text)}`) % 65_536n;
}
