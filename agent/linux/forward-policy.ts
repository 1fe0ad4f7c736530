/**
 * Chains that drop what nobody accepted, by their policy or by their last rule. Container engines set such a policy when
 * they start, also after the agent, and firewalld ends its chain with a reject; an accept in a table of our own could not
 * override either, so they are named.
 */
import { isMembers, type Members, textIn } from './dump.ts';
import { CommandFailed, type Runner } from './runner.ts';

/** A sentence each. A host without nft has no such chains that could be seen. */
export async function forwardPolicyProblems(runner: Runner): Promise<readonly string[]> {
  const parts = await Promise.all([
    nftProblems(runner),
    legacyProblems(runner, 'iptables-legacy', 'ip_tables_names'),
    legacyProblems(runner, 'ip6tables-legacy', 'ip6_tables_names'),
  ]);
  return parts.flat();
}

/** Null: there is no such tool, table or file. */
async function said(runner: Runner, argv: readonly string[]): Promise<string | null> {
  try {
    return await runner.output(argv);
  } catch (error) {
    if (error instanceof CommandFailed) return null;
    throw error;
  }
}

async function nftProblems(runner: Runner): Promise<string[]> {
  const chains = (await nftList(runner, ['list', 'chains'])).flatMap(({ chain }) => (isMembers(chain) ? [chain] : []));
  const forward = chains.filter((chain) => textIn(chain, 'hook') === 'forward');
  const problems = await Promise.all(
    forward.map(async (chain) => {
      const place = ['family', 'table', 'name'].map((key) => textIn(chain, key) ?? '');
      const name = `chain ${place.join(' ')}`;
      if (textIn(chain, 'policy') === 'drop') return [problem(`${name} has the policy drop`)];
      const rules = (await nftList(runner, ['list', 'chain', ...place])).flatMap(({ rule }) => rule ?? []);
      return endsIt(rules.at(-1)) ? [problem(`${name} ends with a rule that lets nothing through`)] : [];
    }),
  );
  return problems.flat();
}

async function nftList(runner: Runner, command: readonly string[]): Promise<Members[]> {
  const text = await said(runner, ['nft', '-j', ...command]);
  const value: unknown = text === null ? null : JSON.parse(text);
  return isMembers(value) && Array.isArray(value['nftables']) ? value['nftables'].filter(isMembers) : [];
}

/** A verdict without any condition. `xt`: a target of iptables that nft does not know by a name of its own. */
function endsIt(rule: unknown): boolean {
  const expressions = isMembers(rule) && Array.isArray(rule['expr']) ? rule['expr'].filter(isMembers) : [];
  const said = expressions.filter((expression) => !('counter' in expression) && !('log' in expression));
  const [verdict] = said;
  if (verdict === undefined || said.length > 1) return false;
  const target = isMembers(verdict['xt']) ? textIn(verdict['xt'], 'name') : null;
  return 'drop' in verdict || 'reject' in verdict || target === 'REJECT' || target === 'DROP';
}

/** Tables of the older kind are invisible to nft, and looking at one makes it: so only where the kernel has it already. */
async function legacyProblems(runner: Runner, tool: string, names: string): Promise<string[]> {
  const tables = (await said(runner, ['cat', `/proc/net/${names}`])) ?? '';
  if (!tables.split('\n').includes('filter')) return [];
  const lines = ((await said(runner, [tool, '-S', 'FORWARD'])) ?? '').trim().split('\n');
  if (lines.includes('-P FORWARD DROP')) return [problem(`chain FORWARD of ${tool} has the policy DROP`)];
  const isEnd = /^-A FORWARD -j (DROP|REJECT)( --reject-with \S+)?$/.test(lines.at(-1) ?? '');
  return isEnd ? [problem(`chain FORWARD of ${tool} ends with a rule that lets nothing through`)] : [];
}

function problem(what: string): string {
  return `${what}: packets of pods pass only where a rule there accepts them`;
}
