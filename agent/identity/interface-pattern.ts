/**
 * What `--interface` says: a name (`eth1`), an address (`10.0.1.10`), a pattern of either with `*`, `?` and `[...]`
 * (`ens*`, `10.0.1.*`), or a regular expression between slashes (`/^en[ps]/`).
 */
import { tryParseAddress } from '../../shared/domain/cidr.ts';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import type { HostLink } from './host-network.ts';

export type LinkTest = (link: HostLink) => boolean;

/** @throws InvalidInput on a pattern that cannot be one */
export function linkTest(text: string, field = '--interface'): LinkTest {
  if (text === '') throw new InvalidInput(field, text, 'is empty');
  const address = tryParseAddress(text);
  if (address !== null) return (link) => link.addresses.some((own) => own.address === address.text);
  const pattern = interfacePattern(text, field);
  if (pattern === null) return (link) => link.name === text;
  return (link) => pattern.test(link.name) || link.addresses.some((own) => pattern.test(own.address));
}

/** Null: the text is a plain name. @throws InvalidInput on a pattern that cannot be one */
export function interfacePattern(text: string, field = '--interface'): RegExp | null {
  const expression = /^\/(.+)\/$/.exec(text)?.[1];
  if (expression !== undefined) return compile(expression, text, field);
  return /[*?[]/.test(text) ? compile(globSource(text), text, field) : null;
}

function compile(source: string, text: string, field: string): RegExp {
  try {
    return new RegExp(source);
  } catch (cause) {
    throw new InvalidInput(field, text, 'is not a pattern', { cause });
  }
}

function globSource(glob: string): string {
  const parts = glob.split(/(\*|\?|\[!?[^\]]+\])/).map((part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    if (part.startsWith('[') && part.endsWith(']')) return part.replace(/^\[!/, '[^');
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return `^${parts.join('')}$`;
}
