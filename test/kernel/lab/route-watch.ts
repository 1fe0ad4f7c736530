/** Asks the kernel for the route to an address over and over, in a namespace of its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { inNamespace } from './command.ts';

/** A batch of lookups without a pause between them: what `ip route get` answers while somebody changes the table. */
export class RouteWatch {
  readonly #child: ChildProcess;
  #answers = 0;
  #failures = '';

  constructor(namespace: string, address: string) {
    // `ip -batch` reads one line after the other; with -force a failed lookup ends nothing.
    const script = `while :; do i=0; while [ $i -lt 200 ]; do echo "route get ${address}"; i=$((i+1)); done; sleep 0.01; done | ip -force -batch -`;
    const [file = '', ...rest] = inNamespace(namespace, ['sh', '-c', script]);
    this.#child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#answers += text.split(`${address} `).length - 1;
      for (const line of text.split('\n'))
        if (/unreachable|blackhole|prohibit/.test(line)) this.#failures += `${line}\n`;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#failures += text;
    });
  }

  /** Gives how often it was answered, and what was said when it was not. */
  async stop(): Promise<{ readonly answers: number; readonly failures: string }> {
    const ended = once(this.#child, 'close');
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    await ended;
    return { answers: this.#answers, failures: this.#failures };
  }
}
