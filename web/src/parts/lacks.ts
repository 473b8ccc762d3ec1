// Lacks: what follows for the page from the parts that a robot does not have. Pure.
import { parts as words } from '../../strings.json';
import type { Part, Robot } from '../wire.ts';

export function lacks(robot: Robot | null, part: Part): boolean {
  return robot !== null && !robot.parts.includes(part);
}

// isBlind: nothing of the robot measures how far things are.
export function isBlind(robot: Robot | null): boolean {
  return lacks(robot, 'sonars') && lacks(robot, 'lidars');
}

// whyByHand is why this robot is driven by hand only; empty: it also drives by itself.
export function whyByHand(robot: Robot | null): string {
  if (isBlind(robot)) return words.blind;
  if (robot?.turning_radius) return words.car;
  return lacks(robot, 'map') ? words.noMap : '';
}

const PARTS: readonly Part[] = [
  'sonars',
  'lidars',
  'compass',
  'bumper',
  'ok_switch',
  'head',
  'speaker',
  'display',
  'battery',
  'encoder',
  'camera',
  'map',
];

// lacksOf names the parts that are not there, for the styles that hide what needs them: also "ranges", when nothing measures
// how far things are, and "goto", when the robot is driven by hand only.
export function lacksOf(robot: Robot | null): string {
  const missing: string[] = PARTS.filter((part) => lacks(robot, part));
  if (isBlind(robot)) missing.push('ranges');
  if (whyByHand(robot) !== '') missing.push('goto');
  return missing.join(' ');
}
