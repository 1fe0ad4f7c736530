/**
 * Readiness for systemd (`Type=notify`, `NotifyAccess=all`): Node has no datagram sockets of the Unix kind, so
 * `systemd-notify` sends the word.
 */
import type { Runner } from './linux/runner.ts';
import type { AgentLog } from './reconcile/ports.ts';

export interface Notifier {
  /** Says once that the agent is ready; later calls only renew the line that `systemctl status` shows. */
  ready(status: string): Promise<void>;
  /** That line alone. */
  status(status: string): Promise<void>;
}

/** @param socket `NOTIFY_SOCKET`; undefined: nobody wants to know */
export function systemdNotifier(runner: Runner, socket: string | undefined, log: AgentLog): Notifier {
  let isReady = false;
  let shown = '';
  const send = async (args: readonly string[]) => {
    if (socket === undefined || socket === '') return;
    try {
      await runner.run(['systemd-notify', ...args]);
    } catch (error) {
      log.warn(`systemd is not told: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const line = (text: string) => `--status=${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  return {
    ready: async (text) => {
      if (isReady && text === shown) return;
      const args = isReady ? [line(text)] : ['--ready', line(text)];
      isReady = true;
      shown = text;
      await send(args);
    },
    status: async (text) => {
      if (text === shown) return;
      shown = text;
      await send([line(text)]);
    },
  };
}
