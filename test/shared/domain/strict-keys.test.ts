import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { nearestWord } from '../../../shared/domain/strict-keys.ts';
import { refusesWith } from './refusal.ts';

const plain = { Network: '10.3.0.0/16', Backend: { Type: 'vxlan' } };

function refuses(input: unknown, field: string, problem: RegExp): void {
  refusesWith(() => parseNetworkConfig(input), field, problem);
}

describe('keys of the configuration', () => {
  it('are free in case at every level', () => {
    const config = parseNetworkConfig({
      NETWORK: '10.3.0.0/16',
      subnetLEN: 25,
      backend: { tYPE: 'aws-vpc', routetableid: 'rtb-a', FALLBACK: { type: 'vxlan', vni: 7, DIRECTROUTING: true } },
      LEASEWAY: { mode: 'observe', retired: [{ NETWORK: '10.4.0.0/16', subnetlen: 24 }] },
    });
    assert.equal(config.families[0]?.subnetLen, 25);
    assert.equal(config.mode, 'observe');
    assert.equal(config.retired[0]?.subnetLen, 24);
    assert.ok(config.backend.type === 'aws-vpc' && config.backend.fallback?.type === 'vxlan');
    assert.deepEqual(config.backend.routeTableIds, ['rtb-a']);
    assert.equal(config.backend.fallback.vni, 7);
    assert.equal(config.backend.fallback.directRouting, true);
  });

  for (const [input, field, near] of [
    [{ ...plain, SubnetLength: 24 }, 'config.SubnetLength', 'SubnetLen'],
    [{ ...plain, 'subnet-len': 24 }, 'config["subnet-len"]', 'SubnetLen'],
    [{ ...plain, Backend: { Type: 'vxlan', DirectRoutng: true } }, 'config.Backend.DirectRoutng', 'DirectRouting'],
    [{ ...plain, Backend: { Type: 'aws-vpc', RouteTableIDs: [] } }, 'config.Backend.RouteTableIDs', 'RouteTableID'],
    [
      { ...plain, Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-a', Fallback: { Type: 'vxlan', VNID: 2 } } },
      'config.Backend.Fallback.VNID',
      'VNI',
    ],
    [{ ...plain, Leaseway: { WhenStoped: 'keep' } }, 'config.Leaseway.WhenStoped', 'WhenStopped'],
    [
      { ...plain, Leaseway: { Retired: [{ Networks: '10.4.0.0/16' }] } },
      'config.Leaseway.Retired[0].Networks',
      'Network',
    ],
  ] as const) {
    it(`M7: are refused where misspelt: ${field}, and ${near} is suggested`, () => {
      refuses(input, field, new RegExp(`not a known key; is ${near} meant`));
    });
  }

  it('are refused where unknown, with the known ones', () => {
    refuses({ ...plain, Wurst: 1 }, 'config.Wurst', /not a known key; known here: .*Network, .*Leaseway.*got 1/);
    refuses({ ...plain, Backend: { Type: 'host-gw', VNI: 1 } }, 'config.Backend.VNI', /known here: Type, MTU/);
    const nested = { Type: 'vxlan', Fallback: { Type: 'host-gw' } };
    refuses({ ...plain, Backend: nested }, 'config.Backend.Fallback', /not a known key/);
  });

  it('are refused in two spellings, at every level', () => {
    refuses({ ...plain, network: '10.3.0.0/16' }, 'config.network', /second spelling of Network/);
    refuses({ ...plain, Backend: { Type: 'vxlan', type: 'vxlan' } }, 'config.Backend.type', /second spelling of Type/);
    refuses({ ...plain, Backend: { Type: 'vxlan', VNI: 1, vni: 1 } }, 'config.Backend.vni', /second spelling of VNI/);
    refuses({ ...plain, Leaseway: { mode: 'observe', Mode: 'observe' } }, 'config.Leaseway.Mode', /spelling of mode/);
  });

  it('are refused when given twice in the text', () => {
    const text = '{"Network":"10.3.0.0/16","Backend":{"Type":"vxlan",\n"VNI":1,"VNI":2}}';
    refuses(text, 'config.Backend.VNI', /second time at line 2 column 9/);
  });

  it('are own keys only', () => {
    refuses(JSON.parse('{"__proto__":{"Network":"10.3.0.0/16"}}'), 'config.__proto__', /not a known key/);
  });

  for (const [name, input] of [
    ['a list', []],
    ['null', null],
    ['a number', 7],
    ['a string of JSON', '"text"'],
  ] as const) {
    it(`need an object, not ${name}`, () => refuses(input, 'config', /is not an object/));
  }

  it('need an object in each block', () => {
    refuses({ ...plain, Backend: 'vxlan' }, 'config.Backend', /is not an object \(got "vxlan"\)/);
    refuses({ ...plain, Leaseway: [] }, 'config.Leaseway', /is not an object/);
    refuses({ ...plain, Leaseway: { Retired: ['rtb-a'] } }, 'config.Leaseway.Retired[0]', /is not an object/);
    refuses(undefined, 'config', /is required/);
  });

  it('hang below the name that the caller gives', () => {
    const run = () => parseNetworkConfig({ ...plain, SubnetLen: '24' }, { field: 'map.config' });
    refusesWith(run, 'map.config.SubnetLen', /whole number/);
  });
});

describe('lenient reading', () => {
  const lenient = (input: unknown) => parseNetworkConfig(input, { lenient: true });

  it('ignores unknown keys at every level', () => {
    const config = lenient({
      ...plain,
      Later: { a: 1 },
      Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-a', Later: 1, Fallback: { Type: 'host-gw', Later: 1 } },
      Leaseway: { Later: 1, Retired: [{ RouteTableID: 'rtb-b', Later: 1 }] },
    });
    assert.deepEqual(
      config,
      parseNetworkConfig({
        ...plain,
        Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-a', Fallback: { Type: 'host-gw' } },
        Leaseway: { Retired: [{ RouteTableID: 'rtb-b' }] },
      }),
    );
  });

  it('checks known keys all the same', () => {
    refusesWith(() => lenient({ ...plain, SubnetLen: 31 }), 'config.SubnetLen', /not between/);
    refusesWith(() => lenient({ ...plain, Backend: { Type: 'udp' } }), 'config.Backend.Type', /not support/);
    refusesWith(() => lenient({ ...plain, network: 1 }), 'config.network', /second spelling/);
  });
});

describe('the near word', () => {
  it('is found over case and separators, by few changes, and else is none', () => {
    const known = ['SubnetMin', 'SubnetMax', 'Mode'];
    assert.equal(nearestWord('subnet_max', known), 'SubnetMax');
    assert.equal(nearestWord('SubetMin', known), 'SubnetMin');
    assert.equal(nearestWord('mod', known), 'Mode');
    assert.equal(nearestWord('Port', known), null);
    assert.equal(nearestWord('', known), null);
  });
});
