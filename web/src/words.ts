// Every sentence a person can read is in web/strings.json, which the templ components read too.
import words from '../strings.json';

export { words };

// say fills the {names} of a sentence.
export function say(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
