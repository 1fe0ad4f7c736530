/** What the sandbox and a function's process say to each other. */

export interface InvokeMessage {
  readonly type: 'invoke';
  readonly requestId: string;
  readonly event: unknown;
  /** Real milliseconds until the time-out. */
  readonly remainingMs: number;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
}

/** Milliseconds that the sandbox's clock is ahead of the machine's. */
interface ClockMessage {
  readonly type: 'clock';
  readonly offsetMs: number;
}

/** A wait is over: the clock shows its end. */
interface WaitedMessage {
  readonly type: 'waited';
  readonly id: number;
}

export type ToFunction = InvokeMessage | ClockMessage | WaitedMessage;

/** The function sleeps until `until` (ms since the epoch, sandbox clock). */
interface WaitMessage {
  readonly type: 'wait';
  readonly id: number;
  readonly until: number;
}

export interface FunctionErrorBody {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type FromFunction =
  | { readonly type: 'ready' }
  | WaitMessage
  | { readonly type: 'unloadable'; readonly error: FunctionErrorBody }
  | { readonly type: 'result'; readonly requestId: string; readonly payload: string }
  | { readonly type: 'error'; readonly requestId: string; readonly error: FunctionErrorBody };
