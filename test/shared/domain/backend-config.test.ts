import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BackendConfig } from '../../../shared/domain/network-config.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { refusesWith } from './refusal.ts';

function backendOf(backend: unknown, keys: object = {}): BackendConfig {
  return parseNetworkConfig({ Network: '10.3.0.0/16', Backend: backend, ...keys }).backend;
}

function refuses(backend: unknown, field: string, problem: RegExp): void {
  refusesWith(() => backendOf(backend), `config.Backend${field}`, problem);
}

const vxlanDefaults = {
  type: 'vxlan',
  vni: 1,
  port: 8472,
  mtu: null,
  directRouting: false,
  localNetworkMask: null,
  learning: false,
  gbp: false,
} as const;

describe('the backend type', () => {
  it('is required: the udp that flannel falls back to is nothing to choose silently', () => {
    refuses(undefined, '', /is required.*aws-vpc, host-gw, vxlan/);
    refuses({}, '.Type', /is required/);
    refuses({ Type: 7 }, '.Type', /is not a string/);
    refuses(null, '', /is not an object/);
  });

  it('is free in case, as in flannel', () => {
    assert.equal(backendOf({ Type: 'VXLAN' }).type, 'vxlan');
  });

  for (const type of ['udp', 'ipip', 'ipsec', 'wireguard', 'WireGuard', 'alloc', 'extension', 'gce']) {
    it(`${type} is not supported, and the message names what is`, () => {
      refuses({ Type: type }, '.Type', /does not support; supported here: aws-vpc, host-gw, vxlan/);
    });
  }

  it('suggests the near one for a misspelt type', () => {
    refuses({ Type: 'vxlna' }, '.Type', /not supported.*is vxlan meant/);
    refuses({ Type: 'aws_vpcs' }, '.Type', /not supported.*is aws-vpc meant/);
    refuses({ Type: '' }, '.Type', /not supported; supported here/);
  });
});

describe('aws-vpc', () => {
  const backend = (ids: unknown) => ({ Type: 'aws-vpc', RouteTableID: ids });
  const ids = (given: unknown) => {
    const config = backendOf(backend(given));
    return config.type === 'aws-vpc' ? config.routeTableIds : [];
  };

  it('takes one id or a list, in the order given', () => {
    assert.deepEqual(ids('rtb-a'), ['rtb-a']);
    assert.deepEqual(ids(['rtb-b', 'rtb-a', 'rtb-0123456789abcdef0']), ['rtb-b', 'rtb-a', 'rtb-0123456789abcdef0']);
  });

  it('has no fallback and no MTU of its own unless given', () => {
    assert.deepEqual(backendOf(backend('rtb-1')), {
      type: 'aws-vpc',
      routeTableIds: ['rtb-1'],
      mtu: null,
      fallback: null,
    });
  });

  for (const [name, given, field, problem] of [
    ['an absent RouteTableID', undefined, '.RouteTableID', /is required/],
    ['null', null, '.RouteTableID', /not a route table id or a list/],
    ['a number', 7, '.RouteTableID', /not a route table id or a list/],
    ['an object', {}, '.RouteTableID', /not a route table id or a list/],
    ['a boolean', true, '.RouteTableID', /not a route table id or a list/],
    ['an empty string', '', '.RouteTableID', /not a route table id such as.*got ""/],
    ['an empty list', [], '.RouteTableID', /is empty: name one/],
    ['a number in the list', ['rtb-a', 7], '.RouteTableID[1]', /is not a string \(got 7\)/],
    ['an empty string in the list', ['rtb-a', ''], '.RouteTableID[1]', /not a route table id/],
    ['a hole in the list', ['rtb-a', undefined], '.RouteTableID[1]', /is not a string/],
    ['a duplicate', ['rtb-a', 'rtb-b', 'rtb-a'], '.RouteTableID[2]', /is listed twice \(got "rtb-a"\)/],
    ['the id of something else', ['vpc-1'], '.RouteTableID[0]', /not a route table id/],
    ['a bare prefix', 'rtb-', '.RouteTableID', /not a route table id/],
    ['a comma list', 'rtb-a,rtb-b', '.RouteTableID', /not a route table id/],
    ['a trailing blank', 'rtb-a ', '.RouteTableID', /not a route table id/],
    ['a trailing newline', 'rtb-a\n', '.RouteTableID', /not a route table id/],
  ] as const) {
    it(`refuses ${name}`, () => refuses(backend(given), field, problem));
  }

  it('falls back to vxlan or host-gw', () => {
    const vxlan = backendOf({ ...backend('rtb-a'), Fallback: { Type: 'vxlan', DirectRouting: true } });
    assert.deepEqual(vxlan.type === 'aws-vpc' && vxlan.fallback, { ...vxlanDefaults, directRouting: true });
    const hostGw = backendOf({ ...backend('rtb-a'), Fallback: { Type: 'host-gw' } });
    assert.deepEqual(hostGw.type === 'aws-vpc' && hostGw.fallback, {
      type: 'host-gw',
      mtu: null,
      localNetworkMask: null,
    });
  });

  it('refuses every other fallback', () => {
    for (const type of ['aws-vpc', 'udp', 'none']) {
      const fallback = { Type: type, RouteTableID: 'rtb-b' };
      refuses({ ...backend('rtb-a'), Fallback: fallback }, '.Fallback.Type', /supported here: host-gw, vxlan/);
    }
    refuses({ ...backend('rtb-a'), Fallback: 'vxlan' }, '.Fallback', /is not an object/);
    refuses({ ...backend('rtb-a'), Fallback: null }, '.Fallback', /is not an object/);
    refuses({ ...backend('rtb-a'), Fallback: {} }, '.Fallback.Type', /is required/);
  });
});

