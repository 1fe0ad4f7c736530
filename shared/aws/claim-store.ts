/** The `claims` table. */
import { answerItem } from '../domain/answer.ts';
import type { ClaimStore } from '../keeper/ports.ts';
import { getItem, putItem, type TableOptions } from './table.ts';

export function dynamoClaimStore(table: TableOptions): ClaimStore {
  return {
    // Two reads by key rather than one query: a node can put any number of items under its own ARN.
    read: async (instanceArn) => {
      const [claim, answer] = await Promise.all(
        ['claim', 'answer'].map((sk) => getItem(table, { pk: instanceArn, sk })),
      );
      return { claim: claim ?? null, answer: answer ?? null };
    },
    writeAnswer: (instanceArn, answer) => putItem(table, { ...answerItem(answer), pk: instanceArn, sk: 'answer' }),
  };
}
