import type { SandboxClock } from './service.ts';

/** `setTimeout` fires at once when asked for more than this; a later alarm is set again. */
const longestTimer = 2 ** 31 - 1;

/** The sandbox's clock with alarms: what waits for a time of day waits here, so that advancing the clock wakes it. */
export interface AlarmClock extends SandboxClock {
  /** Milliseconds the clock is ahead of the machine's. */
  offset(): number;
  /** Runs `action` once the clock shows `time` (ms since the epoch) or later. Returns its cancellation. */
  at(time: number, action: () => void): () => void;
  /** Told the new offset after every advance, before overdue alarms ring. Returns its cancellation. */
  onAdvance(listener: (offsetMs: number) => void): () => void;
  /** Cancels all alarms and sets no more. */
  stop(): void;
}

interface Alarm {
  readonly time: number;
  readonly action: () => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Real time plus what was added; `start` (ms since the epoch) is what it shows at first, the machine's time unless
 * given. A jump rings every alarm it passes once, in the order of their times: a recurring
 * schedule that sets its next alarm from the new time therefore runs once for a jump over many of its periods.
 */
export function createClock(start = Date.now()): AlarmClock {
  let offset = start - Date.now();
  let stopped = false;
  const alarms = new Set<Alarm>();
  const listeners = new Set<(offsetMs: number) => void>();
  const now = () => Date.now() + offset;

  function arm(alarm: Alarm): void {
    const wait = Math.max(0, alarm.time - now());
    alarm.timer = setTimeout(() => (now() >= alarm.time ? ring(alarm) : arm(alarm)), Math.min(wait, longestTimer));
  }

  function ring(alarm: Alarm): void {
    clearTimeout(alarm.timer);
    if (alarms.delete(alarm)) alarm.action();
  }

  return {
    now,
    offset: () => offset,
    at(time, action) {
      const alarm: Alarm = { time, action, timer: undefined };
      if (stopped) return () => {};
      alarms.add(alarm);
      arm(alarm);
      return () => {
        clearTimeout(alarm.timer);
        alarms.delete(alarm);
      };
    },
    onAdvance(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    advance(seconds) {
      offset += seconds * 1000;
      for (const listener of listeners) listener(offset);
      const present = now();
      const due = [...alarms].filter((alarm) => alarm.time <= present).sort((a, b) => a.time - b.time);
      for (const alarm of due) ring(alarm);
    },
    stop() {
      stopped = true;
      for (const alarm of alarms) clearTimeout(alarm.timer);
      alarms.clear();
      listeners.clear();
    },
  };
}
