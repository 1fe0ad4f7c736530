/** A TCP connection that carries a number each few milliseconds there and back. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { codeOf } from './endpoint-echo.ts';
import { type ExchangeReport, echoPort } from './endpoint-messages.ts';

/** Longer than a few retransmissions: what counts is that nothing is missing in the end. */
const graceMs = 3000;

export class Exchange {
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #echoed = 0;
  #rest = '';
  #broken: string | null = null;
  #lastEcho = performance.now();
  #longestGapMs = 0;

  private constructor(socket: Socket, everyMs: number) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('utf8');
    socket.on('error', (error) => this.#end(codeOf(error)));
    socket.on('close', () => this.#end('closed'));
    socket.on('data', (text: string) => this.#take(text));
    this.#timer = setInterval(() => {
      if (this.#broken !== null) return;
      this.#sent += 1;
      socket.write(`${this.#sent}\n`);
    }, everyMs);
  }

  static async start(to: string, everyMs: number, from?: string): Promise<Exchange> {
    const socket = connect({ port: echoPort, host: to, ...(from !== undefined && { localAddress: from }) });
    await once(socket, 'connect');
    return new Exchange(socket, everyMs);
  }

  async stop(): Promise<ExchangeReport> {
    clearInterval(this.#timer);
    const end = performance.now() + graceMs;
    while (this.#echoed < this.#sent && this.#broken === null && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const report = {
      sent: this.#sent,
      echoed: this.#echoed,
      longestGapMs: Math.round(this.#longestGapMs),
      broken: this.#broken,
    };
    this.#socket.destroy();
    return report;
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (Number(line) !== this.#echoed + 1) this.#end(`out of order: ${line}`);
      this.#echoed += 1;
    }
    const now = performance.now();
    this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastEcho);
    this.#lastEcho = now;
  }

  #end(why: string): void {
    this.#broken ??= why;
  }
}
