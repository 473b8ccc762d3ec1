import { icon } from '../icon.ts';

// make builds an element with attributes and content. The attribute icon names an icon of the sprite, which
// precedes the content.
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'icon') e.append(icon(value));
    else e.setAttribute(key, value);
  }
  e.append(...inside.filter((x) => x !== ''));
  return e;
}
