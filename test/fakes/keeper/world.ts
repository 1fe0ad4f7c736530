/** A network on the fakes: the place in which a keeper works. */
import type { Answer } from '../../../shared/domain/answer.ts';
import type { Claim } from '../../../shared/domain/claim.ts';
import type { ClaimPorts, ClaimsReport } from '../../../shared/keeper/answer-claims.ts';
import { answerClaims } from '../../../shared/keeper/answer-claims.ts';
import type { Served } from '../../../shared/keeper/read-claims.ts';
import { FakeEc2 } from './ec2.ts';
import { Session } from './faults.ts';
import { FakeClaims, FakeLeases } from './tables.ts';

export const served: Served = { network: 'default', partition: 'aws', account: '123456789012', region: 'eu-west-1' };

export function arnOf(instanceId: string): string {
  return `arn:aws:ec2:eu-west-1:123456789012:instance/${instanceId}`;
}

export const netConf = {
  Network: '10.244.0.0/16',
  SubnetLen: 24,
  Backend: {
    Type: 'aws-vpc',
    RouteTableID: ['rtb-a', 'rtb-b', 'rtb-c'],
    Fallback: { Type: 'vxlan', VNI: 1, DirectRouting: true },
  },
};

/** 2026-11-01T00:00:00Z, in seconds. */
export const startOfTime = 1_793_491_200;

export class World {
  readonly claims = new FakeClaims();
  readonly leases = new FakeLeases();
  readonly ec2 = new FakeEc2();
  /** Epoch seconds. */
  now = startOfTime;
  #claimed = 0;

  constructor(config: object | null = netConf) {
    if (config !== null) this.configure(config);
  }

  configure(config: object): void {
    const revision = Number(this.leases.items.get('config')?.['revision'] ?? 0) + 1;
    this.leases.configure({ text: JSON.stringify(config), revision, appliedAt: this.now });
  }

  ports(session = new Session()): ClaimPorts {
    return {
      claims: this.claims.as(session),
      book: this.leases.as(session),
      ec2: this.ec2.as(session),
      vpc: this.ec2.vpc(session),
      clock: { now: () => this.now * 1000 },
    };
  }

  /** The node writes a claim. */
  claim(instanceId: string, fields: Partial<Claim> = {}): string {
    this.#claimed += 1;
    const claimId = `claim-${this.#claimed}`;
    this.claims.write(arnOf(instanceId), {
      claimId,
      network: 'default',
      subnet: null,
      eniId: null,
      onLinkPrefix: 24,
      mtu: 9001,
      revision: null,
      agentVersion: null,
      release: false,
      ...fields,
    });
    return claimId;
  }

  /** The keeper is woken by the claims of these instances. */
  async wake(instanceIds: readonly string[], session = new Session()): Promise<ClaimsReport> {
    const records = instanceIds.map((id, index) => ({ instanceArn: arnOf(id), sequenceNumber: String(index + 1) }));
    return answerClaims(this.ports(session), records, served);
  }

  /** The node claims, the keeper answers. */
  async join(instanceId: string, fields: Partial<Claim> = {}): Promise<Answer> {
    this.claim(instanceId, fields);
    await this.wake([instanceId]);
    return this.answer(instanceId);
  }

  answer(instanceId: string): Answer {
    const last = this.claims.history.findLast(({ arn }) => arn === arnOf(instanceId));
    if (last === undefined) throw new Error(`no answer for ${instanceId}`);
    return last.answer;
  }

  /** Subnet and state of the instance's leases, as text. */
  held(instanceId: string): string[] {
    return this.leases.leases
      .filter((lease) => lease.instanceId === instanceId)
      .map(({ subnet, state }) => `${subnet.text} ${state}`);
  }
}

export function subnetText(answer: Answer): string | null {
  return 'subnet' in answer ? answer.subnet.text : null;
}
