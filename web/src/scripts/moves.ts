// Whether a script moves the robot, for the offer to try it first. Pure.
const QUIET = /\/\*[^]*?\*\/|(?:#|\/\/).*|"(?:[^"\\]|\\.)*"/g; // comments and texts
const MOVES =
  /\b(?:goto|dock|job|forward|turn|look)\s*\(|\b(?:drive|turn|wheelL|wheelR|wheels|headPan|headTilt|head)(?:\.val)?(?:n|'n)?\s*(?:=(?!=)|\+\+|--)|(?<!\.)\bload\b/;

// moves: a command of the script moves the wheels or the head, or loads another script that may do so.
export const moves = (text: string): boolean => MOVES.test(text.replace(QUIET, ' '));
