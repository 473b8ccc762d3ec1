// The speaker plays the robot's speech: its own voice as a file, or this browser's voice.
import type { Speech } from './show.ts';
import { babble, envelope, opening } from './sound.ts';

export interface Hooks {
  blocked(on: boolean): void; // the browser plays no sound before a person has touched the page
  spoken(n: number): void; // this browser has finished speaking
}

const LATE_S = 0.3; // a sound with a longer delay is joined at its present position

export class Speaker {
  private speech: Speech | null = null;
  private began = 0; // s, of the page's clock
  private audio: HTMLAudioElement | null = null;
  private loud: number[] = [];
  private stuck = false;

  constructor(private readonly hooks: Hooks) {}

  // say follows the robot's speech; said is the elapsed time of the speech, in s.
  say(speech: Speech | null, said: number): void {
    if (speech?.n === this.speech?.n) return;
    this.hush();
    this.speech = speech;
    this.began = performance.now() / 1000 - said;
    if (speech) this.play(speech);
  }

  // touched is called when a person has touched the page, so that sound is allowed.
  touched(): void {
    if (!this.stuck) return;
    this.block(false);
    if (this.speech) this.play(this.speech);
  }

  // mouth returns how far the mouth is open now, 0 to 1.
  mouth(): number {
    if (!this.speech) return 0;
    const at = performance.now() / 1000 - this.began;
    if (at * 1000 > this.speech.ms && this.speech.aloud) return 0;
    return this.loud.length ? opening(this.loud, at) : babble(at);
  }

  private play(speech: Speech): void {
    if (speech.base) return;
    if (speech.aloud) void this.playWave(speech);
    else this.synthesize(speech);
  }

  private async playWave(speech: Speech): Promise<void> {
    const address = `/api/v1/speech.wav?${new URLSearchParams({ text: speech.text, voice: speech.voice, speed: String(speech.speed) })}`;
    const audio = new Audio(address);
    this.audio = audio;
    void this.listen(speech, address);
    try {
      const late = performance.now() / 1000 - this.began;
      if (late > LATE_S) audio.currentTime = late;
      await audio.play();
    } catch (e) {
      if (this.audio === audio && (e as DOMException).name === 'NotAllowedError') this.block(true);
    }
  }

  private async listen(speech: Speech, address: string): Promise<void> {
    try {
      const answer = await fetch(address);
      if (!answer.ok) return;
      const loud = envelope(await answer.arrayBuffer());
      if (this.speech?.n === speech.n) this.loud = loud;
    } catch {
      // the mouth moves without it
    }
  }

  private synthesize(speech: Speech): void {
    if (!('speechSynthesis' in window)) return; // the robot continues after a timeout
    const say = new SpeechSynthesisUtterance(speech.text);
    say.lang = speech.voice.split('+')[0] || 'en';
    say.rate = speech.speed || 1;
    say.onend = () => {
      if (this.speech?.n === speech.n) this.hooks.spoken(speech.n);
    };
    say.onerror = (e) => {
      if (e.error === 'not-allowed' && this.speech?.n === speech.n) this.block(true);
    };
    speechSynthesis.speak(say);
  }

  private hush(): void {
    this.speech = null; // first, so that the caused end event is ignored
    this.loud = [];
    this.audio?.pause();
    this.audio = null;
    if ('speechSynthesis' in window) speechSynthesis.cancel();
  }

  private block(on: boolean): void {
    this.stuck = on;
    this.hooks.blocked(on);
  }
}
