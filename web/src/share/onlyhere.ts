// The reach of a link.

// onlyHere reports whether a link only works on the robot's own computer.
export function onlyHere(link: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(link).hostname);
}
