// Send: sends changes of the map to the robot.
import { mapedit as words } from '../../strings.json';
import type { Point } from '../wire.ts';

// Refused is why the robot refuses a change, and the wrong point of the map, if it is one.
export interface Refused {
  reason: string;
  at?: Point;
}

// send returns why the robot refuses; null if it has accepted.
export async function send(method: 'POST' | 'PUT', address: string, body: unknown): Promise<Refused | null> {
  try {
    const answer = await fetch(address, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.ok) return null;
    const text = (await answer.text()).trim();
    return answer.headers.get('Content-Type')?.startsWith('application/json')
      ? (JSON.parse(text) as Refused)
      : { reason: text || words.failed };
  } catch {
    return { reason: words.failed };
  }
}
