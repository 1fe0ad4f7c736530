/** The contracts of everything that lies in DynamoDB, for whatever claims to be DynamoDB. */
import type { TestContext } from 'node:test';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoNodeClaims } from '../../agent/claim/node-claims.ts';
import { dynamoMapItems } from '../../agent/watch/map-items.ts';
import { dynamoClaimStore } from '../../shared/aws/claim-store.ts';
import { dynamoLeaseBook } from '../../shared/aws/lease-book.ts';
import { dynamoLock } from '../../shared/aws/lock.ts';
import { dynamoMapStore } from '../../shared/aws/map-store.ts';
import { dynamoSyncState } from '../../shared/aws/sync-state.ts';
import { claimItem } from '../../shared/domain/claim.ts';
import { runClaimStoreContract } from './claim-store-contract.ts';
import { runLeaseBookContract } from './lease-book-contract.ts';
import { runLeasesContract } from './leases-contract.ts';
import { runLockContract } from './lock-contract.ts';
import { runMapItemsContract } from './map-items-contract.ts';
import { runMapStoreContract } from './map-store-contract.ts';
import { runNodeClaimsContract } from './node-claims-contract.ts';
import { runSyncStateContract } from './sync-state-contract.ts';

/** Empty tables with the keys `pk` and `sk`, behind this project's own client. */
export interface Tables {
  readonly client: DynamoDBDocumentClient;
  readonly network: string;
  readonly names: { readonly claims: string; readonly leases: string; readonly map: string };
}

export type StartTables = (t: TestContext) => Promise<Tables>;

/** @param where whose DynamoDB it is, for the names of the suites */
export function runDynamoDbContracts(where: string, startTables: StartTables): void {
  const table = async (t: TestContext, which: keyof Tables['names']) => {
    const { client, network, names } = await startTables(t);
    return { client, network, tableName: names[which] };
  };

  runMapStoreContract(`map store of ${where}`, async (t) => dynamoMapStore(await table(t, 'map')));
  runLockContract(`lock of ${where}`, async (t) => dynamoLock(await table(t, 'map')));
  runSyncStateContract(`sync state of ${where}`, async (t) => dynamoSyncState(await table(t, 'map')));

  runClaimStoreContract(`claim store of ${where}`, async (t) => {
    const claims = await table(t, 'claims');
    return {
      store: dynamoClaimStore(claims),
      claim: async (pk, claim) => {
        const Item = { ...claimItem(claim), pk, sk: 'claim' };
        await claims.client.send(new PutCommand({ TableName: claims.tableName, Item }));
      },
    };
  });

  runNodeClaimsContract(`node's claims of ${where}`, async (t) => {
    const claims = await table(t, 'claims');
    return { node: (arn) => dynamoNodeClaims(claims, arn), keeper: dynamoClaimStore(claims) };
  });

  runMapItemsContract(`map items of ${where}`, async (t) => {
    const map = await table(t, 'map');
    return { items: (network) => dynamoMapItems(map, network), maps: dynamoMapStore(map) };
  });

  runLeaseBookContract(`lease book of ${where}`, async (t) => dynamoLeaseBook(await table(t, 'leases')));

  runLeasesContract(`leases of ${where}`, async (t) => {
    const leases = dynamoLeaseBook(await table(t, 'leases'));
    return {
      leases,
      put: async (...items) => {
        await leases.commit({ leases: items.map((item) => ({ item, expected: null })) });
      },
      configure: async (config) => {
        const item = { text: JSON.stringify(config), revision: 1, appliedAt: 1_793_491_200 };
        await leases.commit({ config: { item, expected: null } });
      },
    };
  });
}
