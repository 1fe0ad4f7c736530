import type { AwsError } from './service.ts';

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An HTTP request, its body read. */
export interface HttpRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** How a service's answers are spelt. */
export interface Encoding {
  readonly contentType: string;
  answer(answer: Readonly<Record<string, unknown>>, requestId: string): HttpReply;
  error(error: AwsError, requestId: string): HttpReply;
}

/** A request understood: which call it is, and how to answer it. */
export interface Decoded {
  readonly service: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly encoding: Encoding;
}
