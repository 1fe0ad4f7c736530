import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { baseAddress } from '../../../shared/domain/cidr.ts';
import { grantableSubnets } from '../../../shared/domain/family-config.ts';
import type { FamilyConfig, NetworkConfig } from '../../../shared/domain/network-config.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { refusesWith } from './refusal.ts';

const vxlan = { Type: 'vxlan' };

/** One line a family: network, first and last subnet, length. */
function ranges(config: NetworkConfig): string[] {
  return config.families.map(
    ({ network, subnetLen, subnetMin, subnetMax }) =>
      `${network.text} /${subnetLen} ${baseAddress(subnetMin)} ${baseAddress(subnetMax)}`,
  );
}

function rangesOf(keys: object): string[] {
  return ranges(parseNetworkConfig({ Backend: vxlan, ...keys }));
}

function onlyFamily(keys: object): FamilyConfig {
  const [family] = parseNetworkConfig({ Backend: vxlan, ...keys }).families;
  assert.ok(family);
  return family;
}

function refuses(keys: object, field: string, problem: RegExp): void {
  refusesWith(() => parseNetworkConfig({ Backend: vxlan, ...keys }), `config.${field}`, problem);
}

const v6Only = { EnableIPv4: false, EnableIPv6: true };

describe("ranges that flannel's own tests give", () => {
  it('reads a lower-case key', () => {
    assert.deepEqual(ranges(parseNetworkConfig('{"network":"10.3.0.0/16","backend":{"type":"vxlan"}}')), [
      '10.3.0.0/16 /24 10.3.1.0 10.3.255.0',
    ]);
  });

  it('takes given bounds and length', () => {
    assert.deepEqual(
      rangesOf({ Network: '10.3.0.0/16', SubnetMin: '10.3.5.0', SubnetMax: '10.3.8.0', SubnetLen: 28 }),
      ['10.3.0.0/16 /28 10.3.5.0 10.3.8.0'],
    );
  });

  it('gives IPv6 alone its defaults', () => {
    assert.deepEqual(rangesOf({ enableIPv6: true, enableIPv4: false, ipv6Network: 'fc00::/48' }), [
      'fc00::/48 /64 fc00:0:0:1:: fc00:0:0:ffff::',
    ]);
  });

  it('takes given IPv6 bounds and length', () => {
    assert.deepEqual(
      rangesOf({
        ...v6Only,
        IPv6Network: 'fc00::/48',
        IPv6SubnetMin: 'fc00:0:0:1::',
        IPv6SubnetMax: 'fc00:0:0:f::',
        IPv6SubnetLen: 124,
      }),
      ['fc00::/48 /124 fc00:0:0:1:: fc00:0:0:f::'],
    );
  });
});

