/** A packet each few milliseconds, and which of them were answered. */
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { codeOf, socketFor } from './endpoint-echo.ts';
import { echoPort, type ProbeReport } from './endpoint-messages.ts';

/** How long a packet may be under way before it counts as lost: the machine may be busy, the network is not. */
const graceMs = 1500;

export class Probe {
  readonly #socket: Socket;
  readonly #outstanding = new Set<number>();
  #errors: Record<string, number> = {};
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  /** How many of them earlier laps told of. */
  #told = 0;
  #lastAnswer = performance.now();
  #longestGapMs = 0;

  private constructor(socket: Socket, to: string, everyMs: number) {
    this.#socket = socket;
    socket.on('error', (error) => this.#count(error));
    socket.on('message', (message) => {
      const now = performance.now();
      this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastAnswer);
      this.#lastAnswer = now;
      this.#outstanding.delete(Number(message.toString().split(' ')[0]));
    });
    this.#timer = setInterval(() => this.#send(to), everyMs);
  }

  static async start(to: string, everyMs: number, from?: string): Promise<Probe> {
    const socket = socketFor(to);
    socket.bind(0, from);
    await once(socket, 'listening');
    return new Probe(socket, to, everyMs);
  }

  /** What became of the packets since the last lap, or since the start; it goes on. */
  async lap(): Promise<ProbeReport> {
    const last = this.#sent;
    const unanswered = () => [...this.#outstanding].filter((number) => number <= last);
    const end = performance.now() + graceMs;
    while (unanswered().length > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    const lost = unanswered();
    for (const number of lost) this.#outstanding.delete(number);
    const report = {
      sent: last - this.#told,
      lost: lost.length,
      longestGapMs: Math.round(this.#longestGapMs),
      errors: this.#errors,
    };
    this.#told = last;
    this.#longestGapMs = 0;
    this.#errors = {};
    return report;
  }

  async stop(): Promise<ProbeReport> {
    clearInterval(this.#timer);
    const report = await this.lap();
    this.#socket.close();
    return report;
  }

  #send(to: string): void {
    this.#sent += 1;
    this.#outstanding.add(this.#sent);
    this.#socket.send(`${this.#sent} .`, echoPort, to, (error) => error && this.#count(error));
  }

  #count(error: unknown): void {
    const code = codeOf(error);
    this.#errors[code] = (this.#errors[code] ?? 0) + 1;
  }
}
