// A short tick: when the robot is stopped, and for who wants it when control changes. A browser that lets nothing be heard yet stays silent.
let context: AudioContext | null = null;

// tick sounds at a frequency in Hz.
export function tick(frequency = 440): void {
  if (typeof AudioContext === 'undefined' || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  const t = context.currentTime;
  const tone = new OscillatorNode(context, { type: 'triangle', frequency });
  const volume = new GainNode(context, { gain: 0.2 });
  volume.gain.exponentialRampToValueAtTime(0.001, t + 0.12);
  tone.connect(volume).connect(context.destination);
  tone.start(t);
  tone.stop(t + 0.13);
}