describe('default subnet length and bounds', () => {
  for (const [network, len, min, max, count] of [
    ['10.0.0.0/8', 24, '10.0.1.0', '10.255.255.0', 65_535n],
    ['10.0.0.0/22', 24, '10.0.1.0', '10.0.3.0', 3n],
    ['10.0.0.0/23', 25, '10.0.0.128', '10.0.1.128', 3n],
    ['10.0.0.0/24', 26, '10.0.0.64', '10.0.0.192', 3n],
    ['10.43.116.192/27', 29, '10.43.116.200', '10.43.116.216', 3n],
    ['172.37.0.0/28', 30, '172.37.0.4', '172.37.0.12', 3n],
  ] as const) {
    it(`${network} is cut into /${len} from ${min} to ${max}`, () => {
      assert.deepEqual(rangesOf({ Network: network }), [`${network} /${len} ${min} ${max}`]);
      assert.equal(grantableSubnets(onlyFamily({ Network: network })), count);
    });
  }

  for (const [network, len, min, max] of [
    ['fd00:244::/48', 64, 'fd00:244:0:1::', 'fd00:244:0:ffff::'],
    ['fd00::/62', 64, 'fd00:0:0:1::', 'fd00:0:0:3::'],
    ['fd00::/63', 65, 'fd00::8000:0:0:0', 'fd00:0:0:1:8000::'],
    ['fd00::/124', 126, 'fd00::4', 'fd00::c'],
  ] as const) {
    it(`${network} is cut into /${len} from ${min} to ${max}`, () => {
      const [family] = parseNetworkConfig({ ...v6Only, IPv6Network: network, Backend: vxlan }).families;
      assert.equal(family?.subnetLen, len);
      assert.equal(family.subnetMin.text, `${min}/${len}`);
      assert.equal(family.subnetMax.text, `${max}/${len}`);
    });
  }

  it('clears the host bits of the network', () => {
    assert.deepEqual(rangesOf({ Network: '10.3.7.9/16' }), ['10.3.0.0/16 /24 10.3.1.0 10.3.255.0']);
  });

  it('grants the first subnet where SubnetMin asks for it', () => {
    assert.equal(onlyFamily({ Network: '10.3.0.0/16', SubnetMin: '10.3.0.0' }).subnetMin.text, '10.3.0.0/24');
  });

  it('grants one subnet where both bounds are it', () => {
    const family = onlyFamily({ Network: '10.3.0.0/16', SubnetMin: '10.3.9.0', SubnetMax: '10.3.9.0' });
    assert.equal(grantableSubnets(family), 1n);
  });

  it('G7: counts what a /16 cut into /21 has to give', () => {
    const family = onlyFamily({ Network: '10.0.0.0/16', SubnetLen: 21, SubnetMin: '10.0.0.0' });
    assert.equal(grantableSubnets(family), 32n);
  });
});

