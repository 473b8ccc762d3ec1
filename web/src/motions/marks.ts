// Marks: a motion on the map.
import { type Brush, path } from '../map/brush.ts';
import type { Point } from '../wire.ts';

export function drawMotion(b: Brush, line: readonly Point[]): void {
  const { c, p } = b;
  c.strokeStyle = p.ghost;
  c.lineWidth = 3;
  c.lineJoin = c.lineCap = 'round';
  c.setLineDash([1, 7]);
  path(b, line);
  c.stroke();
  c.setLineDash([]);
  c.lineCap = 'butt';
}
