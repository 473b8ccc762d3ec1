// Library: the jobs that the robot has saved, and their import and export as files.
import type { EditorState } from './editor-state.ts';
import { type Doc, docOf, readFile, stepsOf } from './draft.ts';
import { ask } from './api.ts';
import { jobs as words } from '../../strings.json';
import { arrange, clone, hide, pick, setText } from '../dom.ts';
import { mayAct, type Model } from '../store.ts';
import type { Job } from '../wire.ts';
import { say } from '../words.ts';
import type { Context } from '../context.ts';

export interface Takes {
  take(next: Doc, kept: Doc | null): void; // opens another job in the editor, with its saved version
  first(): void; // moves the focus to its first step
  tell(text: string, bad: boolean): void;
  deleted(name: string, back: () => void): void; // back saves it again
  paint(): void;
}

export type FileKind = 'json' | 'vda';

export interface Library {
  save(): Promise<void>;
  show(): void; // shows the saved jobs
  choose(kind: FileKind): void; // chooses a file to read
  write(kind: FileKind): void; // writes one
  paint(m: Readonly<Model>, can: boolean): void;
}

const at = (id: string) => `jobs/${encodeURIComponent(id)}`;

export function mountLibrary({ store, voice }: Context, editorState: EditorState, takes: Takes): Library {
  const file = pick<HTMLInputElement>('#job-file');
  const card = pick('#job-open');
  let kind: FileKind = 'json'; // of the chosen file
  let saving = Promise.resolve(); // the newest request to save
  let rows = new Map<string, HTMLElement>(); // of the saved jobs, by their ids

  function read(job: Job): void {
    const next = docOf(job);
    takes.take(next, next);
    takes.first();
  }

  async function open(id: string): Promise<void> {
    const { value, reason } = await ask<Job>('GET', at(id));
    if (value === null) {
      takes.tell(reason, true);
      return;
    }
    card.hidden = true;
    read(value);
    voice.say(say(words.opened, { name: value.name }));
  }

  async function forget(id: string, name: string): Promise<void> {
    const job = await ask<Job>('GET', at(id));
    const { value, reason } = job.value === null ? job : await ask('DELETE', at(id));
    if (value === null) {
      takes.tell(reason, true);
      return;
    }
    if (editorState.now().id === id) {
      editorState.saved = null;
      editorState.own(editorState.now(), '', 0);
    }
    takes.paint();
    offerBack(name, job.value);
  }

  // offerBack offers to save a deleted job again, until the robot has it.
  function offerBack(name: string, job: Job | null): void {
    takes.deleted(name, async () => {
      const { value, reason } = await ask('POST', 'jobs', job);
      if (value !== null) return;
      offerBack(name, job);
      takes.tell(reason, true);
    });
  }

  async function take(f: File): Promise<void> {
    let text: unknown = null;
    try {
      text = JSON.parse(await f.text());
    } catch {
      // it is no job
    }
    const own = kind === 'json' ? readFile(text) : null;
    const order = kind === 'vda' && text !== null ? await ask<Job>('POST', 'jobs/vda5050', text) : null;
    if (own !== null) takes.take(own, null);
    else if (order?.value) read(order.value);
    else
      takes.tell(
        say(words.noFile, { reason: order?.reason ?? (text === null ? words.noJSON : await whyNot(text)) }),
        true,
      );
  }

  // whyNot returns what the robot finds wrong with a job.
  async function whyNot(job: unknown): Promise<string> {
    const { value, reason } = await ask<{ faults: { text: string }[] }>('POST', 'jobs/check', job);
    return value?.faults[0]?.text ?? reason;
  }

  function download(href: string, name: string): void {
    const a = document.createElement('a');
    a.href = href;
    a.download = name;
    a.click();
  }

  file.onchange = () => {
    const f = file.files?.[0];
    file.value = '';
    if (f) void take(f);
  };
  pick('[data-do=close]', card).onclick = () => {
    card.hidden = true;
    pick('#job-head [data-do=more]').focus();
  };

  async function save(): Promise<void> {
    const now = editorState.now();
    if (!mayAct(store.get()) || !editorState.unsaved()) return;
    const body = { name: now.name, steps: stepsOf(now) };
    let answer = now.id ? await ask<Job>('PUT', at(now.id), { ...body, revision: now.revision }) : null;
    if (answer === null || answer.status === 404) answer = await ask<Job>('POST', 'jobs', body); // someone deleted it
    const { value, status, reason } = answer;
    if (value === null) {
      takes.tell(status === 0 ? words.failedSave : reason, true);
      store.note('warn', reason);
      return;
    }
    const { id, revision } = value;
    editorState.saved = { ...now, id, revision };
    editorState.own(now, id, revision);
    store.toast(say(words.saved, { name: now.name }), 'SUCCESS');
    takes.paint();
  }

  // fill shows a saved job in its row.
  function fill(row: HTMLElement, job: Model['jobs'][number], can: boolean): HTMLElement {
    const [openIt, trash] = row.querySelectorAll('button') as unknown as [HTMLButtonElement, HTMLButtonElement];
    const steps = say(job.steps === 1 ? words.countOne : words.count, { n: job.steps });
    setText(openIt, say(words.openRow, { name: job.name, steps }));
    openIt.onclick = () => void open(job.id);
    trash.title = words.menuDelete;
    trash.setAttribute('aria-label', `${words.menuDelete}: ${job.name}`);
    trash.onclick = () => void forget(job.id, job.name);
    openIt.disabled = trash.disabled = !can;
    return row;
  }

  return {
    // A further request waits for the answer to the one before, which brings the id and the revision.
    save: () => (saving = saving.then(save, save)),
    show() {
      card.hidden = false;
      takes.paint();
      pick(store.get().jobs.length > 0 ? 'ul button' : 'button', card).focus();
    },
    choose(as) {
      kind = as;
      file.click();
    },
    write(as) {
      const { id, name } = editorState.now();
      if (as === 'vda') {
        download(`/api/v1/${at(id)}/vda5050`, `${id}.vda5050.json`);
        return;
      }
      const href = URL.createObjectURL(
        new Blob([JSON.stringify({ name, steps: stepsOf(editorState.now()) }, null, 2)], { type: 'application/json' }),
      );
      download(href, `${name}.json`);
      setTimeout(() => URL.revokeObjectURL(href), 1000);
    },
    paint({ jobs }, can) {
      if (card.hidden) return;
      hide(pick('p', card), jobs.length > 0);
      rows = new Map(jobs.map((job) => [job.id, fill(rows.get(job.id) ?? clone('t-kept'), job, can)]));
      arrange(pick('ul', card), [...rows.values()]);
    },
  };
}
