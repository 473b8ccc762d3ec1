// An icon of the page's sprite.
export function icon(name: string): SVGSVGElement {
  const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  picture.setAttribute('class', 'i s');
  picture.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', `#i-${name}`);
  picture.append(use);
  return picture;
}
