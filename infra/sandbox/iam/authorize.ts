import { type ApiRequest, AwsError } from '../service.ts';
import type { Principal } from './callers.ts';
import { isAllowed } from './evaluate.ts';
import { needsOf, type Surroundings } from './needs.ts';
import type { Statement } from './statement.ts';

/** Throws the service's own denial unless the caller's policies allow all that the call needs. */
export function authorize(request: ApiRequest, principal: Principal, surroundings: Surroundings): void {
  const { statements, context, caller } = principal;
  if (!statements) return;
  const denied = needsOf(request, context, needed(statements, surroundings)).find(
    (need) => !isAllowed(need, statements),
  );
  if (!denied) return;
  const who = `User: ${caller.arn} is not authorized to perform: ${denied.action} on resource: ${denied.resource}`;
  if (request.service === 'ec2') {
    throw new AwsError('UnauthorizedOperation', `You are not authorized to perform this operation. ${who}`, 403);
  }
  const status = request.service === 'lambda' ? 403 : 400;
  throw new AwsError(
    'AccessDeniedException',
    `${who} because no identity-based policy allows the ${denied.action} action`,
    status,
  );
}

/** Looking a resource's tags up is dear; most policies do not ask. */
function needed(statements: readonly Statement[], surroundings: Surroundings): Surroundings {
  const asks = statements.some(({ conditions }) => conditions.some(({ key }) => /^ec2:resourcetag\//i.test(key)));
  return asks ? surroundings : { ...surroundings, tags: () => ({}) };
}
