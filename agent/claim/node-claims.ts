/** The node's own two items in the claims table: the whole of what its policy lets it write. */
import { getItem, putItem, type TableOptions } from '../../shared/aws/table.ts';
import { type Answer, parseAnswer } from '../../shared/domain/answer.ts';
import { type Claim, claimItem } from '../../shared/domain/claim.ts';

export interface NodeClaims {
  /** Replaces the claim. @throws Refusal; it may have been written all the same */
  write(claim: Claim, signal: AbortSignal): Promise<void>;
  /** The keeper's last answer, to whichever claim; null: none yet. @throws Refusal, InvalidInput */
  readAnswer(signal: AbortSignal): Promise<Answer | null>;
}

/** @param instanceArn the partition key: the node's policy admits no other */
export function dynamoNodeClaims(table: TableOptions, instanceArn: string): NodeClaims {
  const claimKey = { pk: instanceArn, sk: 'claim' };
  return {
    write: (claim, signal) => putItem({ ...table, signal }, { ...claimItem(claim), ...claimKey }),
    readAnswer: async (signal) => {
      const item = await getItem({ ...table, signal }, { pk: instanceArn, sk: 'answer' });
      return item === null ? null : parseAnswer(item);
    },
  };
}
