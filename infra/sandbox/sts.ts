import { type ApiRequest, AwsError, type Service } from './service.ts';

/** STS, as far as it says who is asking. */
export class Sts implements Service {
  readonly name = 'sts';
  readonly actions = ['GetCallerIdentity'];

  async handle({ action, caller }: ApiRequest): Promise<Readonly<Record<string, unknown>>> {
    if (action !== 'GetCallerIdentity') {
      throw new AwsError('InvalidAction', `Could not find operation ${action} for version 2011-06-15`);
    }
    // An assumed role's id ends in the session's name, which for an instance profile is the instance's id.
    const session = caller.arn.includes(':assumed-role/') ? caller.arn.split('/').at(-1) : undefined;
    const userId = session === undefined ? caller.accessKeyId : `AROASANDBOX:${session}`;
    return { UserId: userId, Account: caller.account, Arn: caller.arn };
  }
}
