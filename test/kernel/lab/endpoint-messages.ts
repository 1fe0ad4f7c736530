/** What a test says to the program in a pod's namespace, and what that says back. */

export type Request =
  | { readonly do: 'listen'; readonly on: string }
  | { readonly do: 'echo'; readonly to: string; readonly timeoutMs: number; readonly bytes: number }
  | { readonly do: 'probe'; readonly to: string; readonly everyMs: number; readonly from?: string | undefined }
  | { readonly do: 'exchange'; readonly to: string; readonly everyMs: number; readonly from?: string | undefined }
  | { readonly do: 'lap'; readonly task: number }
  | { readonly do: 'stop'; readonly task: number };

/** One packet: answered (by whom it was seen to come from), not answered, or refused with an error of the kernel. */
export type Echoed =
  | { readonly outcome: 'answered'; readonly seenFrom: string }
  | { readonly outcome: 'silence' }
  | { readonly outcome: 'error'; readonly code: string };

/** A series of packets, each answered or lost. */
export interface ProbeReport {
  readonly sent: number;
  readonly lost: number;
  /** Longest time between two answers, milliseconds. */
  readonly longestGapMs: number;
  /** Refusals of the kernel by code, each of them also lost. */
  readonly errors: Readonly<Record<string, number>>;
}

/** A TCP connection that carries one line each few milliseconds. */
export interface ExchangeReport {
  readonly sent: number;
  readonly echoed: number;
  readonly longestGapMs: number;
  /** Why the connection ended; null while it lives. */
  readonly broken: string | null;
}

export type Answer = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string });

/** UDP and TCP port of every echo. */
export const echoPort = 7;
