/** Every metric the functions emit, in namespace `Leaseway` with `Network` as the only dimension. */
export const metricNames = [
  'RoutesCreated',
  'RoutesReplaced',
  'RoutesDeleted',
  'RoutesFailed',
  'BlackholesFound',
  'Drift',
  'Overflow',
  'GuardRefusals',
  'StaleLeases',
  'Rejects',
  'EventToRouteMs',
] as const;
