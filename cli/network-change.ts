/** Changes of the network's configuration: first what they would do, then, when agreed, the change itself. */
import { contains, parseCidr, tryParseCidr } from '../shared/domain/cidr.ts';
import { counted } from '../shared/domain/render-plan-text.ts';
import { type Console, jsonText } from './console.ts';
import { exit, UserError } from './exit.ts';
import { type ChangeAnswer, utc } from './keeper-answers.ts';
import { showPlan } from './plan-world.ts';
import { planOf, resyncPasses } from './resync-passes.ts';
import { type Stack, stackNamed } from './stack-functions.ts';

export interface ChangeOptions {
  readonly stack: string;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly force?: true;
  readonly json?: true;
}

/**
 * `request` is the command without its options. What was shown is what is applied: the change names the revision that
 * it was made from, and is refused when somebody else was faster.
 */
export async function changeNetwork(
  request: Readonly<Record<string, unknown>>,
  options: ChangeOptions,
  terminal: Console,
): Promise<number> {
  const stack = stackNamed(options.stack);
  const force = options.force === true ? { force: true } : {};
  const shown = await call(stack, { ...request, ...force, dryRun: true });
  // With --json one answer goes to standard output, and nothing else.
  if (options.json !== true) {
    terminal.print(changeText(shown));
    if (shown.changed) await showRoutes(stack, shown.stored.text, terminal);
  }
  if (options.dryRun === true || !shown.changed) {
    if (options.json === true) terminal.print(jsonText(shown));
    return shown.changed ? exit.pending : exit.ok;
  }
  if (request['remove'] === true && options.force !== true) await refuseWhileFull(stack, request, terminal);
  await agree(options, terminal);
  const expectedRevision = shown.previous?.revision ?? 0;
  const done = await call(stack, { ...request, ...force, expectedRevision });
  if (options.json === true) terminal.print(jsonText(done));
  else terminal.print(`applied as revision ${done.stored.revision}; what a sync makes of it: leaseway plan`);
  return exit.ok;
}

/** A retired entry that is forgotten too early leaves its routes behind for good: nobody would know them as ours. */
async function refuseWhileFull(
  stack: Stack,
  request: Readonly<Record<string, unknown>>,
  terminal: Console,
): Promise<void> {
  const named = request['routeTableIds'] as readonly string[] | undefined;
  const range = request['network'] === undefined ? null : parseCidr(request['network'], 'network');
  const [report] = await resyncPasses(stack, { dryRun: true }, terminal.note);
  for (const [id, { steps, held }] of Object.entries(planOf(report).tables)) {
    if (named !== undefined && !named.includes(id)) continue;
    const left = [...steps, ...held].filter(({ action, destination }) => {
      const subnet = tryParseCidr(destination);
      return action === 'delete' && (range === null || (subnet !== null && contains(range, subnet)));
    });
    if (left.length === 0) continue;
    throw new UserError(
      `--remove: ${id} still holds ${counted(left.length, 'route')} to be removed, ${left[0]?.destination} first: ` +
        'run leaseway resync, then try again (--force leaves them behind)',
    );
  }
}

/** What a sync would make of the configuration, were it applied. */
async function showRoutes(stack: Stack, config: string, terminal: Console): Promise<void> {
  const request = { dryRun: true, config };
  try {
    const [report] = await resyncPasses(stack, request, terminal.note);
    terminal.print('');
    await showPlan(planOf(report), false, terminal);
  } catch (error) {
    if (!(error instanceof UserError) || !error.message.startsWith('config: is not known')) throw error;
    terminal.note(
      "this stack's functions cannot plan a configuration that is not applied: ask leaseway plan afterwards",
    );
  }
}

async function call(stack: Stack, request: Readonly<Record<string, unknown>>): Promise<ChangeAnswer> {
  return (await stack.call('keep-leases', request)) as unknown as ChangeAnswer;
}

async function agree(options: ChangeOptions, terminal: Console): Promise<void> {
  if (options.yes === true) return;
  const answer = await terminal.ask('Apply this? Only yes applies it: ');
  if (answer === null) throw new UserError('--yes: is needed where nobody can be asked; nothing was applied');
  if (answer.trim() !== 'yes') throw new UserError('nothing was applied');
}

/** The lines that go and come, moved leases, warnings. */
function changeText(answer: ChangeAnswer): string {
  const { previous, stored, changed, moved, warnings } = answer;
  if (!changed) return `nothing to change: this is revision ${stored.revision}, applied ${utc(stored.appliedAt)}`;
  const before = linesOf(previous?.config);
  const after = linesOf(stored.config);
  return [
    `revision ${previous?.revision ?? 0} -> ${(previous?.revision ?? 0) + 1}`,
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ...moved.map((subnet) => `! the node of ${subnet} gets another subnet`),
    ...warnings.map((warning) => `! ${warning}`),
  ].join('\n');
}

/** `Backend.RouteTableID[0]: "rtb-0a1"`: one line a value, whatever the layout of the file. */
function linesOf(value: unknown, path = ''): string[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`];
  if (Array.isArray(value)) return value.flatMap((entry) => linesOf(entry, `${path}[]`));
  return Object.entries(value).flatMap(([key, member]) => linesOf(member, path === '' ? key : `${path}.${key}`));
}
