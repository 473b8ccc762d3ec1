// The link to the robot, as the widgets use it.
import type { ControlAction, Result, Up, Virtual } from '../wire.ts';

// Order is a command whose answer is shown by the widget that sent it. The link adds its id and, if needed,
// the lease.
export type Order = Bare<
  Extract<
    Up,
    {
      type:
        | 'plan'
        | 'goto'
        | 'goal'
        | 'pose'
        | 'world'
        | 'link'
        | 'motion'
        | 'job'
        | 'look'
        | 'joints'
        | 'part'
        | 'watch';
    }
  >
>;
type Bare<T> = T extends unknown ? Omit<T, 'id' | 'lease'> : never;

// Link sends what a person does. Every call is safe at any time. What cannot be sent is dropped, except
// STOP, which is sent first when the connection is back.
export interface Link {
  // sendDrive sends one fresh sample of a held input: m/s forward and rad/s counter-clockwise, at 20 Hz and
  // at once on a change. The caller begins every press with (0, 0), sends (0, 0) three times on release,
  // then nothing. The link adds lease, hold, seq and validity (0.25 s). With virtual, the pose of the
  // virtual robot at t, the robot follows its path. It returns the sample's seq (compare with state.seq),
  // or null without an open connection, in which case nothing was sent.
  sendDrive(v: number, w: number, virtual?: { t: number; vr: Virtual }): number | null;

  stop(): void; // PANIC: over every channel, repeatedly until the robot confirms it (model.stopping until then)
  unstop(): void; // after the button was held for 1.5 s
  control(action: ControlAction, more?: { reason?: string; to?: number }): void; // of session/protocol/protocol.md: take, release, request, ...
  rename(name: string): void;

  // ask sends an order and returns its answer. A refusal is also logged; the caller shows it in its place.
  // Without a connection, or when it ends before the answer, the answer is INTERRUPTED.
  ask(order: Order): Promise<Result>;
  retry(): void; // "Try now": connects without waiting for the next probe
}

// Everything else arrives in the Model: model.hold grew -> let go, start from neutral; model.refusal -> why
// a drive sample was refused; model.socket -> false when the connection closed.
