// Send: what is changed of the map goes to the robot.
import { mapedit as words } from '../../strings.json';

// send returns why the robot does not take it; empty when it has.
export async function send(method: 'POST' | 'PUT', address: string, body: unknown): Promise<string> {
  try {
    const answer = await fetch(address, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.ok) return '';
    const text = (await answer.text()).trim();
    return (
      (answer.headers.get('Content-Type')?.startsWith('application/json')
        ? (JSON.parse(text) as { reason: string }).reason
        : text) || words.failed
    );
  } catch {
    return words.failed;
  }
}
