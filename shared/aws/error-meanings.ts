/**
 * What the error codes of AWS mean for us. This file alone knows codes and message texts.
 *
 * EC2 models no exceptions: the SDK gives every refusal the code as `name` and the status in `$metadata`, and nothing
 * that says whether to try again. An answer that is no XML, of a proxy or a load balancer, ends in an error of the
 * parser without a code. Sources: EC2's list of error codes, and the wire texts that users quote.
 */
import { type Meaning, Refusal } from '../reconcile/ports.ts';

/** Codes in lower case: EC2 writes `InvalidRouteTableID.NotFound` and `InvalidRouteTableId.Malformed`. */
const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...of('exists', 'RouteAlreadyExists'),
  ...of('no-route', 'InvalidRoute.NotFound'),
  ...of('no-table', 'InvalidRouteTableID.NotFound'),
  ...of('full', 'RouteLimitExceeded'),
  ...of('no-target', 'InvalidNetworkInterfaceID.NotFound', 'InvalidInstanceID.NotFound'),
  ...of(
    'denied',
    'UnauthorizedOperation',
    'AccessDenied',
    'AccessDeniedException',
    'AuthFailure',
    'Blocked',
    'OptInRequired',
    'PendingVerification',
    'InvalidClientTokenId',
    'UnrecognizedClientException',
    'MissingAuthenticationToken',
    'SignatureDoesNotMatch',
    'InvalidSignatureException',
    // The SDK's own: nowhere to take credentials from.
    'CredentialsProviderError',
  ),
  ...of(
    'throttled',
    'RequestLimitExceeded',
    'Throttling',
    'ThrottlingException',
    'ThrottledException',
    'RequestThrottled',
    'RequestThrottledException',
    'TooManyRequestsException',
    'BandwidthLimitExceeded',
    'EC2ThrottledException',
    'PriorRequestNotComplete',
    'ProvisionedThroughputExceededException',
    'SlowDown',
  ),
  ...of(
    'transient',
    'InternalError',
    'InternalFailure',
    'InternalServerError',
    'ServerInternal',
    'Unavailable',
    'ServiceUnavailable',
    'RequestTimeout',
    'RequestTimeoutException',
    // Credentials that ran out on the way: the next call has new ones.
    'RequestExpired',
    'ExpiredToken',
    'ExpiredTokenException',
    // `DeleteRoute` answers this while a table is being changed elsewhere (Terraform's provider repeats it as well).
    'InvalidParameterException',
    // A page that is no longer known: the read starts anew.
    'InvalidNextToken',
    'InvalidPaginationToken',
    'TransactionInProgressException',
    'TransactionConflictException',
  ),
]);

/** Names of errors that stand for an answer in which no code could be found. */
// `NotFound` is the SDK's name for a 404 without a code.
const unreadable = new Set(['unknown', 'unknownerror', 'notfound', 'error', 'typeerror', 'syntaxerror', '']);

/** Puts whatever the SDK threw into our words. An error that was put so already stays as it is. */
export function refusal(action: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { name, code, message, status } = read(error);
  return new Refusal(meaningOf(action, name, message, status), action, code, safeText(message), {
    cause: safeCause(error, message),
  });
}

function meaningOf(action: string, name: string, message: string, status: number | null): Meaning {
  const key = name.toLowerCase();
  const known = meanings.get(key);
  if (known !== undefined) return known;
  // EC2 has no code of its own for it.
  if (action === 'ReplaceRoute' && key === 'invalidparametervalue' && /no route defined/i.test(message)) {
    return 'no-route';
  }
  if (status === 429) return 'throttled';
  // Nothing came back (time-out, reset, abort), or nothing that has a code, or a code of the server's own trouble.
  if (status === null || status < 400 || status >= 500 || unreadable.has(key)) return 'transient';
  return status === 403 ? 'denied' : 'invalid';
}

/** Whether a conditional write found the item other than expected: it then wrote nothing. */
export function isConditionFailed(error: unknown): boolean {
  return refusalCode(error) === 'ConditionalCheckFailedException';
}

/**
 * Why DynamoDB cancelled a transaction; null for any other error. In every case nothing was written.
 *
 * - `condition`: a condition failed.
 * - `busy`: another transaction was at the same items, or the table throttled: the same may work in a moment.
 * - `invalid`: DynamoDB will not have it.
 */
export function cancellationOf(error: unknown): 'condition' | 'busy' | 'invalid' | null {
  const cause = error instanceof Refusal ? error.cause : error;
  if (refusalCode(error) !== 'TransactionCanceledException') return null;
  const reasons = (cause as { CancellationReasons?: readonly { Code?: string }[] }).CancellationReasons ?? [];
  const codes = new Set(reasons.map(({ Code }) => Code ?? 'None').filter((code) => code !== 'None'));
  if (codes.has('ConditionalCheckFailed')) return 'condition';
  if (codes.has('ValidationError') || codes.has('ItemCollectionSizeLimitExceeded')) return 'invalid';
  return 'busy';
}

/** Whether EventBridge may accept an entry later that it refused with this code. */
export function isWorthAnotherTry(entryCode: string): boolean {
  const meaning = meanings.get(entryCode.toLowerCase());
  return meaning === 'throttled' || meaning === 'transient';
}

function refusalCode(error: unknown): string {
  return error instanceof Refusal ? error.code : read(error).code;
}

/** Reads an error without trusting its shape: parsers throw all sorts of things. */
function read(error: unknown): { name: string; code: string; message: string; status: number | null } {
  if (typeof error !== 'object' || error === null) {
    return { name: '', code: 'Unknown', message: String(error), status: null };
  }
  const { name, code, message, $metadata } = error as {
    name?: unknown;
    code?: unknown;
    message?: unknown;
    $metadata?: { httpStatusCode?: unknown };
  };
  const status = $metadata?.httpStatusCode;
  const text = typeof name === 'string' ? name : '';
  // Node's own name for trouble of the network (ECONNRESET) says more than `Error`.
  const systemCode = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : null;
  return {
    name: text,
    code: systemCode ?? (text === '' ? 'Unknown' : text),
    message: typeof message === 'string' ? message : '',
    status: typeof status === 'number' ? status : null,
  };
}

/** What goes with a refused permission: it says much about the account. */
const encoded = /\s*Encoded authorization failure message:.*$/is;

/** One line, without the encoded message. */
function safeText(message: string): string {
  return (message.replace(encoded, '').split('\n', 1)[0] ?? '').trimEnd();
}

/** Logs print causes as well, so that one with an encoded message is not kept. */
function safeCause(error: unknown, message: string): unknown {
  return encoded.test(message) ? new Error(safeText(message)) : error;
}

function of(meaning: Meaning, ...codes: readonly string[]): [string, Meaning][] {
  return codes.map((code) => [code.toLowerCase(), meaning]);
}
