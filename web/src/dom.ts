// Basic operations on the page for every widget. A missing element is a fault of the page, reported at
// once.

export function pick<E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E {
  const found = within.querySelector<E>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

// clone clones a repeated block from its <template>.
export function clone<E extends Element = HTMLElement>(id: string): E {
  const block = pick<HTMLTemplateElement>(`template#${id}`).content.firstElementChild;
  if (!block) throw new Error(`the template ${id} is empty`);
  return block.cloneNode(true) as E;
}

// under returns the nearest element around an event's target that matches; null: there is none.
export function under(e: Event, selector: string): HTMLElement | null {
  return e.target instanceof Element ? e.target.closest<HTMLElement>(selector) : null;
}

// deedOf returns the name of the action of the button that an event is on.
export function deedOf(e: Event): string | undefined {
  return under(e, '[data-do]')?.dataset['do'];
}

// setText writes only a new text, to avoid needless layout and announcements.
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setIcon(within: Element, name: string): void {
  const use = pick<SVGUseElement>('use', within);
  const href = `#i-${name}`;
  if (use.getAttribute('href') !== href) use.setAttribute('href', href);
}

// hide and mark write only new values, because each write restyles the element.
export function hide(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

export function mark(element: HTMLElement, name: string, value: string): void {
  if (element.dataset[name] !== value) element.dataset[name] = value;
}

// COUNT_MS is the interval at which running seconds are updated.
export const COUNT_MS = 200;

// focusPanel moves the focus to the side panel when the focused element is gone. It shows no frame there,
// because the person did not choose the panel.
export function focusPanel(): void {
  const body = pick('#body');
  toggle(body, 'quiet', true);
  body.addEventListener('blur', () => toggle(body, 'quiet', false), { once: true });
  body.focus({ preventScroll: true });
}

// arrange shows these children. Those that stay are not moved: a press and the focus on one outlast a change
// of the others. The focus on one that goes is not passed to another one, which the next key would press.
export function arrange(host: HTMLElement, children: HTMLElement[]): void {
  for (const child of [...host.children]) {
    if (children.includes(child as HTMLElement)) continue;
    if (child.contains(document.activeElement)) focusPanel();
    child.remove();
  }
  children.forEach((child, i) => {
    if (host.children[i] !== child) host.insertBefore(child, host.children[i] ?? null);
  });
}

// toggle sets or removes a data attribute for CSS.
export function toggle(element: HTMLElement, name: string, on: boolean): void {
  if (on !== name in element.dataset) {
    if (on) element.dataset[name] = '';
    else delete element.dataset[name];
  }
}
