import type { Params } from '../params.ts';
import type { ApiRequest } from '../service.ts';

type Read = Pick<ApiRequest, 'service' | 'action' | 'params'>;

const inRequest = ['NextToken', 'ExclusiveStartKey', 'Marker'];
const inAnswer = ['NextToken', 'LastEvaluatedKey', 'NextMarker'];

/** Knows which page of a paged read a call asks for, by the token or key that the page before handed out. */
export class Pages {
  readonly #after = new Map<string, number>();

  /** Counted from 1. A token that nobody handed out counts as a first page's. */
  pageOf(read: Read): number {
    const token = member(read.params, inRequest);
    return token === undefined ? 1 : (this.#after.get(keyOf(read, token)) ?? 1);
  }

  answered(read: Read, answer: Params): void {
    const token = member(answer, inAnswer);
    if (token !== undefined) this.#after.set(keyOf(read, token), this.pageOf(read) + 1);
  }
}

function member(params: Params, names: readonly string[]): unknown {
  return names.map((name) => params[name]).find((value) => value !== undefined && value !== '');
}

function keyOf(read: Read, token: unknown): string {
  return JSON.stringify([read.service, read.action, read.params['TableName'], token]);
}
