/**
 * The EC2 query protocol: form bodies in, XML out.
 *
 * Source: the AWS SDK's EC2 model (names) and its behaviour against a local stub (shapes), version 2016-11-15.
 */
import { XMLBuilder } from 'fast-xml-parser';
import type { AwsError } from '../service.ts';
import { wireName } from './wire-names.ts';

const namespace = 'http://ec2.amazonaws.com/doc/2016-11-15/';

const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', suppressEmptyNode: true });

export interface DecodedRequest {
  readonly action: string;
  /** Keys as they stand on the wire; `Name.1.Part` unfolded into arrays and objects, scalars still strings. */
  readonly params: Readonly<Record<string, unknown>>;
}

interface Branch {
  text?: string;
  readonly children: Map<string, Branch>;
}

const isIndex = (key: string) => /^[1-9]\d*$/.test(key);

function fold(branch: Branch): unknown {
  if (branch.children.size === 0) return branch.text ?? '';
  const entries = [...branch.children];
  if (!entries.every(([key]) => isIndex(key))) {
    return Object.fromEntries(entries.map(([key, child]) => [key, fold(child)]));
  }
  // EC2 takes the indices as an order only: gaps are allowed, and clients may send them in any sequence.
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, child]) => fold(child));
}

/** Decodes a form body; an absent `Action` gives the empty action, which the service does not know. */
export function decodeEc2Request(body: string): DecodedRequest {
  const root: Branch = { children: new Map() };
  for (const [path, text] of new URLSearchParams(body)) {
    let branch = root;
    for (const part of path.split('.')) {
      const next = branch.children.get(part) ?? { children: new Map() };
      branch.children.set(part, next);
      branch = next;
    }
    branch.text = text;
  }
  const action = root.children.get('Action')?.text ?? '';
  const params = [...root.children].filter(([key]) => key !== 'Action' && key !== 'Version');
  return { action, params: Object.fromEntries(params.map(([key, child]) => [key, fold(child)])) };
}

function toXml(value: unknown, inside: string): unknown {
  if (Array.isArray(value)) return value.length === 0 ? '' : { item: value.map((item) => toXml(item, inside)) };
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return Object.fromEntries(members.map(([name, member]) => [wireName(inside, name), toXml(member, name)]));
}

/** Encodes an answer, its members named as the API model names them (`{ RouteTables: [...], NextToken }`). */
export function encodeEc2Answer(action: string, answer: Readonly<Record<string, unknown>>, requestId: string): string {
  const members = toXml(answer, '') as Record<string, unknown>;
  return xml({ [`${action}Response`]: { '@xmlns': namespace, requestId, ...members } });
}

export function encodeEc2Error(error: AwsError, requestId: string): string {
  return xml({
    Response: { Errors: { Error: { Code: error.code, Message: error.message } }, RequestID: requestId },
  });
}

const xml = (document: unknown) => `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(document)}`;
