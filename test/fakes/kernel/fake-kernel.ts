/**
 * A kernel in memory behind the runner's two verbs: it keeps its state from command to command, refuses what the real one
 * refuses, and prints itself as commands. Tests assert its state, never the order of calls.
 */
import { CommandFailed, type Runner } from '../../../agent/linux/runner.ts';
import { addresses, commandText, fdb, links, neighbours, routes } from './dumps.ts';
import { execute } from './ip-commands.ts';
import { type KernelState, Refused } from './kernel-state.ts';

export interface FakeKernel extends Runner {
  /** As an operator would, with or without `ip` in front; several lines or `;` are several commands. */
  sh(script: string): void;
  text(): string;
  /** Commands that were carried out by the runner and were no reading, in order; batches line by line. */
  readonly writes: string[];
  /** Whatever matches is refused with that answer; null ends it. */
  refuse(pattern: RegExp | null, answer?: string): void;
  /** Called before each command of the runner: for what others do meanwhile. */
  beforeCommand: (command: string) => void;
  state: KernelState;
}

export function fakeKernel(): FakeKernel {
  let refusing: { pattern: RegExp; answer: string } | null = null;

  function write(words: readonly string[]): void {
    const command = words.join(' ');
    if (refusing?.pattern.test(command)) throw new Refused(refusing.answer);
    execute(kernel.state, words);
    kernel.writes.push(command);
  }

  /** As `-force`: goes on after an error of the kernel, except that `ip neigh` ends the batch. */
  function batch(argv: readonly string[], text: string): void {
    const said: string[] = [];
    for (const [index, line] of text.trim().split('\n').entries()) {
      try {
        write(line.split(' '));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        said.push(`${error.message}\nCommand failed -:${index + 1}`);
        if (line.startsWith('neigh')) break;
      }
    }
    if (said.length > 0) throw new CommandFailed(argv, 1, said.join('\n'));
  }

  const kernel: FakeKernel = {
    state: { links: [], routes: [], neighbours: [], fdb: [], ipv6: true },
    writes: [],
    beforeCommand: () => undefined,
    sh(script) {
      for (const line of script.split(/[\n;]/)) {
        const words = line
          .trim()
          .replace(/^(ip|bridge) /, '')
          .split(/\s+/)
          .filter((word) => word !== '');
        if (words.length > 0) execute(kernel.state, words);
      }
    },
    text: () => commandText(kernel.state),
    refuse(pattern, answer = 'RTNETLINK answers: Operation not permitted') {
      refusing = pattern === null ? null : { pattern, answer };
    },
    async run(argv, stdin) {
      kernel.beforeCommand(argv.join(' '));
      if (argv.includes('-batch')) return batch(argv, stdin ?? '');
      try {
        write(argv.slice(1));
      } catch (error) {
        if (error instanceof Refused) throw new CommandFailed(argv, 2, error.message);
        throw error;
      }
    },
    async output(argv) {
      const command = argv.filter((word) => !['-N', '-json', '-details'].includes(word)).join(' ');
      kernel.beforeCommand(command);
      if (refusing?.pattern.test(command)) throw new CommandFailed(argv, 2, refusing.answer);
      const dump = dumps[command];
      if (dump === undefined) throw new Error(`the fake kernel has no dump for: ${command}`);
      const shown = dump(kernel.state);
      return typeof shown === 'string' ? shown : JSON.stringify(shown);
    },
  };
  return kernel;
}

const dumps: Readonly<Record<string, (state: KernelState) => unknown>> = {
  'cat /proc/net/ip_tables_names': () => '',
  'cat /proc/net/ip6_tables_names': () => '',
  'nft -j list chains': () => ({ nftables: [] }),
  'nft list tables': () => '',
  'ip -4 rule show': () => [],
  'ip -6 rule show': () => [],
  'ip link show': links,
  'ip address show': addresses,
  'ip -4 route show': (state) => routes(state, 'ipv4'),
  'ip -6 route show': (state) => routes(state, 'ipv6'),
  'ip neigh show': neighbours,
  'bridge fdb show': fdb,
};
