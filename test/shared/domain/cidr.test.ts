import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  addressText,
  baseAddress,
  bitsOf,
  type Cidr,
  cidrOf,
  compareCidrs,
  contains,
  type Family,
  overlaps,
  parseAddress,
  parseCidr,
  subnetAt,
  subnetCount,
  subnetIndex,
  tryParseAddress,
  tryParseCidr,
} from '../../../shared/domain/cidr.ts';
import { refusesWith } from './refusal.ts';

const cidr = (text: string): Cidr => parseCidr(text, 'cidr');
const family = fc.constantFrom<Family>('ipv4', 'ipv6');
const anyCidr = family.chain((of) =>
  fc
    .tuple(fc.bigInt(0n, (1n << BigInt(bitsOf(of))) - 1n), fc.integer({ min: 0, max: bitsOf(of) }))
    .map(([address, length]) => cidrOf(of, address, length)),
);

describe('a CIDR block', () => {
  for (const [text, canonical] of [
    ['10.244.1.0/24', '10.244.1.0/24'],
    ['100.68.0.18/18', '100.68.0.0/18'],
    ['10.3.7.9/16', '10.3.0.0/16'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/32', '255.255.255.255/32'],
    ['FD00:0244:0000:0001:0:0:0:9/64', 'fd00:244:0:1::/64'],
    ['::/0', '::/0'],
    ['2001:db8:0:0:1:0:0:1/128', '2001:db8::1:0:0:1/128'],
    ['2001:db8:0:1:1:1:1:1/128', '2001:db8:0:1:1:1:1:1/128'],
    ['64:ff9b::10.0.0.1/96', '64:ff9b::/96'],
  ] as const) {
    it(`${text} is ${canonical}`, () => assert.equal(cidr(text).text, canonical));
  }

  // The addresses that flannel's subnet keys refuse (its subnet_test.go) are among them.
  for (const text of [
    ...['', '10', '10.12.13.0', '10.12.13/24', '10.12.13.300/24', '10.12.13.0/24hi', '/24', '10.12.13.0/'],
    ...['::12:13:/56:', ':12:13:/56', '20011::/56', '2001/56', '2001::', '2001::/56hi', ':::/0', '1::2::3/64'],
    ...['010.0.0.1/8', '10.0.0.01/8', '0x0a.0.0.1/8', '167772160/8', '10.1/8', '10.0.0.0/08', '10.0.0.0/33'],
    ...['10.0.0.0/-1', '10.0.0.0/+8', '10.0.0.0/8.0', '10.0.0.0/8/8', '10.0.0.0 /8', ' 10.0.0.0/8', '10.0.0.0/8\n'],
    ...['10.0.0.0/255.0.0.0', '10..0.0/8', '1.2.3.4.5/8', '256.0.0.0/8', '١٠.0.0.0/8'],
    ...['fe80::1%eth0/64', 'fe80::1/64%eth0', '[fd00::]/64', 'fd00::/129', 'fd00::/064', '1:2:3:4:5:6:7:8:9/64'],
    ...['1:2:3:4:5:6:7/64', ':1:2:3:4:5:6:7/64', 'g::/64', '::ffff:010.0.0.1/128', '::ffff:10.0.1/128'],
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(tryParseCidr(text), null);
      refusesWith(() => parseCidr(text, 'subnet'), 'subnet', /is not a CIDR block/);
    });
  }

  it('is a text', () => {
    for (const value of [undefined, null, 7, {}, ['10.0.0.0/8'], cidr('10.0.0.0/8')]) {
      assert.equal(tryParseCidr(value), null);
    }
  });

  it('of the other family is refused by name', () => {
    refusesWith(() => parseCidr('10.0.0.0/8', 'f', 'ipv6'), 'f', /not an IPv6 CIDR block \(got "10\.0\.0\.0\/8"\)/);
    refusesWith(() => parseCidr('fd00::/8', 'f', 'ipv4'), 'f', /not an IPv4 CIDR block/);
    assert.equal(parseCidr('fd00::/8', 'f', 'ipv6').family, 'ipv6');
  });

  it('reads its own text as itself', () => {
    fc.assert(fc.property(anyCidr, (block) => assert.deepEqual(tryParseCidr(block.text), block)));
  });

  it('has one text for all spellings of its addresses', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.integer({ min: 0, max: 128 }), (address, length) => {
        const block = cidr(`${address}/${length}`);
        assert.equal(cidr(block.text).text, block.text);
        assert.equal(cidr(`${address.toUpperCase()}/${length}`).text, block.text);
      }),
    );
  });
});

