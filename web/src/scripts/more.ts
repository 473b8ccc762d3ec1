// Loads the files of the tab Scripts when they are first wanted. The page has only their hashes.
import { pick } from '../dom.ts';

const FILES = ['editor.js', 'live.js', 'try.js', 'try.css'] as const; // in the order of web/scripts.templ

function addressOf(file: (typeof FILES)[number]): string {
  const hash = pick('#scripts').dataset['more']?.split(' ')[FILES.indexOf(file)] ?? '';
  const [name = '', kind = ''] = file.split('.');
  return `/static/${name}-${hash}.${kind}`;
}

// maker returns a function that loads a script, once, with any style sheet. The script hands over what it makes by an
// event of the name arrived. If it does not load, the function gives otherwise, and a later call tries again. Calls of
// maker are marked pure, so that a bundle that needs only other names of their module leaves them out.
export function maker<T>(
  arrived: string,
  otherwise: T,
  scriptFile: 'editor.js' | 'live.js' | 'try.js',
  styleFile?: 'try.css',
): () => Promise<T> {
  let coming: Promise<T> | null = null;
  return () =>
    (coming ??= new Promise((resolve) => {
      const script = document.createElement('script');
      const style = styleFile === undefined ? null : document.createElement('link');
      document.addEventListener(arrived, (e) => resolve((e as CustomEvent).detail as T), { once: true });
      if (style !== null && styleFile !== undefined) {
        style.rel = 'stylesheet';
        style.href = addressOf(styleFile);
      }
      script.src = addressOf(scriptFile);
      script.onerror = () => {
        script.remove();
        style?.remove();
        coming = null;
        resolve(otherwise);
      };
      document.head.append(...(style === null ? [] : [style]), script);
    }));
}
