/** The answering side of every probe, and a single packet. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Echoed, echoPort } from './endpoint-messages.ts';

/** Echoes on the UDP and TCP port of both families; a UDP answer is the question's tag and the address it came from. */
export async function startEchoes(): Promise<void> {
  await listenUdp('0.0.0.0');
  await listenUdp('::');
  const server = createServer((connection) => {
    connection.setNoDelay(true);
    connection.on('error', () => connection.destroy());
    connection.pipe(connection);
  });
  server.listen(echoPort, '::');
  await once(server, 'listening');
}

/** Answers from exactly this address: a wildcard socket answers from whichever the route back prefers. */
export async function listenUdp(address: string): Promise<void> {
  const type = address.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({ type, ipv6Only: type === 'udp6', reuseAddr: true, recvBufferSize: 1 << 20 });
  socket.on('message', (message, peer) => {
    const answer = `${message.subarray(0, message.indexOf(' '))} ${peer.address}`;
    socket.send(answer, peer.port, peer.address, () => undefined); // Its loss is what the other side measures.
  });
  socket.bind(echoPort, address);
  await once(socket, 'listening');
}

export const socketFor = (to: string): Socket =>
  createSocket({ type: to.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 });

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** Sends one packet from a connected socket, which hears of ICMP errors. */
export async function sendEcho(to: string, timeoutMs: number, bytes: number): Promise<Echoed> {
  const socket = socketFor(to);
  try {
    return await new Promise<Echoed>((resolve) => {
      const fail = (error: unknown) => resolve({ outcome: 'error', code: codeOf(error) });
      socket.once('error', fail);
      socket.once('message', (message) =>
        resolve({ outcome: 'answered', seenFrom: message.toString().split(' ')[1] ?? '' }),
      );
      setTimeout(() => resolve({ outcome: 'silence' }), timeoutMs);
      socket.connect(echoPort, to, (error?: Error) => {
        if (error) fail(error);
        else socket.send('1 '.padEnd(bytes, '.'), (refusal) => refusal && fail(refusal));
      });
    });
  } finally {
    socket.close();
  }
}
