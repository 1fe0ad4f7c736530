/**
 * Maps from a file that somebody else writes. It is looked at by its path several times a second, never by a watch on an
 * inode: so a rename over it, a new target of a symlink anywhere on the way, a truncation, a removal and a file system
 * without notifications are all one case. Its content counts, whatever its revision says.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AgentMap, readMap } from '../../shared/domain/read-map.ts';
import type { MapListener, MapSource } from '../reconcile/ports.ts';
import { type ClockUntil, ended } from '../stoppable-clock.ts';

export interface FileMapSourceOptions {
  readonly path: string;
  /** Milliseconds between two looks. */
  readonly look?: number;
  /** Milliseconds after a change for which the time stamps prove nothing. */
  readonly racy?: number;
  readonly clockUntil: ClockUntil;
}

/** Milliseconds. A look is one `open` and one `fstat`. */
const usualLook = 200;
/** Milliseconds for which a problem that stays is not said again. */
const repeatProblem = 1_000;
/** Milliseconds: a file changed so lately may change again without a later time stamp (they are as coarse as 10 ms). */
const usuallyRacy = 2_000;
/** Bytes; 4,000 leases are 1.5 MB. Beyond it the path is taken for a mistake. */
const mostBytes = 64 * 1024 * 1024;

export function fileMapSource(options: FileMapSourceOptions): MapSource {
  const { path, look = usualLook, racy = usuallyRacy, clockUntil } = options;
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const run = async (listener: MapListener) => {
    const clock = clockUntil(stop.signal);
    const file = new FileReader(path, racy);
    let told: string | null = null;
    let problem: { text: string; at: number } | null = null;
    while (!stop.signal.aborted) {
      try {
        const content = await file.read(clock.now());
        // After a failure also the old content is said again: the trouble is over.
        if (content !== null && (content !== told || problem !== null)) {
          const map = parse(content);
          if (stop.signal.aborted) return;
          told = content;
          problem = null;
          listener.map(map);
        }
      } catch (error) {
        const text = `${path}: ${error instanceof Error ? error.message : String(error)}`;
        const isNews = problem === null || problem.text !== text || clock.now() - problem.at >= repeatProblem;
        if (isNews && !stop.signal.aborted) {
          problem = { text, at: clock.now() };
          listener.unreadable(text);
        }
      }
      await clock.sleep(look);
    }
  };
  return {
    start: (listener) => {
      running = ended(run(listener), stop.signal);
    },
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

function parse(content: string): AgentMap {
  let value: unknown;
  try {
    // RFC 8259, 8.1: a reader may ignore a byte-order mark.
    value = JSON.parse(content.replace(/^\ufeff/, ''));
  } catch (cause) {
    // Half written, or no map at all; the parser's words may quote any part of it.
    throw new Error(content.trim() === '' ? 'is empty' : 'is not JSON (half written?)', { cause });
  }
  return readMap(value);
}

class FileReader {
  readonly #path: string;
  readonly #racy: number;
  #seen: string | null = null;
  #content: string | null = null;

  constructor(path: string, racy: number) {
    this.#path = path;
    this.#racy = racy;
  }

  /** The content; the same one as before, unread, while the file looks untouched. @throws when there is none */
  async read(now: number): Promise<string | null> {
    // A pipe at the path would hold up an opening that blocks.
    const file = await open(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat({ bigint: true });
      if (!stat.isFile()) throw new Error('is no plain file');
      if (stat.size > mostBytes) throw new Error(`is too large for a map: ${stat.size} bytes`);
      const seen = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
      const isSettled = now - Number(stat.ctimeMs) > this.#racy;
      if (seen === this.#seen && isSettled) return this.#content;
      this.#content = await file.readFile('utf8');
      this.#seen = isSettled ? seen : null;
      return this.#content;
    } catch (error) {
      this.#seen = null;
      throw error;
    } finally {
      await file.close();
    }
  }
}
