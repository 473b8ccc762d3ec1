// The rules of a script: which of its lines are rules, and what a form changes: its own line only. Pure.
import { readRule, type Rule, writeRule } from './rule.ts';

export interface RuleLine {
  line: number; // of the text, from 0
  rule: Rule;
}

// rulesOf are the rules of a text, in order. A line within brackets, a comment or a text, or after a command that has not ended, is none.
export function rulesOf(text: string): RuleLine[] {
  const rules: RuleLine[] = [];
  const scan = new Scan();
  text.split('\n').forEach((line, i) => {
    if (scan.isBetween()) {
      const rule = readRule(line);
      if (rule !== null) rules.push({ line: i, rule });
    }
    scan.line(line);
  });
  return rules;
}

// Scan follows a text so far that it knows where a command may begin.
class Scan {
  #depth = 0; // of brackets
  #open: '' | '"' | '/*' = ''; // what a line break does not end
  #ended = true; // no command is open

  isBetween(): boolean {
    return this.#depth === 0 && this.#open === '' && this.#ended;
  }

  line(text: string): void {
    for (let i = 0; i < text.length; i++) i += this.#step(text, i);
  }

  // step takes a character, and says how many more it has taken.
  #step(text: string, i: number): number {
    const c = text[i] as string;
    const two = text.slice(i, i + 2);
    if (this.#open === '"') {
      if (c === '"') this.#open = '';
      return c === '\\' ? 1 : 0;
    }
    if (this.#open === '/*') {
      if (two !== '*/') return 0;
      this.#open = '';
      return 1;
    }
    if (c === '#' || two === '//') return text.length;
    if (two === '/*') {
      this.#open = '/*';
      return 1;
    }
    if (c === '"') this.#open = '"';
    if ('([{'.includes(c)) this.#depth++;
    if (')]}'.includes(c)) this.#depth = Math.max(0, this.#depth - 1);
    if (c !== ' ' && c !== '\t' && c !== '\r') this.#ended = this.#depth === 0 && (c === ';' || c === ',');
    return 0;
  }
}

// putRule writes a rule into its line.
export function putRule(text: string, line: number, rule: Rule): string {
  const lines = text.split('\n');
  if (line < 0 || line >= lines.length) return text;
  lines[line] = writeRule(rule) + (lines[line]?.endsWith('\r') ? '\r' : '');
  return lines.join('\n');
}

// findLine is where a line of an earlier text is now: in its place, or the only line that reads the same; -1: it has changed.
export function findLine(text: string, line: number, was: string): number {
  const lines = text.split('\n');
  if (lines[line] === was) return line;
  const first = lines.indexOf(was);
  return first === lines.lastIndexOf(was) ? first : -1;
}

// addRule writes a rule after all others, and says into which line.
export function addRule(text: string, rule: Rule): { text: string; line: number } {
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return { text: `${before}${writeRule(rule)}\n`, line: before.split('\n').length - 1 };
}

// dropLine takes a line out of a text.
export function dropLine(text: string, line: number): string {
  return text
    .split('\n')
    .filter((_, i) => i !== line)
    .join('\n');
}

// otherLines counts the lines that are neither a rule, nor empty, nor a comment of one line.
export function otherLines(text: string): number {
  const rules = new Set(rulesOf(text).map(({ line }) => line));
  return text.split('\n').filter((line, i) => !rules.has(i) && !/^\s*(?:#.*|\/\/.*)?$/.test(line)).length;
}
