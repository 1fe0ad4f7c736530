/** One lease command to one answer. */
import { type Command, parseCommand } from '../domain/command.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import { advertiseAddress } from './advertise-address.ts';
import { applyNetwork, retireRange, showNetwork } from './apply-network.ts';
import type { CommandPorts } from './command-ports.ts';
import { listLeases, showLease } from './find-leases.ts';
import { releaseLease } from './release-lease.ts';
import { reserveSubnet } from './reserve-subnet.ts';

interface CommandError {
  /** Path of the field in the command, such as `config.Network`; empty where no field is to blame. */
  readonly field: string;
  readonly message: string;
}

/**
 * What is wrong with a command, or stands against it, is its answer: `{ok: false, error}`, with nothing changed. Only a
 * failing table is thrown.
 */
export async function runCommand(ports: CommandPorts, input: unknown) {
  try {
    return { ok: true as const, ...(await answerOf(ports, parseCommand(input))) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const field = error.field.replace(/^\./, '');
    return {
      ok: false as const,
      error: { field, message: error.message.replace(/^[.: ]+/, '') } satisfies CommandError,
    };
  }
}

export type CommandResult = Awaited<ReturnType<typeof runCommand>>;

async function answerOf(ports: CommandPorts, command: Command) {
  switch (command.command) {
    case 'list':
      return listLeases(ports, command);
    case 'show':
      return showLease(ports, command);
    case 'release':
      return releaseLease(ports, command);
    case 'reserve':
      return reserveSubnet(ports, command);
    case 'advertise':
      return advertiseAddress(ports, command);
    case 'network-show':
      return showNetwork(ports);
    case 'network-apply':
      return applyNetwork(ports, command);
    case 'network-retire':
      return retireRange(ports, command);
  }
}
