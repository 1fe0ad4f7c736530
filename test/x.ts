import { x } from '../shared/domain/x.ts';
export const y = x;
