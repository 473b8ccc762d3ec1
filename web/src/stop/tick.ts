// Short sounds: a tick when the robot is stopped, and for who wants it when control changes; a warble while a STOP has not arrived. A browser that lets nothing be heard yet stays silent.
let context: AudioContext | null = null;

// warble is for a STOP that has not arrived: nothing else sounds like it.
export function warble(): void {
  [880, 587, 880, 587].forEach((frequency, i) => tick(frequency, 'square', 0.14 * i));
}

// tick sounds at a frequency in Hz, after so many seconds.
export function tick(frequency = 440, type: OscillatorType = 'triangle', after = 0): void {
  if (typeof AudioContext === 'undefined' || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  const t = context.currentTime + after;
  const tone = new OscillatorNode(context, { type, frequency });
  const volume = new GainNode(context, { gain: 0.2 });
  volume.gain.setValueAtTime(0.2, t);
  volume.gain.exponentialRampToValueAtTime(0.001, t + 0.12);
  tone.connect(volume).connect(context.destination);
  tone.start(t);
  tone.stop(t + 0.13);
}
