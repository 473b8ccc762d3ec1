// A short tick when the robot is stopped. A browser that lets nothing be heard yet stays silent.
let context: AudioContext | null = null;

export function tick(): void {
  if (typeof AudioContext === 'undefined' || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  const t = context.currentTime;
  const tone = new OscillatorNode(context, { type: 'triangle', frequency: 440 });
  const volume = new GainNode(context, { gain: 0.2 });
  volume.gain.exponentialRampToValueAtTime(0.001, t + 0.12);
  tone.connect(volume).connect(context.destination);
  tone.start(t);
  tone.stop(t + 0.13);
}
