/** What the kernel announces in a namespace while a test goes on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pause } from './until.ts';

export class Monitor {
  readonly #child: ChildProcess;
  #text = '';

  private constructor(namespace: string) {
    this.#child = spawn('ip', ['-n', namespace, 'monitor', 'link', 'address', 'route', 'neigh', 'rule'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.#text += text;
    });
  }

  /** Settles when the monitor listens: a tool says nothing of that, so a change of ours is made until it is shown. */
  static async start(namespace: string, poke: () => Promise<void>): Promise<Monitor> {
    const monitor = new Monitor(namespace);
    for (let tries = 0; monitor.#text === ''; tries += 1) {
      if (tries > 200) throw new Error('ip monitor shows nothing');
      await poke();
      await pause(20);
    }
    monitor.#text = '';
    await pause(100);
    monitor.#text = '';
    return monitor;
  }

  /** All that was announced since the start. */
  get text(): string {
    return this.#text;
  }

  /**
   * Changes since the start that somebody asked for: not the kernel's own bookkeeping of dynamic neighbours, which comes
   * and goes with traffic.
   */
  get changes(): readonly string[] {
    const lines = this.#text.split('\n').filter((line) => line.trim() !== '');
    return lines.filter((line) => {
      if (line.startsWith(' ')) return false; // The rest of a link's announcement.
      // Links of pods are announced a second after they came up.
      if (/^(Deleted )?\d+: /.test(line)) return /: (lw6?-\d+|eth0)[@:]/.test(line);
      const dynamic = /\b(REACHABLE|STALE|DELAY|PROBE|INCOMPLETE|FAILED)\b/.test(line);
      return !dynamic || / dev lw6?-/.test(line);
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
