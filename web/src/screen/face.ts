// The face: eyes that look where the head turns, and blink, and a mouth that moves with speech.
import { pick } from '../dom.ts';
import type { Mood } from './show.ts';

// How far the eyes follow the head, in px of the face's picture per rad, and the limit.
const GAZE = 60;
const GAZE_MOST = 28;

// How often it blinks, and for how long, in ms.
const BLINK_LEAST = 2600;
const BLINK_MORE = 4200;
const BLINK_FOR = 130;

const SMILE: Record<Mood, number> = { calm: 34, going: 26, asking: 30, waiting: 4, stopped: 0, asleep: 14 };

// gaze returns the direction of the eyes, in px: the robot's left is on the viewer's right.
export function gaze(pan: number, tilt: number): [x: number, y: number] {
  const clamp = (x: number) => Math.max(-GAZE_MOST, Math.min(GAZE_MOST, Math.round(x * GAZE)));
  return [clamp(pan), clamp(-tilt)];
}

// mouth returns its outline, open from 0 to 1.
export function mouth(open: number, smile: number): string {
  const y = 392 - smile / 2;
  const wide = 80 - 26 * open;
  const [l, r] = [Math.round(400 - wide), Math.round(400 + wide)];
  const [above, below] = [Math.round(y + smile * 2 - open * 46), Math.round(y + smile * 2 + open * 96)];
  return `M${l} ${y}Q400 ${above} ${r} ${y}Q400 ${below} ${l} ${y}Z`;
}

export class Face {
  private readonly svg = pick<SVGElement>('#face');
  private readonly lips = pick<SVGPathElement>('.mouth', this.svg);
  private readonly still = matchMedia('(prefers-reduced-motion:reduce)');
  private mood: Mood = 'asleep';
  private shown = '';

  constructor() {
    this.blinkLater();
  }

  feel(mood: Mood): void {
    this.mood = mood;
  }

  look(pan: number, tilt: number): void {
    const [x, y] = gaze(pan, tilt);
    this.svg.style.setProperty('--gaze-x', `${x}px`);
    this.svg.style.setProperty('--gaze-y', `${y}px`);
  }

  // speak draws the mouth; speaking reports whether the robot speaks, open how far the mouth is open then.
  speak(speaking: boolean, open: number): void {
    const outline = mouth(speaking ? (this.still.matches ? 0.55 : open) : 0, SMILE[this.mood]);
    if (outline !== this.shown) this.lips.setAttribute('d', (this.shown = outline));
  }

  private blinkLater(): void {
    setTimeout(
      () => {
        if (!this.still.matches) {
          this.svg.dataset.blink = '';
          setTimeout(() => delete this.svg.dataset.blink, BLINK_FOR);
        }
        this.blinkLater();
      },
      BLINK_LEAST + Math.random() * BLINK_MORE,
    );
  }
}
