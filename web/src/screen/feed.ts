// The feed receives what the screen shows, and reconnects by itself.
import type { Show } from './show.ts';

const SILENCE_MS = 5000; // the robot sends something every 2 s
const BROKEN_MS = 1500; // a shorter interruption is not shown
const AGAIN_MS = 2000;
const LOOK_MS = 250;

export class Feed {
  private source: EventSource | null = null;
  private heard = -Infinity;
  private broken = true;
  private said = ''; // the reason in the robot's goodbye
  private opened = -Infinity;

  constructor(
    private readonly show: (s: Show) => void,
    private readonly gone: (why: string) => void,
  ) {
    this.open();
    setInterval(() => this.look(), LOOK_MS);
  }

  private open(): void {
    this.source?.close();
    this.opened = performance.now();
    const source = (this.source = new EventSource('/screen/events'));
    source.addEventListener('show', (e) => {
      this.heard = performance.now();
      this.broken = false;
      this.said = '';
      this.show(JSON.parse(e.data) as Show);
    });
    source.addEventListener('bye', (e) => {
      this.said = JSON.parse(e.data) as string;
      this.broken = true;
    });
    source.addEventListener('error', () => {
      this.broken = true;
    });
  }

  private look(): void {
    const now = performance.now();
    const silent = now - this.heard;
    if (this.said || silent > (this.broken ? BROKEN_MS : SILENCE_MS)) this.gone(this.said);
    const closed = this.source?.readyState === EventSource.CLOSED; // the browser has given up
    if ((closed || silent > SILENCE_MS) && now - this.opened > AGAIN_MS) this.open();
  }
}
