import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoClaimStore } from '../../../shared/aws/claim-store.ts';
import { dynamoLeaseBook } from '../../../shared/aws/lease-book.ts';
import { dynamoLock } from '../../../shared/aws/lock.ts';
import { dynamoMapStore } from '../../../shared/aws/map-store.ts';
import { dynamoSyncState } from '../../../shared/aws/sync-state.ts';
import { claimItem } from '../../../shared/domain/claim.ts';
import { runClaimStoreContract } from '../../contract/claim-store-contract.ts';
import { runLeaseBookContract } from '../../contract/lease-book-contract.ts';
import { runLeasesContract } from '../../contract/leases-contract.ts';
import { runLockContract } from '../../contract/lock-contract.ts';
import { runMapStoreContract } from '../../contract/map-store-contract.ts';
import { runSyncStateContract } from '../../contract/sync-state-contract.ts';
import { Session } from '../../fakes/keeper/faults.ts';
import { FakeClaims, FakeLeases as FakeLeasesTable } from '../../fakes/keeper/tables.ts';
import { FakeLeases } from '../../fakes/reconcile/leases.ts';
import { FakeLock } from '../../fakes/reconcile/lock.ts';
import { FakeMapStore } from '../../fakes/reconcile/map-store.ts';
import { FakeSyncState } from '../../fakes/reconcile/sync-state.ts';
import { startTables } from './dynamodb-subject.ts';

runMapStoreContract('map store of DynamoDB', async (t) =>
  dynamoMapStore({ ...(await startTables(t)), tableName: 'map' }),
);
runMapStoreContract('map store in memory', async () => new FakeMapStore());

runLockContract('lock of DynamoDB', async (t) => dynamoLock({ ...(await startTables(t)), tableName: 'map' }));
runLockContract('lock in memory', async () => new FakeLock());

runSyncStateContract('sync state of DynamoDB', async (t) =>
  dynamoSyncState({ ...(await startTables(t)), tableName: 'map' }),
);
runSyncStateContract('sync state in memory', async () => new FakeSyncState());

runClaimStoreContract('claim store of DynamoDB', async (t) => {
  const table = { ...(await startTables(t)), tableName: 'claims' };
  return {
    store: dynamoClaimStore(table),
    claim: async (pk, claim) => {
      const Item = { ...claimItem(claim), pk, sk: 'claim' };
      await table.client.send(new PutCommand({ TableName: 'claims', Item }));
    },
  };
});
runClaimStoreContract('claim store in memory', async () => {
  const claims = new FakeClaims();
  return { store: claims.as(new Session()), claim: async (arn, claim) => claims.write(arn, claim) };
});

runLeaseBookContract('lease book of DynamoDB', async (t) =>
  dynamoLeaseBook({ ...(await startTables(t)), tableName: 'leases' }),
);
runLeaseBookContract('lease book in memory', async () => new FakeLeasesTable().as(new Session()));

runLeasesContract('leases of DynamoDB', async (t) => {
  const leases = dynamoLeaseBook({ ...(await startTables(t)), tableName: 'leases' });
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
runLeasesContract('leases in memory', async () => {
  const leases = new FakeLeases();
  return {
    leases,
    put: async (...items) => leases.put(...items),
    configure: async (config) => leases.configure(config),
  };
});
