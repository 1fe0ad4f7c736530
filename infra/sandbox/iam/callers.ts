import { type Caller, sandboxAccount, sandboxRegion } from '../service.ts';
import type { FunctionModel } from '../template/functions.ts';
import type { Stack } from '../template/stack.ts';
import type { Context } from './evaluate.ts';
import { functionStatements, managedStatements } from './policies.ts';
import type { Statement } from './statement.ts';

/**
 * Whom an access key stands for. Three forms are known:
 * - `LAMBDA.<logical id>.<n>`: a process of that function, with its role's policies;
 * - `NODE<instance id>` (`NODEi-0abc`): that instance's profile, with the policies named at the start (`NodePolicy`);
 * - anything else: an administrator, who may do everything.
 */
export interface Principal {
  readonly caller: Caller;
  /** Name of the function, if the caller is one. */
  readonly functionName?: string;
  /** Undefined: everything is allowed. */
  readonly statements?: readonly Statement[];
  readonly context: Context;
}

export class Callers {
  readonly #functions: ReadonlyMap<
    string,
    { readonly model: FunctionModel; readonly statements: readonly Statement[] }
  >;
  readonly #node: readonly Statement[];

  /** Throws a `TemplateError` for a policy that could not be enforced. */
  constructor(stack: Stack, functions: readonly FunctionModel[], nodePolicy: string) {
    this.#functions = new Map(
      functions.map((model) => [model.logicalId, { model, statements: functionStatements(model, stack) }]),
    );
    this.#node = managedStatements(nodePolicy, stack);
  }

  principal(accessKeyId: string): Principal {
    const of = (arn: string): Caller => ({ accessKeyId, arn, account: sandboxAccount });
    const [, logicalId = ''] = /^LAMBDA\.([^.]+)\.\d+$/.exec(accessKeyId) ?? [];
    const owner = this.#functions.get(logicalId);
    if (owner) {
      const { name } = owner.model;
      const arn = `arn:aws:sts::${sandboxAccount}:assumed-role/${name}-role/${name}`;
      return { caller: of(arn), functionName: name, statements: owner.statements, context: new Map() };
    }
    const [, instanceId] = /^NODE(i-[0-9a-z]+)$/.exec(accessKeyId) ?? [];
    if (instanceId !== undefined) {
      const instanceArn = `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:instance/${instanceId}`;
      const arn = `arn:aws:sts::${sandboxAccount}:assumed-role/leaseway-node/${instanceId}`;
      return { caller: of(arn), statements: this.#node, context: new Map([['ec2:sourceinstancearn', [instanceArn]]]) };
    }
    return { caller: of(`arn:aws:iam::${sandboxAccount}:user/${accessKeyId}`), context: new Map() };
  }
}
