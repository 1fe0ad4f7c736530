/**
 * Chains that drop what nobody accepted. Container engines set such a policy when they start, also after the agent; an
 * accept in a table of our own could not override it, so it is named.
 */
import { isMembers, type Members, textIn } from './dump.ts';
import { CommandFailed, type Runner } from './runner.ts';

/** A sentence each. A host without nft has no such chains that could be seen. */
export async function forwardPolicyProblems(runner: Runner): Promise<readonly string[]> {
  let text: string;
  try {
    text = await runner.output(['nft', '-j', 'list', 'chains']);
  } catch (error) {
    if (error instanceof CommandFailed) return [];
    throw error;
  }
  const value: unknown = JSON.parse(text);
  const entries = isMembers(value) && Array.isArray(value['nftables']) ? value['nftables'].filter(isMembers) : [];
  return entries.flatMap((entry) => (isMembers(entry['chain']) ? problemOf(entry['chain']) : []));
}

function problemOf(chain: Members): string[] {
  if (textIn(chain, 'hook') !== 'forward' || textIn(chain, 'policy') !== 'drop') return [];
  const name = ['family', 'table', 'name'].map((key) => textIn(chain, key)).join(' ');
  return [`chain ${name} has the policy drop: packets of pods pass only where a rule there accepts them`];
}
