/** The terminal as the commands see it: handed in, so that nothing below `main.ts` reaches for the process. */
import type { Paint } from '../shared/domain/render-plan-text.ts';

export interface Console {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line, or several, to standard output. */
  print(text: string): void;
  /** Writes a line to standard error. */
  note(text: string): void;
  /** Whether both go to a terminal: whoever reads the one reads the other. */
  readonly isTerminal: boolean;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** Asks and gives the answer's first line; null where nobody can answer. */
  ask(question: string): Promise<string | null>;
  /** How text looks on standard output: plain unless that is a terminal. */
  paint(): Promise<Paint>;
}

/** Two spaces, members in the order they were put in. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
