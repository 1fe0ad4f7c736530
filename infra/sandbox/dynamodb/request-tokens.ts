/** The memory of TransactWriteItems for `ClientRequestToken`. */
import { AwsError, type SandboxClock } from '../service.ts';

/** A token is remembered for 10 minutes after the transaction succeeded. */
const lifetimeMs = 10 * 60_000;

export class RequestTokens {
  readonly #clock: SandboxClock;
  readonly #done = new Map<string, { readonly request: string; readonly at: number }>();

  constructor(clock: SandboxClock) {
    this.#clock = clock;
  }

  /** Whether this very request was done before; throws when the token came with another one. */
  seen(token: string, request: string): boolean {
    this.#forgetOld();
    const done = this.#done.get(token);
    if (done === undefined) return false;
    if (done.request === request) return true;
    throw new AwsError(
      'IdempotentParameterMismatchException',
      'The client token was used before with other parameters of the request',
    );
  }

  remember(token: string, request: string): void {
    this.#done.set(token, { request, at: this.#clock.now() });
  }

  #forgetOld(): void {
    const oldest = this.#clock.now() - lifetimeMs;
    // A map keeps the order of insertion: the first one that is young enough ends the search.
    for (const [token, { at }] of this.#done) {
      if (at > oldest) return;
      this.#done.delete(token);
    }
  }
}
