// Edge: what lies where a view that is turned ahead has no picture yet: the picture itself, small, stretched over the glass and
// blurred, as video stabilizers do. It tells nothing; it is only not black.

const EACH = 0.2; // s
const WIDE = 16; // px; stretched it is as soft as a blur
const HIGH = 12;

export interface Edge {
  show(video: HTMLVideoElement | null, t: number): void; // null: the picture covers the glass
}

export function mountEdge(canvas: HTMLCanvasElement): Edge {
  const g = canvas.getContext('2d');
  let drawn = -Infinity;
  canvas.width = WIDE;
  canvas.height = HIGH;
  return {
    show(video, t) {
      if (canvas.hidden !== (video === null)) canvas.hidden = video === null;
      if (video === null || g === null || t - drawn < EACH) return;
      drawn = t;
      g.drawImage(video, 0, 0, WIDE, HIGH);
    },
  };
}
