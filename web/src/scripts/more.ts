// The files of the tab Scripts that load when they are first wanted. The page has only their hashes.
import { pick } from '../dom.ts';

const FILES = ['editor.js', 'live.js', 'try.js', 'try.css'] as const; // in the order of web/scripts.templ

export function addressOf(file: (typeof FILES)[number]): string {
  const hash = pick('#scripts').dataset['more']?.split(' ')[FILES.indexOf(file)] ?? '';
  const [name = '', kind = ''] = file.split('.');
  return `/static/${name}-${hash}.${kind}`;
}
