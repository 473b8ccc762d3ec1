// The robot's HTTP interface for saved drives.
import type { Waypoint } from './view.ts';

const URL = '/api/v1/motions';

// urlOf returns the download address of a saved drive.
export function urlOf(motion: number): string {
  return `${URL}/${motion}`;
}

// load fetches the points of a saved drive; it throws if the robot does not answer with them.
export async function load(motion: number): Promise<Waypoint[]> {
  const answer = await fetch(urlOf(motion));
  if (!answer.ok) throw new Error(answer.statusText);
  return ((await answer.json()) as { points: Waypoint[] }).points;
}

// upload sends a drive from a file to the robot. It returns what is wrong with the file, or an empty text;
// it throws if the robot does not answer.
export async function upload(file: File): Promise<string> {
  const answer = await fetch(URL, { method: 'POST', body: file });
  return answer.ok ? '' : (await answer.text()).trim();
}
