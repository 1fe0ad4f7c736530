/** The ENI behind a network interface of the host. */
import type { Imds } from './imds.ts';

export interface Eni {
  readonly eniId: string;
  readonly subnetId: string | null;
  /** The first of the first network card: what the keeper takes when a claim names none. */
  readonly isPrimary: boolean;
}

/** Null: no ENI of this instance has the MAC. @throws ImdsUnavailable */
export async function readEni(imds: Imds, mac: string): Promise<Eni | null> {
  const folder = `/latest/meta-data/network/interfaces/macs/${mac.toLowerCase()}`;
  const eniId = await imds.get(`${folder}/interface-id`);
  if (eniId === null) return null;
  return {
    eniId,
    subnetId: await imds.get(`${folder}/subnet-id`),
    isPrimary:
      (await imds.get(`${folder}/device-number`)) === '0' &&
      ((await imds.get(`${folder}/network-card`)) ?? '0') === '0',
  };
}
