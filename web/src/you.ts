// You: what the robot tells of the person at this page, as one says it to them. The robot tells everybody the same, by name.

const VERBS: Readonly<Record<string, string>> = { has: 'have', is: 'are', was: 'were' };

// asYou puts "you" for the name of this person.
export function asYou(text: string, name: string): string {
  if (name === '' || !text.includes(name)) return text;
  const exact = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const own = new RegExp(`(?<![\\p{L}\\p{N}])${exact}('s)?(?![\\p{L}\\p{N}])(?: (has|is|was|keeps|asks)\\b)?`, 'gu');
  return text.replace(own, (_, possessive: string | undefined, verb: string | undefined, at: number) => {
    const first = at === 0 || /[.:!?] $/.test(text.slice(0, at));
    const you = (first ? 'You' : 'you') + (possessive ? 'r' : '');
    return verb === undefined ? you : `${you} ${first ? (VERBS[verb] ?? verb.slice(0, -1)) : verb}`;
  });
}
