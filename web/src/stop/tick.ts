// Short sounds: a tick when the robot is stopped and, optionally, when control changes; a warble while a
// STOP has not arrived. Before the browser allows sound, it is silent.
let context: AudioContext | null = null;

// warble signals a STOP that has not arrived; it is unlike all other sounds.
export function warble(): void {
  [880, 587, 880, 587].forEach((frequency, i) => tick(frequency, 'square', 0.14 * i));
}

// tick plays a tone with a frequency in Hz, after a number of seconds.
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
