// LevelMeter shows the level of the robot's sound on a button.
export class LevelMeter {
  readonly #button: HTMLElement;
  #context: AudioContext | null = null;
  #analyser: AnalyserNode | null = null; // null: it measures nothing
  #shown = '';

  constructor(button: HTMLElement) {
    this.#button = button;
  }

  // listen measures the sound of a stream from now on; null, or a stream without sound, ends that.
  listen(stream: MediaStream | null): void {
    this.#analyser = null;
    if (stream === null || stream.getAudioTracks().length === 0) return;
    this.#context ??= new AudioContext();
    void this.#context.resume();
    this.#analyser = this.#context.createAnalyser();
    this.#analyser.fftSize = 512;
    this.#context.createMediaStreamSource(stream).connect(this.#analyser);
  }

  show(): void {
    let peak = 0;
    if (this.#analyser !== null) {
      const wave = new Float32Array(this.#analyser.fftSize);
      this.#analyser.getFloatTimeDomainData(wave);
      for (const v of wave) peak = Math.max(peak, Math.abs(v));
    }
    const loud = peak.toFixed(2);
    if (loud === this.#shown) return;
    this.#shown = loud;
    this.#button.style.setProperty('--loud', loud);
  }
}
