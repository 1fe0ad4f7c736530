import type { Params } from '../params.ts';

/** One API call as `GET /_sandbox/calls` shows it. */
export interface Call {
  readonly service: string;
  readonly action: string;
  readonly parameters: Params;
  /** ms since the epoch, sandbox clock, at which it came in */
  readonly time: number;
  /** Undefined while it runs. Status 0: the caller got no answer. */
  outcome?: {
    readonly status: number;
    readonly error?: string;
    /** Whether the service carried it out, whatever the caller was told. */
    readonly carriedOut: boolean;
  };
  /** Access key id. */
  readonly caller: string;
  /** Name of the function, when the caller is one of the template's. */
  readonly function?: string;
}

/** Every API call since the start or the last clearing, in the order they came in. */
export class CallLog {
  #calls: Call[] = [];

  get calls(): readonly Call[] {
    return this.#calls;
  }

  add(call: Call): Call {
    this.#calls.push(call);
    return call;
  }

  clear(): void {
    this.#calls = [];
  }
}
