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

// remake gives an element these contents. What it has already stays and takes the new attributes, texts and
// clicks: so do the focus, which a screen reader would read again on another element, and a press.
export function remake(host: HTMLElement, ...inside: Node[]): void {
  inside.forEach((next, i) => {
    const old = host.childNodes[i];
    if (old === undefined) host.append(next);
    else if (old instanceof HTMLElement && next instanceof HTMLElement && isLike(old, next)) {
      for (const name of old.getAttributeNames()) if (!next.hasAttribute(name)) old.removeAttribute(name);
      for (const { name, value } of next.attributes)
        if (old.getAttribute(name) !== value) old.setAttribute(name, value);
      old.onclick = next.onclick;
      remake(old, ...next.childNodes);
    } else if (!old.isEqualNode(next)) old.replaceWith(next);
  });
  while (host.childNodes.length > inside.length) host.lastChild?.remove();
}

function isLike(a: HTMLElement, b: HTMLElement): boolean {
  return a.tagName === b.tagName && a.dataset['key'] === b.dataset['key'] && a.dataset['id'] === b.dataset['id'];
}
