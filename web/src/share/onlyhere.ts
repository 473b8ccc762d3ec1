// What a link is good for.

// onlyHere tells whether a link leads a computer to itself.
export function onlyHere(link: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(link).hostname);
}
