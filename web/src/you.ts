// You: turns the robot's messages, which are the same for all users and contain names, into messages to
// this person.

const VERBS: Readonly<Record<string, string>> = { has: 'have', is: 'are', was: 'were' };

// asYou replaces the name of this person by "you".
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