describe('refused ranges', () => {
  for (const [network, text] of [
    ['172.37.0.0/29', 'of four /31'],
    ['10.0.0.0/32', 'of one address'],
  ] as const) {
    it(`refuses ${network}, ${text}, as too small`, () => {
      refuses({ Network: network }, 'Network', /too small.*\/28/);
    });
  }

  it('refuses an IPv6 network under /124', () => {
    refuses({ ...v6Only, IPv6Network: 'fd00::/125' }, 'IPv6Network', /too small.*\/124/);
  });

  it('refuses a length that leaves fewer than four subnets', () => {
    refuses({ Network: '10.252.1.0/24', SubnetLen: 25 }, 'SubnetLen', /at least four subnets.*holds 2 of \/25.*got 25/);
    refuses({ Network: '10.252.1.0/24', SubnetLen: 16 }, 'SubnetLen', /at least four subnets.*holds none/);
    refuses({ ...v6Only, IPv6Network: 'fd00::/48', IPv6SubnetLen: 49 }, 'IPv6SubnetLen', /at least four subnets/);
  });

  it('takes a length that leaves exactly four', () => {
    assert.equal(onlyFamily({ Network: '10.252.1.0/24', SubnetLen: 26 }).subnetLen, 26);
  });

  it('G7: refuses 172.30.0.0/23 cut into /24, whose range would be inverted', () => {
    refuses({ Network: '172.30.0.0/23', SubnetLen: 24 }, 'SubnetLen', /172\.30\.0\.0\/23 holds 2 of \/24/);
  });

  it('G7: refuses SubnetMin above SubnetMax', () => {
    const range = { Network: '10.3.0.0/16', SubnetMin: '10.3.9.0', SubnetMax: '10.3.8.0' };
    refuses(range, 'SubnetMin', /no subnet to grant: the range is 10\.3\.9\.0 to 10\.3\.8\.0/);
  });

  it('G7: refuses a SubnetMax below the default SubnetMin', () => {
    refuses({ Network: '10.3.0.0/16', SubnetMax: '10.3.0.0' }, 'SubnetMax', /range is 10\.3\.1\.0 to 10\.3\.0\.0/);
  });

  it('takes a SubnetLen of 0 for none, as flannel does', () => {
    assert.equal(onlyFamily({ Network: '10.0.0.0/8', SubnetLen: 0 }).subnetLen, 24);
    assert.equal(onlyFamily({ Network: '10.0.0.0/24', SubnetLen: 0 }).subnetLen, 26);
    assert.equal(onlyFamily({ ...v6Only, IPv6Network: 'fd00::/48', IPv6SubnetLen: 0 }).subnetLen, 64);
    refuses({ Network: '172.37.0.0/29', SubnetLen: 0 }, 'Network', /too small/);
  });

  it('refuses a length beyond /30, or /126 for IPv6', () => {
    refuses({ Network: '10.0.0.0/8', SubnetLen: 31 }, 'SubnetLen', /not between 0 and 30.*got 31/);
    assert.equal(onlyFamily({ Network: '10.0.0.0/8', SubnetLen: 30 }).subnetLen, 30);
    refuses({ ...v6Only, IPv6Network: 'fd00::/48', IPv6SubnetLen: 127 }, 'IPv6SubnetLen', /not between 0 and 126/);
    assert.equal(onlyFamily({ ...v6Only, IPv6Network: 'fd00::/48', IPv6SubnetLen: 126 }).subnetLen, 126);
  });

  it('refuses a bound off the boundary and says where the boundary is', () => {
    refuses(
      { Network: '10.10.178.0/24', SubnetLen: 26, SubnetMin: '10.10.178.200' },
      'SubnetMin',
      /not on a boundary of \/26 subnets \(10\.10\.178\.192 is\).*got "10\.10\.178\.200"/,
    );
    refuses({ Network: '10.3.0.0/16', SubnetMax: '10.3.9.1' }, 'SubnetMax', /not on a boundary/);
    refuses(
      { ...v6Only, IPv6Network: 'fd00::/48', IPv6SubnetMax: 'fd00:0:0:9::1' },
      'IPv6SubnetMax',
      /boundary of \/64 subnets \(fd00:0:0:9:: is\)/,
    );
  });

  it('refuses a bound outside the network', () => {
    refuses({ Network: '10.3.0.0/16', SubnetMin: '10.4.0.0' }, 'SubnetMin', /not in the network 10\.3\.0\.0\/16/);
    refuses({ Network: '10.3.0.0/16', SubnetMax: '10.2.255.0' }, 'SubnetMax', /not in the network/);
    refuses({ ...v6Only, IPv6Network: 'fd00::/48', IPv6SubnetMin: 'fd01::' }, 'IPv6SubnetMin', /not in the network/);
  });

  it('refuses the other family, in the network and in its bounds', () => {
    refuses({ Network: '2001:db8::/64' }, 'Network', /not an IPv4 CIDR block.*got "2001:db8::\/64"/);
    refuses({ ...v6Only, IPv6Network: '10.3.0.0/16' }, 'IPv6Network', /not an IPv6 CIDR block/);
    refuses({ Network: '10.3.0.0/16', SubnetMin: 'fd00::' }, 'SubnetMin', /not an IPv4 address/);
  });

  for (const text of ['10.3.0.0', '10.3/16', '010.3.0.0/16', '10.3.0.0/016', '10.3.0.0/33', '', 'ten']) {
    it(`refuses the network ${JSON.stringify(text)}`, () => {
      refuses({ Network: text }, 'Network', /is not a CIDR block/);
    });
  }
});

describe('families', () => {
  it('needs the network of each family that is on', () => {
    refuses({}, 'Network', /is required/);
    refuses(v6Only, 'IPv6Network', /is required/);
    refuses({ Network: '10.3.0.0/16', EnableIPv6: true }, 'IPv6Network', /is required/);
  });

  it('refuses a configuration with no family', () => {
    refuses({ EnableIPv4: false, Network: '10.3.0.0/16' }, 'EnableIPv4', /leaves no family/);
  });

  it('ignores the well-formed keys of a family that is off, and refuses malformed ones', () => {
    const off = { EnableIPv6: false, IPv6Network: 'fd00::/125', IPv6SubnetLen: 64 };
    assert.equal(onlyFamily({ Network: '10.3.0.0/16', ...off }).family, 'ipv4');
    refuses({ Network: '10.3.0.0/16', ...off, IPv6SubnetLen: '64' }, 'IPv6SubnetLen', /whole number/);
    refuses({ Network: '10.3.0.0/16', ...off, IPv6Network: '10.0.0.0/8' }, 'IPv6Network', /IPv6 CIDR/);
    refuses({ Network: '10.3.0.0/16', ...off, IPv6SubnetMin: 'x' }, 'IPv6SubnetMin', /IPv6 address/);
  });

  it('refuses IPv6 keys that nothing switches on or off', () => {
    refuses({ Network: '10.3.0.0/16', IPv6Network: 'fd00::/48' }, 'IPv6Network', /no effect without.*EnableIPv6/);
  });

  it('puts IPv4 first', () => {
    const config = parseNetworkConfig({
      EnableIPv6: true,
      IPv6Network: 'fd00:244::/48',
      Network: '10.244.0.0/16',
      Backend: vxlan,
    });
    assert.deepEqual(
      config.families.map(({ family }) => family),
      ['ipv4', 'ipv6'],
    );
  });
});

