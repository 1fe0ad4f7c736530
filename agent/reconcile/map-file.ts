/** Maps from a file, however it is replaced: its content is compared, not its time. */
import { readFile } from 'node:fs/promises';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import { readMap } from '../../shared/domain/read-map.ts';
import type { MapListener, MapSource } from './ports.ts';

const pollMilliseconds = 250;

export function mapFile(path: string): MapSource {
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let last: string | null = null;
  let reading: Promise<void> = Promise.resolve();

  async function read(listener: MapListener): Promise<void> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      last = null;
      if (!closed) listener.unreadable(`${path}: ${String(error)}`);
      return;
    }
    if (closed || text === last) return;
    last = text;
    try {
      listener.map(readMap(JSON.parse(text)));
    } catch (error) {
      if (!(error instanceof InvalidInput || error instanceof SyntaxError)) throw error;
      listener.unreadable(`${path}: ${error.message}`);
    }
  }

  function next(listener: MapListener): void {
    reading = read(listener);
    void reading.then(() => {
      if (!closed) timer = setTimeout(next, pollMilliseconds, listener);
    });
  }

  return {
    start: next,
    async close() {
      closed = true;
      clearTimeout(timer);
      await reading;
    },
  };
}
