// The rules of a script: which lines are rules, and the edits of the form, which change only their own
// line. Pure.
import { readRule, type Rule, writeRule } from './rule.ts';

export interface RuleLine {
  line: number; // of the text, from 0
  rule: Rule;
}

// rulesOf returns the rules of a text, in order. A line inside brackets, a comment or a literal, or after
// an unfinished command, is not a rule.
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

// Scan reads a text line by line, to find where a command may begin.
class Scan {
  #depth = 0; // open brackets
  #open: '' | '"' | '/*' = ''; // an open literal or comment, which a line break does not end
  #ended = true; // the last command has ended

  isBetween(): boolean {
    return this.#depth === 0 && this.#open === '' && this.#ended;
  }

  line(text: string): void {
    for (let i = 0; i < text.length; i++) i += this.#step(text, i);
  }

  // step reads a character and returns how many more it has read.
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

// putRule replaces a line by a rule.
export function putRule(text: string, line: number, rule: Rule): string {
  const lines = text.split('\n');
  if (line < 0 || line >= lines.length) return text;
  lines[line] = writeRule(rule) + (lines[line]?.endsWith('\r') ? '\r' : '');
  return lines.join('\n');
}

// findLine returns the line that was at a number in an earlier text: the same number, or the only line with
// that text; -1: the line has changed.
export function findLine(text: string, line: number, was: string): number {
  const lines = text.split('\n');
  if (lines[line] === was) return line;
  const first = lines.indexOf(was);
  return first === lines.lastIndexOf(was) ? first : -1;
}

// addRule appends a rule, and returns its line.
export function addRule(text: string, rule: Rule): { text: string; line: number } {
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return { text: `${before}${writeRule(rule)}\n`, line: before.split('\n').length - 1 };
}

// dropLine removes a line.
export function dropLine(text: string, line: number): string {
  return text
    .split('\n')
    .filter((_, i) => i !== line)
    .join('\n');
}

// otherLines counts the lines that are not rules, except empty lines and one-line comments.
export function otherLines(text: string): number {
  const rules = new Set(rulesOf(text).map(({ line }) => line));
  return text.split('\n').filter((line, i) => !rules.has(i) && !/^\s*(?:#.*|\/\/.*)?$/.test(line)).length;
}
