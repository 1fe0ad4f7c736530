/** `--listen`: an address and a port, such as 127.0.0.1:9476 or [::1]:9476; `off` for neither. */
import { tryParseAddress } from '../../shared/domain/cidr.ts';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** @throws InvalidInput */
export function parseListen(text: string, field = '--listen'): ListenAddress | null {
  if (text === 'off') return null;
  const [, bracketed, bare, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = tryParseAddress(bracketed ?? bare)?.text ?? (bare === 'localhost' ? '127.0.0.1' : null);
  const port = Number(digits);
  if (host === null || !(port <= 65_535)) {
    throw new InvalidInput(field, text, 'is no address and port such as 127.0.0.1:9476 or [::1]:9476, nor `off`');
  }
  return { host, port };
}
