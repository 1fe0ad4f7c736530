/** Says when to look again. Rings during a pass are not lost; many rings are one. */

export interface Doorbell {
  ring(): void;
  /** Resolves at the next ring, at once if there was one since the last wait, or after `timeout` milliseconds. */
  wait(timeout: number): Promise<void>;
}

export function doorbell(): Doorbell {
  let rung = false;
  let answer: (() => void) | null = null;
  return {
    ring() {
      rung = true;
      answer?.();
    },
    async wait(timeout) {
      if (!rung) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          answer = resolve;
          timer = setTimeout(resolve, timeout);
        });
        clearTimeout(timer);
      }
      answer = null;
      rung = false;
    },
  };
}
