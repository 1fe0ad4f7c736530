/** The stories: each returns its text. */
import { blackhole, row } from '../shared/domain/world-file.ts';
import { nat, Story } from './story.ts';

function nodeLife(): string {
  const story = new Story(
    "A node's life",
    'Two private tables, each with a NAT gateway of its own. Nodes come, stop, move and go.',
    { rows: [nat] },
  );
  story.lease(1).instance('i-1', 'running');
  story.chapter('The first node joins');
  story.lease(2).instance('i-2', 'running');
  story.chapter('A second node joins');
  story.chapter('Nothing happens');
  story.lease(2, { state: 'leaving' }).instance('i-2', 'stopping');
  story.chapter('The second node is stopping: its pods drain, its route stays');
  story.lease(2, { state: 'withdrawn' }).instance('i-2', 'stopped');
  story.chapter('It has stopped: EC2 shows a blackhole, the lease is kept');
  story.lease(2, { state: 'active' }).instance('i-2', 'running');
  story.chapter('It runs again');
  story.lease(2, { eniId: 'eni-22' });
  story.chapter('It moves to another interface');
  story.take('rtb-b', '10.244.1.0/24');
  story.chapter('Somebody deletes a route by hand');
  story.instance('i-1', 'terminated').lease(1, { state: 'released' });
  story.lease(3, { instanceId: 'i-3' }).instance('i-3', 'running');
  story.chapter('The first node is replaced: the new one has another subnet');
  story.lease(2, { state: 'released' }).instance('i-2', 'terminated');
  story.chapter('The second node is terminated');
  return story.text;
}

function fullTable(): string {
  const story = new Story('A full table', 'Four routes fit into each table: the NAT gateway and three of ours.', {
    rows: [nat],
    leaseway: { RouteLimit: 4 },
  });
  for (const n of [1, 2, 3]) story.lease(n);
  story.chapter('Three nodes fill the tables');
  story.lease(4);
  story.chapter('A fourth node finds no room: what is there stays');
  story.lease(2, { state: 'released' });
  story.chapter('A node leaves: its row goes first, and the fourth has room');
  story.take('rtb-a', '10.244.3.0/24').put('rtb-a', row('10.244.99.0/24', 'eni-stray'));
  story.chapter('In one table a stray row has taken the place of a wanted one');
  story.put('rtb-b', row('192.168.0.0/16', null, { VpcPeeringConnectionId: 'pcx-1' }));
  story.chapter('Somebody else adds a row to the other table: the limit holds, and the youngest lease gives way');
  return story.text;
}

function fullWithFallback(): string {
  const story = new Story(
    'A full table with a fallback',
    'Three routes fit. A lease beyond that is reached over vxlan, and the same leases are chosen for both tables.',
    { rows: [nat], leaseway: { RouteLimit: 3 }, fallback: { Type: 'vxlan' } },
  );
  for (const n of [1, 2, 3]) story.lease(n);
  story.chapter('Three nodes, two places: the oldest leases have them');
  story.lease(1, { state: 'released' });
  story.chapter('The oldest leaves: the next in age is promoted');
  return story.text;
}

function conflict(): string {
  const story = new Story(
    'A conflict',
    "Other people's rows stand where ours belong: they are reported and never touched.",
    {
      rows: [nat, blackhole('10.245.7.0/24', 'eni-other-cluster')],
    },
  );
  story.put('rtb-a', row('10.244.1.0/24', null, { VpcPeeringConnectionId: 'pcx-9' }));
  story.lease(1).lease(2);
  story.chapter('A peering route holds the subnet of a lease in one table');
  story.put('rtb-b', row('10.244.2.128/25', 'eni-vpn'));
  story.chapter('A longer row takes half the traffic of another lease');
  story.take('rtb-a', '10.244.1.0/24').take('rtb-b', '10.244.2.128/25');
  story.chapter('Both are taken back');
  story.put('rtb-a', blackhole('10.244.2.0/24', null));
  story.chapter('A blackhole without any id stands on a leased subnet; that of the other cluster stays as it is');
  return story.text;
}

function guard(): string {
  const story = new Story('The guard', 'Leases vanish: that may be a hole in what was read.', { rows: [nat] });
  for (const n of [1, 2, 3, 4, 5, 6]) story.lease(n);
  story.chapter('Six nodes');
  story.forget(1, 2, 3);
  const digest = story.chapter('Half of the leases table is gone: nothing is deleted');
  if (digest === null) throw new Error('the guard let it through');
  story.force(digest);
  story.chapter('It was meant: the digest lets through what was shown');
  story.lease(4, { state: 'released' }).lease(5, { state: 'released' }).lease(6, { state: 'released' });
  story.chapter('The others are released one by one: that is a fact about each, and is not held back');
  return story.text;
}

export const stories: Readonly<Record<string, () => string>> = {
  'node-life': nodeLife,
  'full-table': fullTable,
  'full-table-with-fallback': fullWithFallback,
  conflict,
  guard,
};
