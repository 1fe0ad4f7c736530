/** Point-in-time recovery as a setting that can be switched and read; the sandbox keeps no backups. */
import { AwsError } from '../service.ts';
import type { Params } from './engine.ts';
import type { World } from './world.ts';

export function updateContinuousBackups(world: World, params: Params): Params {
  const table = world.tables.get(params['TableName']);
  const { PointInTimeRecoveryEnabled } = (params['PointInTimeRecoverySpecification'] ?? {}) as Params;
  if (typeof PointInTimeRecoveryEnabled !== 'boolean') {
    throw new AwsError('ValidationException', 'PointInTimeRecoverySpecification needs PointInTimeRecoveryEnabled');
  }
  table.recoverableSince = PointInTimeRecoveryEnabled ? (table.recoverableSince ?? world.clock.now()) : undefined;
  return describeContinuousBackups(world, params);
}

export function describeContinuousBackups(world: World, params: Params): Params {
  const { recoverableSince } = world.tables.get(params['TableName']);
  return {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription:
        recoverableSince === undefined
          ? { PointInTimeRecoveryStatus: 'DISABLED' }
          : {
              PointInTimeRecoveryStatus: 'ENABLED',
              EarliestRestorableDateTime: recoverableSince / 1000,
              LatestRestorableDateTime: world.clock.now() / 1000,
            },
    },
  };
}
