/** A map from a file, read once. */
import { readFile } from 'node:fs/promises';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import { readMap } from '../../shared/domain/read-map.ts';
import type { MapSource } from './ports.ts';

export function mapFileOnce(path: string): MapSource {
  return {
    start(listener) {
      void readFile(path, 'utf8').then(
        (text) => {
          try {
            listener.map(readMap(JSON.parse(text)));
          } catch (error) {
            const known = error instanceof InvalidInput || error instanceof SyntaxError;
            if (!known) throw error;
            listener.unreadable(`${path}: ${error.message}`);
          }
        },
        (error: unknown) => listener.unreadable(`${path}: ${String(error)}`),
      );
    },
    close: async () => undefined,
  };
}
