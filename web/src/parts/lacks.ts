// Lacks: the effect of missing parts of the robot on the page. Pure.
import { parts as words } from '../../strings.json';
import type { Part, Robot } from '../wire.ts';

export function lacks(robot: Robot | null, part: Part): boolean {
  return robot !== null && !robot.parts.includes(part);
}

// isBlind: the robot has no range sensors.
export function isBlind(robot: Robot | null): boolean {
  return lacks(robot, 'sonars') && lacks(robot, 'lidars');
}

// whyByHand returns why this robot can only be driven by hand; empty: it also drives autonomously.
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

// lacksOf returns the names of the missing parts, for the styles that hide what needs them: also "ranges"
// for a robot without range sensors, and "goto" for a robot that can only be driven by hand.
export function lacksOf(robot: Robot | null): string {
  const missing: string[] = PARTS.filter((part) => lacks(robot, part));
  if (isBlind(robot)) missing.push('ranges');
  if (whyByHand(robot) !== '') missing.push('goto');
  return missing.join(' ');
}