describe('the switches', () => {
  it('M7: EnableNFTables is checked and changes nothing', () => {
    const plain = { Network: '10.3.0.0/16', Backend: vxlan };
    for (const EnableNFTables of [true, false]) {
      assert.deepEqual(parseNetworkConfig({ ...plain, EnableNFTables }), parseNetworkConfig(plain));
    }
    refuses({ ...plain, EnableNFTables: 'true' }, 'EnableNFTables', /is not a boolean/);
  });

  it('M7: EnableIPv4 and EnableIPv6 are booleans', () => {
    refuses({ Network: '10.3.0.0/16', EnableIPv4: 'true' }, 'EnableIPv4', /is not a boolean.*got "true"/);
    refuses({ Network: '10.3.0.0/16', EnableIPv6: 1 }, 'EnableIPv6', /is not a boolean.*got 1/);
  });
});

describe('the index rule of a dual-stack network', () => {
  const dual = { EnableIPv6: true, Network: '10.244.0.0/16', IPv6Network: 'fd00:244::/48' };

  it('gives IPv6 the indexes of the IPv4 range', () => {
    assert.deepEqual(rangesOf(dual), [
      '10.244.0.0/16 /24 10.244.1.0 10.244.255.0',
      'fd00:244::/48 /64 fd00:244:0:1:: fd00:244:0:ff::',
    ]);
    assert.deepEqual(
      rangesOf({ ...dual, SubnetMin: '10.244.0.0', SubnetMax: '10.244.16.0' })[1]
        ?.split(' ')
        .slice(2),
      ['fd00:244::', 'fd00:244:0:10::'],
    );
  });

  it('refuses an IPv6 network with fewer subnets', () => {
    refuses({ ...dual, IPv6Network: 'fd00:244::/57' }, 'IPv6Network', /holds 128 subnets of \/64.*needs 256/);
    assert.equal(rangesOf({ ...dual, IPv6Network: 'fd00:244::/56' }).length, 2);
  });

  it('asks the IPv6 network only for the indexes that are granted', () => {
    const narrow = { ...dual, IPv6Network: 'fd00:244::/57' };
    assert.equal(rangesOf({ ...narrow, SubnetMax: '10.244.127.0' }).length, 2);
    refuses({ ...narrow, SubnetMax: '10.244.128.0' }, 'IPv6Network', /holds 128 subnets of \/64.*needs 129/);
  });

  it('takes IPv6 bounds that hold those indexes, and narrows them', () => {
    const wide = { ...dual, IPv6SubnetMin: 'fd00:244::', IPv6SubnetMax: 'fd00:244:0:ffff::' };
    assert.deepEqual(rangesOf(wide), rangesOf(dual));
  });

  it('refuses IPv6 bounds that do not', () => {
    refuses({ ...dual, IPv6SubnetMin: 'fd00:244:0:2::' }, 'IPv6SubnetMin', /above fd00:244:0:1::.*index.*1 to 255/);
    refuses({ ...dual, IPv6SubnetMax: 'fd00:244:0:fe::' }, 'IPv6SubnetMax', /below fd00:244:0:ff::.*index.*1 to 255/);
  });
});
