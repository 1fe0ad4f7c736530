import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkConfig } from '../../../shared/domain/network-config.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { refusesWith } from './refusal.ts';

const awsVpc = { Type: 'aws-vpc', RouteTableID: ['rtb-a', 'rtb-b'] };

function parse(block: unknown, keys: object = {}): NetworkConfig {
  return parseNetworkConfig({ Network: '10.244.0.0/16', Backend: awsVpc, Leaseway: block, ...keys });
}

function refuses(block: unknown, field: string, problem: RegExp, keys: object = {}): void {
  refusesWith(() => parse(block, keys), `config.Leaseway${field}`, problem);
}

describe('the Leaseway block', () => {
  it('has defaults for all of it, given empty or not at all', () => {
    const { families: _, backend: __, ...rest } = parse({});
    assert.deepEqual(rest, {
      mode: 'enforce',
      whenStopped: 'withdraw',
      leaseSeconds: 86_400,
      routeLimit: 500,
      protected: [],
      retired: [],
    });
    assert.deepEqual(parse(undefined), parse({}));
  });

  it('takes the other words', () => {
    const config = parse({ Mode: 'observe', WhenStopped: 'keep' });
    assert.equal(config.mode, 'observe');
    assert.equal(config.whenStopped, 'keep');
  });

  it('refuses words it does not have', () => {
    refuses({ Mode: 'dry-run' }, '.Mode', /not one of enforce, observe.*got "dry-run"/);
    refuses({ Mode: 'Observe' }, '.Mode', /is observe meant/);
    refuses({ WhenStopped: 'withdrawn' }, '.WhenStopped', /is withdraw meant/);
    refuses({ WhenStopped: true }, '.WhenStopped', /is not a string/);
    refuses({ Mode: null }, '.Mode', /is not a string/);
  });

  for (const [key, least, most] of [
    ['LeaseSeconds', 60, 315_360_000],
    ['RouteLimit', 1, 1000],
  ] as const) {
    it(`takes ${key} from ${least} to ${most} and nothing beyond`, () => {
      for (const value of [least, most]) assert.ok(parse({ [key]: value }));
      for (const value of [least - 1, most + 1, -5]) refuses({ [key]: value }, `.${key}`, /not between/);
      for (const value of ['500', 500.5, null]) refuses({ [key]: value }, `.${key}`, /whole number/);
    });
  }
});

describe('protected ranges', () => {
  it('are canonical ranges inside a network of either family', () => {
    const dual = { EnableIPv6: true, IPv6Network: 'fd00:244::/48' };
    const config = parse({ Protected: ['10.244.250.7/24', '10.244.128.0/17', 'FD00:244:0:9::/64'] }, dual);
    assert.deepEqual(
      config.protected.map(({ text }) => text),
      ['10.244.250.0/24', '10.244.128.0/17', 'fd00:244:0:9::/64'],
    );
  });

  it('are refused elsewhere', () => {
    refuses({ Protected: ['10.244.1.0/24', '10.245.0.0/24'] }, '.Protected[1]', /not inside the network 10\.244\.0\.0/);
    refuses({ Protected: ['fd00::/64'] }, '.Protected[0]', /not inside the network/);
  });

  it('are refused where they leave nothing to grant', () => {
    refuses({ Protected: ['10.244.0.0/16'] }, '.Protected[0]', /covers the whole network/);
    refuses({ Protected: ['10.0.0.0/8'] }, '.Protected[0]', /covers the whole network/);
  });

  it('are refused where malformed', () => {
    refuses({ Protected: '10.244.1.0/24' }, '.Protected', /is not a list/);
    refuses({ Protected: ['10.244.1.0'] }, '.Protected[0]', /is not a CIDR block/);
    refuses({ Protected: [null] }, '.Protected[0]', /is not a CIDR block/);
  });
});

describe('retired ranges and tables', () => {
  it('are ranges, tables, or both', () => {
    const config = parse({
      Retired: [
        { Network: '10.9.7.1/16', SubnetLen: 24 },
        { RouteTableID: ['rtb-x', 'rtb-y'] },
        { Network: 'fd00:9::/48', SubnetLen: 64, RouteTableID: 'rtb-a' },
      ],
    });
    assert.deepEqual(
      config.retired.map(({ network, ...rest }) => ({ network: network?.text ?? null, ...rest })),
      [
        { network: '10.9.0.0/16', subnetLen: 24, routeTableIds: [] },
        { network: null, subnetLen: null, routeTableIds: ['rtb-x', 'rtb-y'] },
        { network: 'fd00:9::/48', subnetLen: 64, routeTableIds: ['rtb-a'] },
      ],
    );
  });

  it('are refused without a range or a table, or with half a range', () => {
    refuses({ Retired: [{}] }, '.Retired[0]', /neither a Network nor a RouteTableID/);
    refuses({ Retired: [{ Network: '10.9.0.0/16' }] }, '.Retired[0].SubnetLen', /is required.*10\.9\.0\.0\/16/);
    refuses({ Retired: [{ SubnetLen: 24 }] }, '.Retired[0].SubnetLen', /needs the Network/);
    refuses({ Retired: { RouteTableID: 'rtb-x' } }, '.Retired', /is not a list/);
  });

  it('are refused with a length outside their range', () => {
    for (const SubnetLen of [15, 33]) {
      refuses({ Retired: [{ Network: '10.9.0.0/16', SubnetLen }] }, '.Retired[0].SubnetLen', /between 16 and 32/);
    }
  });

  it('must not overlap the live network in a table that still has it', () => {
    for (const Network of ['10.244.0.0/16', '10.244.8.0/22', '10.0.0.0/8']) {
      const live = { Network, SubnetLen: 24 };
      refuses({ Retired: [live] }, '.Retired[0].Network', /overlaps the live network 10\.244\.0\.0\/16.*rtb-a/);
      const both = { ...live, RouteTableID: ['rtb-x', 'rtb-b'] };
      refuses({ Retired: [both] }, '.Retired[0].Network', /overlaps the live network.*rtb-b/);
    }
  });

  it('may be the live network as it was divided before: routes of another length are no live ones', () => {
    for (const SubnetLen of [21, 25]) {
      assert.equal(parse({ Retired: [{ Network: '10.244.0.0/16', SubnetLen }] }).retired.length, 1);
    }
  });

  it('may be the live network in tables that are given up', () => {
    const entry = { Network: '10.244.0.0/16', SubnetLen: 24, RouteTableID: 'rtb-x' };
    assert.equal(parse({ Retired: [entry] }).retired.length, 1);
  });

  it('refuses to give up a table that is still listed', () => {
    const entry = { RouteTableID: ['rtb-x', 'rtb-a'] };
    refuses({ Retired: [entry] }, '.Retired[0].RouteTableID', /gives up rtb-a, which .* still lists/);
  });

  it('need a table where the backend has none', () => {
    const vxlan = { Backend: { Type: 'vxlan' } };
    const range = { Network: '10.9.0.0/16', SubnetLen: 24 };
    refuses({ Retired: [range] }, '.Retired', /needs a RouteTableID.*vxlan backend lists no/, vxlan);
    assert.equal(parse({ Retired: [range, { RouteTableID: 'rtb-a' }] }, vxlan).retired.length, 2);
  });

  it('are refused with malformed tables', () => {
    refuses({ Retired: [{ RouteTableID: [] }] }, '.Retired[0].RouteTableID', /is empty/);
    refuses({ Retired: [{ RouteTableID: ['x'] }] }, '.Retired[0].RouteTableID[0]', /not a route table id/);
  });
});
