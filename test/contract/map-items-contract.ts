/** What every `MapItems` does, with the publisher of maps at the other end. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { MapItems } from '../../agent/watch/map-items.ts';
import { mapOf, readHead, readPart } from '../../shared/aws/map-items.ts';
import type { MapStore } from '../../shared/reconcile/ports.ts';
import { describeContract } from './describe-contract.ts';
import { mapContent } from './map-store-contract.ts';

export interface MapItemsSubject {
  items(network: string): MapItems;
  /** Of the network `default`. */
  readonly maps: MapStore;
}

const { signal } = new AbortController();

export function runMapItemsContract(name: string, make: (t: TestContext) => Promise<MapItemsSubject>): void {
  describeContract(name, make, {}, (contract) => {
    contract('has nothing before the first map', async ({ items }) => {
      for (const consistent of [true, false]) {
        assert.equal(await items('default').get('head', consistent, signal), null);
      }
    });

    contract('gives the head and each part that it names', async ({ items, maps }) => {
      const content = mapContent(450);
      await maps.publish(content, null, 1234);
      const head = await items('default').get('head', true, signal);
      assert.ok(head);
      const read = readHead(head);
      const parts = [];
      for (const part of read.parts) parts.push(readPart(part, await items('default').get(part, true, signal)));
      assert.ok(parts.length > 1);
      assert.deepEqual(mapOf(read, parts), { schema: 1, epoch: 1234, revision: 1, ...content });
    });

    contract('gives nothing of another network', async ({ items, maps }) => {
      await maps.publish(mapContent(1), null, 1234);
      assert.equal(await items('another').get('head', true, signal), null);
    });
  });
}
