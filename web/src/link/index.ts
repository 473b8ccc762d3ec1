// The link to the robot, as the widgets see it.
import type { ControlAction, Result, Up, Virtual } from '../wire.ts';

// Order is a command whose answer the widget that gave it shows. The link adds its id, and the lease where one is wanted.
export type Order = Bare<
  Extract<
    Up,
    { type: 'plan' | 'goto' | 'goal' | 'pose' | 'world' | 'link' | 'motion' | 'job' | 'look' | 'joints' | 'part' }
  >
>;
type Bare<T> = T extends unknown ? Omit<T, 'id' | 'lease'> : never;

// Link sends what a person does. Every call is safe at any time; what cannot be sent is dropped, except STOP,
// which waits and goes out first when the connection is back.
export interface Link {
  // sendDrive sends one fresh sample of a held input: m/s forward and rad/s counter-clockwise, at 20 Hz and at once
  // on a change. The caller begins every press with (0, 0), sends (0, 0) three times on release, then nothing. The link
  // adds lease, hold, seq and validity (0.25 s). With virtual the robot follows the virtual robot's path: where that is
  // at t. It returns the sample's seq (compare with state.seq), or null when there was no open connection, in which case
  // nothing was sent.
  sendDrive(v: number, w: number, virtual?: { t: number; vr: Virtual }): number | null;

  stop(): void; // PANIC: by every way, again and again until the robot confirms it (model.stopping until then)
  unstop(): void; // after the button was held for 1.5 s
  control(action: ControlAction, more?: { reason?: string; to?: number }): void; // of session/protocol/protocol.md: take, release, request, ...
  rename(name: string): void;

  // ask sends an order and gives its answer. A refusal is a line in the log too; whoever asked shows it where it was asked.
  // Without a connection, or when it ends before the answer, the answer is INTERRUPTED.
  ask(order: Order): Promise<Result>;
  retry(): void; // "Try now": dial without waiting for the next probe
}

// The rest of what comes in is in the Model: model.hold grew -> let go, start from neutral; model.refusal -> why a drive
// sample was not taken; model.socket -> false when the connection closed.
