/**
 * Runs inside a namespace: answers echoes over UDP and TCP, and sends them when told to over the IPC channel. It ends
 * with that channel, so that no killed test leaves it behind.
 *
 * UDP instead of ICMP: it needs no raw socket, a connected socket is told of ICMP errors, and who answered tells whose
 * address the packet carried.
 */

import { listenUdp, sendEcho, startEchoes } from './endpoint-echo.ts';
import { Exchange } from './endpoint-exchange.ts';
import type { Answer, Request } from './endpoint-messages.ts';
import { Probe } from './endpoint-probe.ts';

const tasks = new Map<number, Probe | Exchange>();

async function perform(id: number, request: Request): Promise<unknown> {
  switch (request.do) {
    case 'listen':
      return listenUdp(request.on);
    case 'echo':
      return sendEcho(request.to, request.timeoutMs, request.bytes);
    case 'probe':
      tasks.set(id, await Probe.start(request.to, request.everyMs, request.from));
      return id;
    case 'exchange':
      tasks.set(id, await Exchange.start(request.to, request.everyMs, request.from));
      return id;
    case 'lap': {
      const task = tasks.get(request.task);
      if (!(task instanceof Probe)) throw new Error(`task ${request.task} is no probe`);
      return task.lap();
    }
    case 'stop': {
      const task = tasks.get(request.task);
      tasks.delete(request.task);
      return task?.stop();
    }
  }
}

process.on('disconnect', () => process.exit(0));
process.on('message', async ({ id, request }: { id: number; request: Request }) => {
  let answer: Answer;
  try {
    answer = { id, result: await perform(id, request) };
  } catch (error) {
    answer = { id, error: String(error) };
  }
  process.send?.(answer);
});
await startEchoes();
process.send?.({ id: 0, result: 'ready' } satisfies Answer);
