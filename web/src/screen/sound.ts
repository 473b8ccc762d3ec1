// The mouth for a sound: how far it is open at each time.

const STEP_S = 0.04;
const SILENCE = 0.02; // share of the loudest

// envelope returns the loudness of a WAV file of 16 bit, mono, in each STEP_S, 0 to 1; empty for anything
// else.
export function envelope(file: ArrayBuffer): number[] {
  const HEADER = 44;
  if (file.byteLength < HEADER + 2) return [];
  const view = new DataView(file);
  const each = Math.round(view.getUint32(24, true) * STEP_S);
  const n = Math.floor((file.byteLength - HEADER) / 2);
  if (!each) return [];
  const loud: number[] = [];
  for (let i = 0; i < n; i += each) {
    let sum = 0;
    const end = Math.min(n, i + each);
    for (let k = i; k < end; k++) sum += (view.getInt16(HEADER + 2 * k, true) / 32768) ** 2;
    loud.push(Math.sqrt(sum / (end - i)));
  }
  const most = Math.max(...loud);
  return loud.map((x) => (most === 0 || x < SILENCE * most ? 0 : Math.sqrt(x / most)));
}

// opening returns how far the mouth is open at a time of the sound, in s.
export function opening(loud: number[], at: number): number {
  const x = at / STEP_S - 0.5;
  const i = Math.floor(x);
  const here = loud[i] ?? 0;
  const next = loud[i + 1] ?? 0;
  return here + (next - here) * (x - i);
}

// babble moves the mouth for speech of unknown sound.
export function babble(at: number): number {
  return at < 0 ? 0 : Math.abs(Math.sin(at * 10.4)) * (0.6 + 0.4 * Math.sin(at * 3.1));
}
