// The bands of the network delay: fine, slow, bad. It is told when the delay leaves one, not while it swings at its edge.
export type Band = 0 | 1 | 2;

export const SLOW = 0.4; // s, a round trip that is noticed
export const BAD = 1.5; // s
const WAITS = 0.6; // s from which over TCP alone a lost packet can make the robot hold
const BACK = 0.85; // of an edge, before it counts as lower again

// bandOf: rtt is in s, null when it is not known; before is the band until now.
export function bandOf(rtt: number | null, before: Band): Band {
  if (rtt === null) return before;
  const above = (edge: number, band: Band) => rtt > edge || (before >= band && rtt > edge * BACK);
  return above(BAD, 2) ? 2 : above(SLOW, 1) ? 1 : 0;
}

// overTCP tells whether drive packets have only a way on which they wait for what was lost, and that one is long.
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
