// The player of a trial: the time that is shown, and how it passes.
const LASTS = 20; // s that a whole trial takes at most

export class Player {
  #end = 0; // s
  #at = 0; // s, when it began to play or stood last
  #began = 0; // ms; 0: it stands
  readonly #tell: () => void;

  // tell is called whenever the time or playing has changed.
  constructor(tell: () => void) {
    this.#tell = tell;
  }

  // load shows another trial, at its beginning.
  load(end: number): void {
    this.#end = end;
    this.seek(0);
  }

  // time returns the time that is shown, in s.
  time(): number {
    if (this.#began === 0) return this.#at;
    return Math.min(this.#end, this.#at + ((performance.now() - this.#began) / 1000) * this.#rate());
  }

  playing(): boolean {
    return this.#began !== 0;
  }

  // seek stands at a time.
  seek(t: number): void {
    this.#began = 0;
    this.#at = Math.max(0, Math.min(this.#end, t));
    this.#tell();
  }

  // toggle plays or stands. At the end it begins again.
  toggle(): void {
    if (this.playing()) {
      this.seek(this.time());
      return;
    }
    if (this.#at >= this.#end) this.#at = 0;
    this.#began = performance.now();
    const frame = () => {
      if (this.#began === 0) return;
      if (this.time() >= this.#end) this.seek(this.#end);
      else {
        this.#tell();
        requestAnimationFrame(frame);
      }
    };
    frame();
  }

  #rate(): number {
    return Math.max(1, this.#end / LASTS);
  }
}
