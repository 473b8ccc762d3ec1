// Edge: fills the area where a predicted view has no picture yet with the picture itself, small, stretched
// over the glass and blurred, as video stabilizers do. It carries no information; it is only not black.

const EACH = 0.2; // s
const WIDE = 16; // px; stretched, it looks like a blur
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
