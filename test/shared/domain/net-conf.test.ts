import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  baseAddress,
  cidrOf,
  contains,
  type Family,
  subnetAt,
  subnetCount,
  subnetIndex,
} from '../../../shared/domain/cidr.ts';
import { grantableSubnets } from '../../../shared/domain/family-config.ts';
import { netConfOf } from '../../../shared/domain/net-conf.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';

/** A legal range of one family, with or without its optional keys. */
function rangeKeys(family: Family, base: bigint, lengths: readonly [number, number], extra: number) {
  const prefix = family === 'ipv4' ? '' : 'IPv6';
  const longest = family === 'ipv4' ? 30 : 126;
  return fc
    .tuple(
      fc.integer({ min: lengths[0], max: lengths[1] }),
      fc.bigInt(0n, (1n << 24n) - 1n),
      fc.integer({ min: 2, max: extra }),
    )
    .chain(([length, high, more]) => {
      const network = cidrOf(family, base | (high << BigInt(family === 'ipv4' ? 0 : 88)), length);
      const subnetLen = Math.min(longest, length + more);
      const last = subnetCount(network, subnetLen) - 1n;
      return fc
        .tuple(fc.bigInt(0n, last), fc.bigInt(0n, last), fc.constantFrom('none', 'length', 'all'))
        .map(([a, b, given]): Record<string, unknown> => {
          const at = (index: bigint) => baseAddress(subnetAt(network, subnetLen, index));
          const [min, max] = [a, b].sort((x, y) => Number(x - y)).map(at);
          const bounds = { [`${prefix}SubnetMin`]: min, [`${prefix}SubnetMax`]: max };
          return {
            [`${prefix}Network`]: network.text,
            ...(given === 'none' ? {} : { [`${prefix}SubnetLen`]: subnetLen }),
            ...(given === 'all' ? bounds : {}),
          };
        });
    });
}

const ipv4 = rangeKeys('ipv4', 10n << 24n, [8, 28], 12);
const ipv6 = rangeKeys('ipv6', 0xfdn << 120n, [16, 124], 20);
const families = fc.oneof(
  ipv4,
  ipv6.map((keys) => ({ EnableIPv4: false, EnableIPv6: true, ...keys })),
  ipv4.map((keys) => ({ EnableIPv6: true, IPv6Network: 'fd00::/32', ...keys })),
);

const mask = fc.option(fc.integer({ min: 1, max: 32 }), { nil: undefined });
const mtu = fc.option(fc.integer({ min: 1350, max: 9001 }), { nil: undefined });
const hostGw = fc.record({ Type: fc.constant('host-gw'), MTU: mtu, LocalNetworkMask: mask });
const vxlan = fc.record({
  Type: fc.constant('vxlan'),
  VNI: fc.integer({ min: 1, max: 16_777_215 }),
  Port: fc.integer({ min: 1, max: 65_535 }),
  MTU: mtu,
  Learning: fc.boolean(),
  GBP: fc.boolean(),
  DirectRouting: fc.boolean(),
  LocalNetworkMask: mask,
});
const ids = fc.uniqueArray(fc.stringMatching(/^rtb-[0-9a-f]{1,17}$/), { minLength: 1, maxLength: 5 });
const awsVpc = fc.record({
  Type: fc.constant('aws-vpc'),
  RouteTableID: fc.oneof(ids, fc.constant('rtb-1')),
  MTU: mtu,
  Fallback: fc.option(fc.oneof(hostGw, vxlan), { nil: undefined }),
});
const leaseway = fc.record({
  Mode: fc.constantFrom('enforce', 'observe'),
  WhenStopped: fc.constantFrom('withdraw', 'keep'),
  LeaseSeconds: fc.integer({ min: 60, max: 1_000_000 }),
  RouteLimit: fc.integer({ min: 1, max: 1000 }),
  Retired: fc.array(
    fc.constantFrom(
      { Network: '192.168.0.0/16', SubnetLen: 24, RouteTableID: 'rtb-gone' },
      { RouteTableID: ['rtb-gone', 'rtb-gone-too'] },
    ),
    { maxLength: 3 },
  ),
});
const netConf = fc
  .tuple(families, fc.oneof(hostGw, vxlan, awsVpc), fc.option(leaseway, { nil: undefined }))
  .map(([keys, Backend, Leaseway]): Record<string, unknown> => ({ ...keys, Backend, Leaseway }));

describe('any legal net-conf.json', () => {
  it('reads the same after it was printed, and prints the same', () => {
    fc.assert(
      fc.property(netConf, (input) => {
        const config = parseNetworkConfig(input);
        const printed = netConfOf(config);
        const again = parseNetworkConfig(JSON.stringify(printed));
        assert.deepEqual(again, config);
        assert.deepEqual(netConfOf(again), printed);
      }),
      { numRuns: 500 },
    );
  });

  it('reads the same in any case of its keys', () => {
    const recased = (value: unknown, change: (key: string) => string): unknown => {
      if (Array.isArray(value)) return value.map((element) => recased(element, change));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [change(key), recased(inner, change)]));
    };
    fc.assert(
      fc.property(netConf, fc.constantFrom('toLowerCase', 'toUpperCase'), (input, change) => {
        assert.deepEqual(parseNetworkConfig(recased(input, (key) => key[change]())), parseNetworkConfig(input));
      }),
    );
  });

  it('grants from boundary to boundary inside its network, and never nothing', () => {
    fc.assert(
      fc.property(netConf, (input) => {
        const config = parseNetworkConfig(input);
        for (const family of config.families) {
          const { network, subnetLen, subnetMin, subnetMax } = family;
          for (const bound of [subnetMin, subnetMax]) {
            assert.equal(bound.length, subnetLen);
            assert.equal(bound.base, cidrOf(family.family, bound.base, subnetLen).base);
            assert.ok(contains(network, bound));
          }
          assert.ok(subnetMin.base <= subnetMax.base);
          assert.ok(grantableSubnets(family) >= 1n);
          assert.ok(subnetCount(network, subnetLen) >= 4n);
        }
        const [first, second] = config.families;
        if (first === undefined || second === undefined) return;
        for (const bound of ['subnetMin', 'subnetMax'] as const) {
          assert.equal(subnetIndex(first.network, first[bound]), subnetIndex(second.network, second[bound]));
        }
      }),
      { numRuns: 500 },
    );
  });
});
