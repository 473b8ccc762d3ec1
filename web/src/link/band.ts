// The bands of the network delay: fine, slow, bad. A change is reported only when the delay is clearly
// outside a band, not while it swings at the edge.
export type Band = 0 | 1 | 2;

export const SLOW = 0.4; // s, a noticeable round trip
export const BAD = 1.5; // s
const WAITS = 0.6; // s from which a lost packet over TCP alone can make the robot hold
const BACK = 0.85; // of an edge, below which it counts as lower again

// bandOf returns the band. rtt is in s, null if unknown; before is the previous band.
export function bandOf(rtt: number | null, before: Band): Band {
  if (rtt === null) return before;
  const above = (edge: number, band: Band) => rtt > edge || (before >= band && rtt > edge * BACK);
  return above(BAD, 2) ? 2 : above(SLOW, 1) ? 1 : 0;
}

// overTCP reports whether drive packets only have a slow channel on which they wait for lost ones.
export function overTCP({
  channel,
  rtt,
  socket,
}: {
  channel: number | null;
  rtt: number | null;
  socket: boolean;
}): boolean {
  return socket && channel === null && rtt !== null && rtt >= WAITS;
}
