import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

export interface EmptyAws {
  readonly url: string;
  /** Every action that was called. */
  readonly actions: string[];
  close(): void;
}

/** An account in which nothing is: reads find nothing, and writes, messages and events are taken. */
export async function emptyAws(): Promise<EmptyAws> {
  const actions: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const target = String(request.headers['x-amz-target'] ?? '');
    const action = target.split('.')[1] ?? new URLSearchParams(body).get('Action') ?? '';
    actions.push(action);
    response.setHeader('content-type', target ? 'application/x-amz-json-1.0' : 'text/xml');
    response.end(target ? JSON.stringify(answerTo(action, JSON.parse(body))) : `<${action}Response/>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    actions,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerTo(action: string, request: { Entries?: unknown[]; MessageBody?: string }): unknown {
  if (action === 'PutEvents') {
    return { FailedEntryCount: 0, Entries: request.Entries?.map((_, at) => ({ EventId: `event-${at}` })) };
  }
  if (action === 'SendMessage') {
    const md5 = createHash('md5').update(String(request.MessageBody)).digest('hex');
    return { MessageId: 'message', MD5OfMessageBody: md5 };
  }
  if (action === 'Query') return { Items: [], Count: 0, ScannedCount: 0 };
  return {};
}
