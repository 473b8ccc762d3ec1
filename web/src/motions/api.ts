// What the robot answers about the drives that it keeps.
import type { Waypoint } from './view.ts';

const URL = '/api/v1/motions';

// urlOf is where a kept drive is downloaded.
export function urlOf(motion: number): string {
  return `${URL}/${motion}`;
}

// load fetches the points of a kept drive; it throws when the robot does not give them.
export async function load(motion: number): Promise<Waypoint[]> {
  const answer = await fetch(urlOf(motion));
  if (!answer.ok) throw new Error(answer.statusText);
  return ((await answer.json()) as { points: Waypoint[] }).points;
}

// upload gives the robot a drive from a file. It answers with what is wrong with the file, or nothing; it throws when the
// robot does not answer.
export async function upload(file: File): Promise<string> {
  const answer = await fetch(URL, { method: 'POST', body: file });
  return answer.ok ? '' : (await answer.text()).trim();
}
