// Completing: which word of a line the completion replaces. Pure.
export interface Begun {
  from: number; // index in the line
  quoted: boolean; // it is a text, such as the name of a place
}

// begun returns the word or text that ends at the caret, given the line before it. Null in a comment, after a text
// that is closed, and at a duration such as 2s: there Enter begins a new line.
export function begun(before: string): Begun | null {
  let opened = -1; // index of the quote of a text that is not closed
  for (let i = 0; i < before.length; i++) {
    const c = before[i];
    if (opened >= 0 && c === '\\') i++;
    else if (c === '"') opened = opened < 0 ? i : -1;
    else if (opened < 0 && (c === '#' || before.startsWith('//', i))) return null;
  }
  if (opened >= 0) return { from: opened, quoted: true };
  const word = /(?<![\w.])[A-Za-z_][\w.]*$/.exec(before);
  return word === null ? null : { from: word.index, quoted: false };
}
