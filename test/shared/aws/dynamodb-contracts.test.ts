import { runClaimStoreContract } from '../../contract/claim-store-contract.ts';
import { runDynamoDbContracts } from '../../contract/dynamodb-contracts.ts';
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

runDynamoDbContracts('DynamoDB', startTables);

runMapStoreContract('map store in memory', async () => new FakeMapStore());
runLockContract('lock in memory', async () => new FakeLock());
runSyncStateContract('sync state in memory', async () => new FakeSyncState());
runClaimStoreContract('claim store in memory', async () => {
  const claims = new FakeClaims();
  return { store: claims.as(new Session()), claim: async (arn, claim) => claims.write(arn, claim) };
});
runLeaseBookContract('lease book in memory', async () => new FakeLeasesTable().as(new Session()));
runLeasesContract('leases in memory', async () => {
  const leases = new FakeLeases();
  return {
    leases,
    put: async (...items) => leases.put(...items),
    configure: async (config) => leases.configure(config),
  };
});
