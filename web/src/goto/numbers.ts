// Numbers: what a person types into the fields of a pose.
import { goto as words } from '../../strings.json';
import { say } from '../words.ts';
import type { Pose } from '../wire.ts';

// numberOf parses a typed number with a decimal point or comma and any minus sign. Null: it is no number.
export function numberOf(text: string): number | null {
  const plain = text.trim().replace(',', '.').replace('−', '-');
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null;
}

// poseOf parses three fields; now is the heading if none is typed. A string says what is wrong.
export function poseOf(x: string, y: string, deg: string, now: number): Pose | string {
  const [nx, ny] = [numberOf(x), numberOf(y)];
  if (nx === null || ny === null)
    return say(words.noNumber, nx === null ? { field: 'x', example: '12.10' } : { field: 'y', example: '3.35' });
  const nt = deg.trim() === '' ? (now * 180) / Math.PI : numberOf(deg);
  if (nt === null) return words.noHeading;
  return [nx, ny, (nt * Math.PI) / 180];
}
