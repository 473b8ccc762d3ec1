// The few steps every widget takes in the page. A part that is not there is a fault of the page, told at once.

export function pick<E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E {
  const found = within.querySelector<E>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

// clone makes one of a repeated block from its <template>.
export function clone<E extends Element = HTMLElement>(id: string): E {
  const block = pick<HTMLTemplateElement>(`template#${id}`).content.firstElementChild;
  if (!block) throw new Error(`the template ${id} is empty`);
  return block.cloneNode(true) as E;
}

// under is the part of the page that an event is on and that fits; null: there is none.
export function under(e: Event, selector: string): HTMLElement | null {
  return e.target instanceof Element ? e.target.closest<HTMLElement>(selector) : null;
}

// deedOf names what the button does that an event is on.
export function deedOf(e: Event): string | undefined {
  return under(e, '[data-do]')?.dataset['do'];
}

// setText writes only what is new, so that nothing is laid out or spoken again for nothing.
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setIcon(within: Element, name: string): void {
  const use = pick<SVGUseElement>('use', within);
  const href = `#i-${name}`;
  if (use.getAttribute('href') !== href) use.setAttribute('href', href);
}

// hide and mark write only what is new: an attribute that is written anew has its element styled anew.
export function hide(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

export function mark(element: HTMLElement, name: string, value: string): void {
  if (element.dataset[name] !== value) element.dataset[name] = value;
}

// due is when what counts seconds is looked at again.
export const COUNT_MS = 200;

// focusPanel leaves the focus in the side panel when what had it is gone. Only Tab brings a frame with it: nothing was chosen here.
export function focusPanel(): void {
  const body = pick('#body');
  toggle(body, 'quiet', true);
  body.addEventListener('blur', () => toggle(body, 'quiet', false), { once: true });
  body.focus({ preventScroll: true });
}

// toggle keeps a data attribute that CSS looks at.
export function toggle(element: HTMLElement, name: string, on: boolean): void {
  if (on !== name in element.dataset) {
    if (on) element.dataset[name] = '';
    else delete element.dataset[name];
  }
}