describe('vxlan', () => {
  const vxlan = (keys: object) => backendOf({ Type: 'vxlan', ...keys });
  const maskOf = (mask: unknown) => {
    const config = vxlan({ LocalNetworkMask: mask });
    return config.type === 'vxlan' ? config.localNetworkMask : undefined;
  };

  it('has the defaults of flannel and of the kernel', () => {
    assert.deepEqual(vxlan({}), vxlanDefaults);
  });

  it("takes all of flannel's keys", () => {
    const keys = { VNI: 4096, Port: 4789, MTU: 9001, Learning: true, GBP: true, DirectRouting: true };
    assert.deepEqual(vxlan({ ...keys, MacPrefix: '0E-2A', LocalNetworkMask: '255.255.240.0' }), {
      type: 'vxlan',
      vni: 4096,
      port: 4789,
      mtu: 9001,
      directRouting: true,
      localNetworkMask: 20,
      learning: true,
      gbp: true,
    });
  });

  for (const [key, least, most] of [
    ['VNI', 1, 16_777_215],
    ['Port', 1, 65_535],
    ['MTU', 576, 65_535],
  ] as const) {
    it(`takes ${key} from ${least} to ${most} and nothing beyond`, () => {
      for (const value of [least, most]) assert.ok(vxlan({ [key]: value }));
      for (const value of [least - 1, most + 1, -1]) {
        refuses({ Type: 'vxlan', [key]: value }, `.${key}`, new RegExp(`not between ${least} and ${most}.*${value}`));
      }
      for (const value of [String(least), least + 0.5, null, true, Number.NaN, 1e300]) {
        refuses({ Type: 'vxlan', [key]: value }, `.${key}`, /is not a whole number/);
      }
    });
  }

  for (const key of ['Learning', 'GBP', 'DirectRouting']) {
    it(`M7: refuses "true", 1 and null for ${key}`, () => {
      for (const value of ['true', 1, null]) {
        refuses({ Type: 'vxlan', [key]: value }, `.${key}`, /is not a boolean: write true or false, without quotes/);
      }
    });
  }

  it('M7: names a wrong type under the spelling of the file', () => {
    refuses({ Type: 'vxlan', directrouting: 'true' }, '.directrouting', /not a boolean.*got "true"/);
  });

  it('takes LocalNetworkMask as a mask, as a number and as its text', () => {
    for (const mask of ['255.255.255.0', 24, '24']) assert.equal(maskOf(mask), 24);
    assert.equal(maskOf('255.255.255.255'), 32);
    assert.equal(maskOf('128.0.0.0'), 1);
    assert.equal(maskOf(1), 1);
    assert.equal(maskOf(32), 32);
  });

  for (const mask of [
    '255.0.255.0',
    '0.255.255.255',
    '0.0.0.0',
    '255.255.255',
    '255.255.255.00',
    0,
    33,
    24.5,
    -1,
    '',
    '024',
    '/24',
    '24 ',
    'ffff::',
    true,
    null,
    [24],
  ]) {
    it(`refuses ${JSON.stringify(mask)} as LocalNetworkMask`, () => {
      refuses({ Type: 'vxlan', LocalNetworkMask: mask }, '.LocalNetworkMask', /is not a network mask/);
    });
  }

  it('checks the MacPrefix of Windows nodes', () => {
    refuses({ Type: 'vxlan', MacPrefix: '0e:2a' }, '.MacPrefix', /not the begin of a MAC/);
    refuses({ Type: 'vxlan', MacPrefix: 7 }, '.MacPrefix', /is not a string/);
  });
});

describe('MTU with IPv6', () => {
  const ipv6 = { EnableIPv6: true, IPv6Network: 'fd00::/48' };

  it('leaves the 1280 bytes that IPv6 needs, inside the tunnel too', () => {
    const lines = [
      [{ Type: 'vxlan' }, 1350],
      [{ Type: 'host-gw' }, 1280],
      [{ Type: 'aws-vpc', RouteTableID: 'rtb-a' }, 1280],
    ] as const;
    for (const [backend, least] of lines) {
      assert.equal(backendOf({ ...backend, MTU: least }, ipv6).mtu, least);
      const run = () => backendOf({ ...backend, MTU: least - 1 }, ipv6);
      refusesWith(run, 'config.Backend.MTU', new RegExp(`between ${least} and`));
    }
  });
});

describe('host-gw', () => {
  it('takes a mask and an MTU', () => {
    assert.deepEqual(backendOf({ Type: 'host-gw', MTU: 1500, LocalNetworkMask: '255.255.0.0' }), {
      type: 'host-gw',
      mtu: 1500,
      localNetworkMask: 16,
    });
  });
});
