// Gestures: the effect of pointers on the view.

const CLICK = 4; // px that a pointer may move without panning

export interface Gestures {
  take(e: PointerEvent): boolean; // true: this pointer is handled by the taker until its end
  taken(e: PointerEvent): void; // it moved
  end(e: PointerEvent | null): void; // it was released; null: it was cancelled
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  following(): boolean;
}

// listenPointers turns drags, pinches and the wheel into pans and zooms. The focus remains where it was, so
// that the driving keys work after a drag.
export function listenPointers(canvas: HTMLCanvasElement, gestures: Gestures): void {
  const down = new Map<number, { x: number; y: number }>();
  let moved = 0;
  let given: number | null = null; // the pointer that was taken

  canvas.addEventListener('pointerdown', (e) => {
    if (e.button > 1) return;
    e.preventDefault();
    if (down.size === 0) moved = 0;
    down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    canvas.setPointerCapture(e.pointerId);
    if (given !== null) {
      given = null;
      gestures.end(null);
    } else if (down.size === 1 && e.button === 0 && gestures.take(e)) {
      given = e.pointerId;
    }
  });
  canvas.addEventListener('mousedown', (e) => e.preventDefault());
  canvas.addEventListener('pointermove', (e) => {
    const from = down.get(e.pointerId);
    if (from === undefined) return;
    if (e.pointerId === given) {
      down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
      gestures.taken(e);
      return;
    }
    const to = { x: e.offsetX, y: e.offsetY };
    const other = [...down].find(([id]) => id !== e.pointerId)?.[1];
    if (other !== undefined) {
      const was = Math.hypot(from.x - other.x, from.y - other.y);
      const is = Math.hypot(to.x - other.x, to.y - other.y);
      if (was > 0 && is > 0) gestures.zoom(is / was, (to.x + other.x) / 2, (to.y + other.y) / 2);
      if (!gestures.following()) gestures.pan((to.x - from.x) / 2, (to.y - from.y) / 2);
    } else {
      moved += Math.hypot(to.x - from.x, to.y - from.y);
      if (moved > CLICK) gestures.pan(to.x - from.x, to.y - from.y);
    }
    down.set(e.pointerId, to);
  });
  const up = (e: PointerEvent) => {
    down.delete(e.pointerId);
    if (e.pointerId !== given) return;
    given = null;
    gestures.end(e.type === 'pointerup' ? e : null);
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('lostpointercapture', up);
  canvas.addEventListener(
    'wheel',
    (e) => {
      e.preventDefault();
      const lines = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      gestures.zoom(Math.exp(-e.deltaY * lines * (e.ctrlKey ? 0.01 : 0.0015)), e.offsetX, e.offsetY);
    },
    { passive: false },
  );
  listenPinch(canvas, (factor, x, y) => {
    if (down.size === 0) gestures.zoom(factor, x, y); // two fingers on a touch screen are pointers
  });
}

// Pinch is Safari's event of two fingers on a trackpad, which other browsers report as a wheel. No standard
// has it.
interface Pinch extends Event {
  scale: number; // since the fingers came down
  clientX: number;
  clientY: number;
}

function listenPinch(canvas: HTMLCanvasElement, zoom: Gestures['zoom']): void {
  let scale = 1;
  canvas.addEventListener('gesturestart', (e) => {
    e.preventDefault(); // Safari would magnify the page, and STOP would be out of sight
    scale = 1;
  });
  canvas.addEventListener('gesturechange', (e) => {
    e.preventDefault();
    const pinch = e as Pinch;
    const box = canvas.getBoundingClientRect();
    if (pinch.scale > 0) zoom(pinch.scale / scale, pinch.clientX - box.left, pinch.clientY - box.top);
    scale = pinch.scale || scale;
  });
}
