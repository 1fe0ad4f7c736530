import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { checkRouteTableCeiling, checkVpcOverlap } from '../../../shared/domain/config-checks.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { refusesWith } from './refusal.ts';

const awsVpc = { Type: 'aws-vpc', RouteTableID: ['rtb-a', 'rtb-b'] };

describe("the template's RouteTableIds as the ceiling", () => {
  const config = parseNetworkConfig({ Network: '10.244.0.0/16', Backend: awsVpc });

  it('allows all of them and any of them', () => {
    assert.doesNotThrow(() => checkRouteTableCeiling(config, ['rtb-b', 'rtb-a']));
    assert.doesNotThrow(() => checkRouteTableCeiling(config, ['rtb-c', 'rtb-b', 'rtb-a']));
  });

  it('refuses the id that is beyond it', () => {
    const run = () => checkRouteTableCeiling(config, ['rtb-a', 'rtb-c']);
    refusesWith(run, 'config.Backend.RouteTableID', /allows rtb-a, rtb-c \(got "rtb-b"\)/);
    refusesWith(() => checkRouteTableCeiling(config, []), 'config.Backend.RouteTableID', /which is empty.*"rtb-a"/);
  });

  it('counts retired tables, whose routes have to be deleted', () => {
    const retired = parseNetworkConfig({
      Network: '10.244.0.0/16',
      Backend: { Type: 'vxlan' },
      Leaseway: { Retired: [{ RouteTableID: 'rtb-a' }, { RouteTableID: ['rtb-b', 'rtb-z'] }] },
    });
    const run = () => checkRouteTableCeiling(retired, ['rtb-a', 'rtb-b'], 'net');
    refusesWith(run, 'net.Leaseway.Retired[1].RouteTableID', /got "rtb-z"/);
  });

  it('asks nothing of a configuration without tables', () => {
    const vxlan = parseNetworkConfig({ Network: '10.244.0.0/16', Backend: { Type: 'vxlan' } });
    assert.doesNotThrow(() => checkRouteTableCeiling(vxlan, []));
  });
});

describe('the ranges of the VPC', () => {
  const config = parseNetworkConfig({
    Network: '10.244.0.0/16',
    EnableIPv6: true,
    IPv6Network: 'fd00:244::/48',
    Backend: awsVpc,
  });
  const check = (...cidrs: string[]) =>
    checkVpcOverlap(
      config,
      cidrs.map((text) => parseCidr(text, 'vpc')),
    );

  it('D10: may lie beside the network', () => {
    assert.doesNotThrow(() => check('10.0.0.0/16', '10.245.0.0/16', '2600:1f14::/56', 'fd00:245::/48'));
    assert.doesNotThrow(() => check());
  });

  for (const [name, cidr] of [
    ['equal', '10.244.0.0/16'],
    ['wider', '10.0.0.0/8'],
    ['inside', '10.244.4.0/24'],
  ] as const) {
    it(`D10: are refused where ${name}`, () => {
      const run = () => check('10.0.0.0/16', cidr);
      if (cidr === '10.0.0.0/8') refusesWith(run, 'config.Network', /VPC's own range 10\.0\.0\.0\/8/);
      else refusesWith(run, 'config.Network', new RegExp(`VPC's own range ${cidr}.*got "10.244.0.0/16"`));
    });
  }

  it('D10: are refused for IPv6 too', () => {
    refusesWith(() => check('fd00:244::/56'), 'config.IPv6Network', /own range fd00:244::\/56/);
  });
});