describe('containment', () => {
  // flannel's kube_test.go: the check that its aws-vpc backend lacked.
  for (const [outer, inner, expected] of [
    ['10.244.0.0/16', '10.244.0.0/16', true],
    ['10.244.0.0/16', '10.244.0.0/24', true],
    ['10.244.0.0/16', '10.244.255.0/24', true],
    ['10.244.0.0/16', '10.244.0.0/15', false],
    ['10.244.0.0/16', '192.168.0.0/24', false],
    ['2001:db8:1234::/48', '2001:db8:1234::/48', true],
    ['2001:db8:1234::/48', '2001:db8:1234::/64', true],
    ['2001:db8:1234::/48', '2001:db8:1234:ffff::/64', true],
    ['2001:db8:1234::/48', '2001:db8:1234::/47', false],
    ['2001:db8:1234::/48', 'fe02::/32', false],
    ['10.0.0.0/16', '10.0.0.0/8', false],
    ['0.0.0.0/0', '10.0.0.0/8', true],
    ['0.0.0.0/0', 'fd00::/8', false],
    ['::/0', '0.0.0.0/0', false],
    ['10.244.0.0/16', '10.200.1.0/24', false],
  ] as const) {
    it(`${expected ? '' : 'D11: '}${outer} ${expected ? 'holds' : 'does not hold'} ${inner}`, () => {
      assert.equal(contains(cidr(outer), cidr(inner)), expected);
    });
  }

  for (const [a, b, expected] of [
    ['1.2.3.0/24', '1.2.3.0/24', true],
    ['1.2.3.0/24', '1.2.0.0/16', true],
    ['1.2.3.0/24', '1.2.4.0/24', false],
    ['1.2.3.0/24', '7.2.4.0/22', false],
    ['fc00:1::/64', 'fc00::/16', true],
    ['fc00:1::/64', 'fc00:2::/64', false],
    ['fc00:1::/64', 'fb00:2::/48', false],
  ] as const) {
    it(`${a} ${expected ? 'overlaps' : 'does not overlap'} ${b}, either way round`, () => {
      assert.equal(overlaps(cidr(a), cidr(b)), expected);
      assert.equal(overlaps(cidr(b), cidr(a)), expected);
    });
  }

  it('and overlap agree with a count of single addresses', () => {
    // Six bits are few enough to list; they stand at the top, the middle or the end of the address.
    const small = fc.record({
      of: family,
      value: fc.integer({ min: 0, max: 63 }),
      length: fc.integer({ min: 0, max: 6 }),
    });
    const addresses = (value: number, length: number): Set<number> => {
      const size = 2 ** (6 - length);
      const first = Math.floor(value / size) * size;
      return new Set(Array.from({ length: size }, (_, index) => first + index));
    };
    fc.assert(
      fc.property(small, small, fc.constantFrom(0, 11, 26), (left, right, shift) => {
        const block = ({ of, value, length }: typeof left) =>
          cidrOf(of, BigInt(value) << BigInt(bitsOf(of) - 6 - shift), length + shift);
        const [a, b] = [addresses(left.value, left.length), addresses(right.value, right.length)];
        const sameFamily = left.of === right.of;
        assert.equal(contains(block(left), block(right)), sameFamily && [...b].every((one) => a.has(one)));
        assert.equal(overlaps(block(left), block(right)), sameFamily && [...b].some((one) => a.has(one)));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the subnets of a network', () => {
  const network = anyCidr.chain((outer) =>
    fc
      .integer({ min: outer.length, max: Math.min(outer.length + 70, bitsOf(outer.family)) })
      .chain((length) => fc.bigInt(0n, subnetCount(outer, length) - 1n).map((index) => ({ outer, length, index }))),
  );

  it('have an index that leads back to them', () => {
    fc.assert(
      fc.property(network, ({ outer, length, index }) => {
        const subnet = subnetAt(outer, length, index);
        assert.equal(subnet.length, length);
        assert.ok(contains(outer, subnet));
        assert.equal(subnetIndex(outer, subnet), index);
        assert.deepEqual(subnetAt(outer, length, subnetIndex(outer, subnet)), subnet);
      }),
    );
  });

  it('are counted exactly, beyond what a number holds', () => {
    assert.equal(subnetCount(cidr('10.0.0.0/16'), 24), 256n);
    assert.equal(subnetCount(cidr('10.0.0.0/16'), 16), 1n);
    assert.equal(subnetCount(cidr('10.0.0.0/16'), 15), 0n);
    assert.equal(subnetCount(cidr('::/0'), 128), 1n << 128n);
  });

  it('do not overlap their neighbours', () => {
    const outer = cidr('fd00:244::/48');
    assert.equal(subnetAt(outer, 64, 255n).text, 'fd00:244:0:ff::/64');
    assert.ok(!overlaps(subnetAt(outer, 64, 255n), subnetAt(outer, 64, 256n)));
  });
});

describe('the order of blocks', () => {
  it('is IPv4 first, then by address as a number, then the wider first', () => {
    const ordered = ['9.0.0.0/8', '10.0.0.0/8', '10.0.0.0/16', '10.2.0.0/16', '10.10.0.0/16', '::/0', 'fd00::/8'];
    const shuffled = [3, 6, 2, 5, 0, 4, 1].map((index) => cidr(ordered[index] ?? ''));
    assert.deepEqual(
      shuffled.sort(compareCidrs).map(({ text }) => text),
      ordered,
    );
  });

  it('is total', () => {
    fc.assert(
      fc.property(anyCidr, anyCidr, (a, b) => {
        assert.equal(Math.sign(compareCidrs(a, b)), -Math.sign(compareCidrs(b, a)) + 0);
        assert.equal(compareCidrs(a, b) === 0, a.text === b.text);
      }),
    );
  });
});

describe('a single address', () => {
  it('has a canonical text', () => {
    assert.equal(parseAddress('FD00:0:0::9', 'f'), 'fd00::9');
    assert.equal(parseAddress('10.0.1.10', 'f', 'ipv4'), '10.0.1.10');
    assert.equal(baseAddress(cidr('10.0.1.10/24')), '10.0.1.0');
    assert.deepEqual(tryParseAddress('::a'), { family: 'ipv6', value: 10n, text: '::a' });
  });

  for (const text of ['', '10.0.0.0/8', '10.0.0', '010.0.0.1', 'fe80::1%eth0', '10.0.0.1 ', 'node-1', '::1/128']) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(tryParseAddress(text), null);
      refusesWith(() => parseAddress(text, 'nodeIp'), 'nodeIp', /is not an IP address/);
    });
  }

  it('of the other family is refused by name', () => {
    refusesWith(() => parseAddress('fd00::1', 'nodeIp', 'ipv4'), 'nodeIp', /is not an IPv4 address/);
    refusesWith(() => parseAddress('10.0.0.1', 'nodeIp', 'ipv6'), 'nodeIp', /is not an IPv6 address/);
  });

  it('reads its own text as itself', () => {
    fc.assert(
      fc.property(anyCidr, ({ family: of, base }) => {
        assert.equal(tryParseAddress(addressText(of, base))?.value, base);
      }),
    );
  });
});
