/** Ethernet addresses. */
import { InvalidInput } from './invalid-input.ts';

/** One station's address (IEEE 802): the lowest bit of the first octet marks a group's. In lower case. */
export function parseMac(value: unknown, field: string): string {
  if (typeof value !== 'string' || !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(value)) {
    throw new InvalidInput(field, value, 'is not a MAC address such as 02:00:00:00:00:01');
  }
  if (/^[0:]+$/.test(value)) throw new InvalidInput(field, value, 'is all zero');
  if ((Number.parseInt(value.slice(0, 2), 16) & 1) === 1)
    throw new InvalidInput(field, value, 'is a multicast address');
  return value.toLowerCase();
}
