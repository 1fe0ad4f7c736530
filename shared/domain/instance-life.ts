/** What EC2 says about the life of an instance. */

/** EC2's six states, and `gone`: absent from two complete readings an hour apart (EC2 forgets the dead in about one). */
export type LifeState = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated' | 'gone';

export const instanceStates = ['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated'] as const;

/** The states of `DescribeInstances` and of state-change events. */
export type InstanceState = (typeof instanceStates)[number];

/** The last word of EC2 on an instance. */
export interface LifeFact {
  readonly state: LifeState;
  /** Epoch seconds: the event's own time, or 60 s before a reading began (a reading may lag behind events). */
  readonly time: number;
}
