/** Who this node is and by which interface it speaks: what its claim says, and what its kernel rows use. */
import type { Runner } from '../linux/runner.ts';
import { type ChosenInterface, chooseInterface, type InterfaceWishes } from './choose-interface.ts';
import { type Eni, readEni } from './eni.ts';
import { readHostNetwork } from './host-network.ts';
import type { Imds } from './imds.ts';
import { type Instance, instanceOf, readInstance } from './instance.ts';

export interface NodeIdentity {
  readonly instance: Instance;
  readonly interface: ChosenInterface;
  /** Null: not known; the keeper then takes the instance's primary one. */
  readonly eni: Eni | null;
}

export interface IdentityOptions extends InterfaceWishes {
  /** For machines that have no metadata service; null: ask it. */
  readonly instanceArn: string | null;
  readonly eniId: string | null;
}

export interface IdentityPorts {
  readonly imds: Imds;
  readonly runner: Runner;
}

/** @throws ImdsUnavailable, InvalidInput, CommandFailed */
export async function readIdentity({ imds, runner }: IdentityPorts, options: IdentityOptions): Promise<NodeIdentity> {
  const chosen = chooseInterface(await readHostNetwork(runner), options);
  const given = options.eniId === null ? null : { eniId: options.eniId, subnetId: null, isPrimary: false };
  if (options.instanceArn !== null) {
    return { instance: instanceOf(options.instanceArn, '--instance'), interface: chosen, eni: given };
  }
  const instance = await readInstance(imds);
  return {
    instance,
    interface: chosen,
    eni: given ?? (chosen.mac === null ? null : await readEni(imds, chosen.mac)),
  };
}

/**
 * The identity as it is now. An instance never becomes another, and a card that kept its MAC kept its ENI: so a renewal
 * needs the metadata service only after the interface was exchanged.
 *
 * @throws ImdsUnavailable, InvalidInput, CommandFailed
 */
export async function refreshIdentity(
  { imds, runner }: IdentityPorts,
  options: IdentityOptions,
  before: NodeIdentity,
): Promise<NodeIdentity> {
  const chosen = chooseInterface(await readHostNetwork(runner), options);
  const isSame = chosen.mac === before.interface.mac || options.eniId !== null || options.instanceArn !== null;
  const eni = isSame ? before.eni : chosen.mac === null ? null : await readEni(imds, chosen.mac);
  return { instance: before.instance, interface: chosen, eni };
}
