// The review of a finished map: tools that correct its picture, and its rooms, places, via points and
// edges. The robot stores the draft; every edit is sent to it and returns the whole draft.
import {
  after,
  type DraftView,
  drawnEdit,
  dropEdit,
  type Edit,
  freshName,
  has,
  hit,
  isArea,
  isMovable,
  isTaken,
  isTurnable,
  type Item,
  itemsOf,
  moveEdit,
  nameOf,
  placeOf,
  poseOf,
  renameEdits,
  sameItem,
  shapeOf,
  titleOf,
  titleOfEdit,
  type Tool,
} from './draft.ts';
import { drawCross, drawDraft, drawFrom, drawPen } from './draft-marks.ts';
import { Edits } from './edits.ts';
import { Pen } from './pen.ts';
import { Tiles } from './tiles.ts';
import { mapping as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { clone, hide, pick, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import { neat, nudge, SAID_MS, TICK } from '../goto/aim.ts';
import { poseOf as typedPose } from '../goto/numbers.ts';
import { rested } from '../live.ts';
import type { Touch } from '../map/stage.ts';
import { mayAct, type Model } from '../store.ts';
import { say } from '../words.ts';
import type { Mapping, Point, Pose } from '../wire.ts';

const ADDRESS = '/api/v1/mapping/draft';
const AGAIN_MS = 2000; // least time between an observer's requests for the draft
const SNAP = 12; // px from the end of a wall, at which another wall snaps to it
const AIM = 12; // px that a place is dragged before it turns

// TOOLS are the tools in order, with their instructions.
const TOOLS: readonly (readonly [Tool, string, string])[] = [
  ['select', words.select, words.howSelect],
  ['erase', words.erase, words.howErase],
  ['wall', words.wall, words.howWall],
  ['glass', words.glass, words.howGlass],
  ['keepout', words.keepout, words.howKeepout],
  ['crop', words.crop, words.howCrop],
  ['place', words.place, words.howPlace],
  ['dock', words.dock, words.howDock],
  ['via', words.via, words.howVia],
  ['edge', words.edge, words.howEdge],
];

// Hold is the action of the pointer until its release.
interface Hold {
  way: 'move' | 'turn' | 'aim' | 'draw';
  item: Item | null;
  press: Touch;
  off: Point; // m, from the pointer to the item
  pose: Pose | null; // the target of the drag; null: not far enough yet
}

export class Review {
  readonly #context: Context;
  readonly #card = pick('#mapping-draft');
  readonly #canvas = pick<HTMLCanvasElement>('#map');
  readonly #tools = pick('#mapping-tools');
  readonly #form = pick<HTMLFormElement>('#mapping-item');
  readonly #name = pick<HTMLInputElement>('#mapping-item-name');
  readonly #fields = ['x', 'y', 'deg'].map((f) => pick<HTMLInputElement>(`#mapping-item-${f}`));
  readonly #picture: Tiles;
  readonly #pen = new Pen();
  #open = false;
  #byHand = false; // on an empty sheet
  #draft: DraftView | null = null;
  #tool: Tool = 'select';
  #chosen: Item | null = null;
  #from: number | null = null; // the via point at which an edge begins
  #hold: Hold | null = null;
  #fault = '';
  readonly #tell: (text: string) => void; // where the arrow keys have moved something
  readonly #edits = new Edits(
    (edit) => this.#sendOne(edit),
    (why) => this.#lose(why),
  );
  lost = ''; // what was not done since the robot accepted an edit or the person pressed a button of the card, and why
  #asked = 0; // ms, time of the last request for the draft

  constructor(context: Context) {
    this.#context = context;
    const { stage, store, voice } = context;
    this.#tell = rested((text) => voice.say(text), SAID_MS);
    this.#picture = new Tiles(
      ({ rev }) => `${ADDRESS}/${rev}.png`,
      () => stage.redraw(),
    );
    for (const [tool, text] of TOOLS) {
      const button = clone<HTMLButtonElement>('t-mapping-act');
      button.dataset['tool'] = tool;
      setText(button, text);
      button.onclick = () => this.#take(tool);
      this.#tools.append(button);
    }
    this.#button('straighten').onclick = () => this.#send({ op: 'straighten' });
    this.#button('undo').onclick = () => this.#send({ op: 'undo' });
    this.#button('redo').onclick = () => this.#send({ op: 'redo' });
    this.#button('drop').onclick = () => this.#drop();
    this.#form.onsubmit = (e) => e.preventDefault();
    this.#name.onchange = () => this.#rename();
    for (const field of this.#fields) field.onchange = () => this.#type();
    stage.grip({
      take: (touch) => this.#may() && this.#hold === null && this.#press(this.#snapped(touch)),
      move: (touch) => this.#move(this.#snapped(touch)),
      end: (touch) => this.#end(touch && this.#snapped(touch)),
    });
    this.#canvas.addEventListener('click', (e) => this.#click(e));
    document.addEventListener('keydown', (e) => this.#key(e), { capture: true });
    addEventListener('beforeunload', (e) => {
      if (this.#open && this.#edits.underway) e.preventDefault(); // edits that the robot does not have end with the page
    });
    store.subscribe((m, before) => {
      if (this.#open && (mayAct(m) !== mayAct(before) || m.tool !== before.tool)) this.#paint();
    });
  }

  // follow opens and closes the review with the robot's state.
  follow(mapping: Mapping): void {
    const open = mapping.state === 'review';
    if (open !== this.#open) {
      this.#open = open;
      this.#draft = null;
      this.#chosen = this.#from = null;
      this.#fault = '';
      if (open) this.lost = '';
      const dropped = this.#edits.drop();
      if (dropped !== '') this.#lose(dropped);
      this.#byHand = mapping.from === 'hand';
      this.#tool = this.#byHand ? 'wall' : 'select';
      this.#pen.clear();
      if (!open) this.#context.stage.turn(0);
      if (open) void this.#get();
      this.#paint();
    } else if (open && performance.now() - this.#asked > AGAIN_MS && !this.#edits.underway) {
      void this.#get();
    }
  }

  // bounds returns the draft's part of the floor; null: there is no draft.
  bounds(): [number, number, number, number] | null {
    const d = this.#draft;
    return d && [d.origin[0], d.origin[1], d.origin[0] + d.width * d.cell, d.origin[1] + d.height * d.cell];
  }

  // draw draws the draft; false: there is none yet.
  draw(b: Parameters<typeof drawDraft>[0]): boolean {
    if (this.#draft === null) return false;
    const d = this.#shown(this.#draft);
    this.#picture.draw(b);
    drawDraft(b, d, this.#chosen);
    if (this.#from !== null) drawFrom(b, d, this.#from);
    drawPen(b, this.#tool, this.#pen.corners, this.#pen.next, this.#pen.box);
    if (this.#pen.cross !== null) drawCross(b, this.#pen.cross);
    return true;
  }

  // shown returns the draft with the dragged item at the pointer.
  #shown(d: DraftView): DraftView {
    const { item, pose } = this.#hold ?? { item: null, pose: null };
    const edit = item && pose && moveEdit(item, pose);
    return edit ? after(d, edit) : d;
  }

  #button(name: string): HTMLButtonElement {
    return pick<HTMLButtonElement>(`[data-do=${name}]`, this.#card);
  }

  #may(): boolean {
    const m = this.#context.store.get();
    return this.#open && this.#draft !== null && m.tool === null && mayAct(m);
  }

  // ---- the robot ----

  async #get(): Promise<void> {
    this.#asked = performance.now();
    try {
      const answer = await fetch(ADDRESS);
      if (answer.ok && this.#open && !this.#edits.underway) this.#show((await answer.json()) as DraftView);
      else if (!answer.ok && answer.status !== 404) this.#refuse(await reasonOf(answer)); // 404: saved or deleted meanwhile
    } catch {
      this.#refuse(words.failed);
    }
  }

  // settled waits until the robot has answered all edits. It returns why one was refused, and what was not
  // done; empty: the robot has all of them.
  settled(): Promise<string> {
    if (this.#open) this.lost = ''; // the person has read it
    return this.#edits.settled();
  }

  #send(edit: Edit): void {
    if (!this.#may() || this.#draft === null) return;
    this.#fault = '';
    this.#edits.add(edit, titleOfEdit(this.#draft, edit));
    this.#draft = after(this.#draft, edit);
    this.#paint();
  }

  async #sendOne(edit: Edit): Promise<string> {
    try {
      const answer = await fetch(ADDRESS, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ lease: this.#context.store.get().epoch, edit }),
      });
      if (!answer.ok) return await reasonOf(answer);
      const draft = (await answer.json()) as DraftView;
      if (!this.#open) return '';
      this.lost = '';
      if (!this.#edits.waiting) this.#show(draft);
      return '';
    } catch {
      return words.failed;
    }
  }

  // lose shows which edits were not done. After the review, that message stays until it is closed.
  #lose(why: string): void {
    this.lost = `${this.lost} ${why}`.trim();
    if (this.#open) {
      this.#refuse(why);
      void this.#get(); // the expected draft was wrong
    } else this.#context.store.toast(this.lost, 'ERROR');
  }

  #refuse(reason: string): void {
    this.#fault = reason;
    this.#context.store.note('warn', reason);
    this.#context.voice.say(reason);
    this.#paint();
  }

  #show(draft: DraftView): void {
    this.#draft = draft;
    if (!has(draft, this.#chosen)) this.#chosen = null;
    const { rev, origin, width, height, cell } = draft;
    this.#picture.show([{ tile: 0, rev, pose: [0, 0, 0], origin, width, height, cell }]);
    this.#context.stage.turn(draft.turn ?? 0);
    this.#paint();
  }

  // ---- items ----

  #take(tool: Tool): void {
    this.#tool = tool;
    this.#fault = '';
    this.#from = null;
    this.#pen.clear();
    this.#pen.cross = null;
    if (tool !== 'select') this.#chosen = null;
    this.#paint();
  }

  #choose(item: Item | null): void {
    this.#fault = '';
    this.#chosen = item;
    const pose = item && this.#draft && poseOf(this.#draft, item);
    if (item && pose && this.#draft) {
      this.#context.stage.reveal([pose[0], pose[1]]);
      this.#context.voice.say(titleOf(this.#draft, item));
    }
    this.#paint();
  }

  #drop(): void {
    const item = this.#chosen;
    if (item === null || this.#draft === null || !this.#may()) return;
    this.#context.voice.say(say(words.dropped, { name: titleOf(this.#draft, item) }));
    this.#chosen = null;
    this.#send(dropEdit(item));
    this.#canvas.focus();
  }

  #rename(): void {
    const item = this.#chosen;
    if (item === null || this.#draft === null) return;
    const name = this.#name.value.trim();
    if (isTaken(this.#draft, item, name)) {
      this.#refuse(say(words.nameTaken, { name }));
      return;
    }
    const edits = renameEdits(this.#draft, item, name);
    if (edits.length > 0 && item.kind === 'place') this.#chosen = { kind: 'place', name };
    for (const edit of edits) this.#send(edit);
  }

  // type applies the numbers of the chosen item.
  #type(): void {
    const item = this.#chosen;
    const now = item && this.#draft && poseOf(this.#draft, item);
    if (!item || !now) return;
    const [x, y, deg] = this.#fields.map((f) => f.value) as [string, string, string];
    const pose = typedPose(x, y, isTurnable(item) ? deg : '', now[2]);
    if (typeof pose === 'string') this.#refuse(pose);
    else this.#moveTo(item, pose);
  }

  #moveTo(item: Item, pose: Pose): void {
    const edit = moveEdit(item, neat(pose));
    if (edit !== null) this.#send(edit);
  }

  // put creates an item of a tool at a pose.
  #put(pose: Pose): void {
    if (this.#draft === null) return;
    if (this.#tool === 'via') this.#send({ op: 'via', add: [pose[0], pose[1]] });
    if (this.#tool === 'dock') this.#send({ op: 'dock', pose: neat(pose) });
    if (this.#tool !== 'place') return;
    const name = freshName(this.#draft);
    this.#chosen = { kind: 'place', name };
    this.#draft = { ...this.#draft, places: [...this.#draft.places, { name, pose: neat(pose) }] };
    this.#send({ op: 'place', name, pose: neat(pose) });
    this.#name.focus();
    this.#name.select();
  }

  // join begins an edge at a via point, or ends it at another one.
  #join(id: number): void {
    const from = this.#from;
    this.#from = from === id ? null : from === null ? id : null;
    if (from !== null && from !== id) this.#send({ op: 'edge', add: [from, id] });
    else if (this.#draft !== null)
      this.#context.voice.say(say(words.edgeFrom, { name: titleOf(this.#draft, { kind: 'via', id }) }));
    this.#paint();
  }

  #drawn(corners: Point[] | null): void {
    const edit = corners && drawnEdit(this.#tool, corners);
    if (edit !== null) this.#send(edit);
    this.#paint();
  }

  // ---- the pointer ----

  // snapped snaps the wall pen to the end of a wall nearby, so that walls meet.
  #snapped(touch: Touch): Touch {
    if (this.#tool !== 'wall' || this.#draft === null) return touch;
    for (const end of this.#draft.walls.flatMap(({ line }) => line)) {
      const [x, y] = this.#context.stage.screen(end);
      if (Math.hypot(touch.x - x, touch.y - y) <= SNAP) return { ...touch, at: end };
    }
    return touch;
  }

  #press(touch: Touch): boolean {
    const d = this.#draft;
    if (d === null) return false;
    const tool = this.#tool;
    const hold = (way: Hold['way'], item: Item | null, off: Point = [0, 0]): true => {
      this.#hold = { way, item, press: touch, off, pose: null };
      return true;
    };
    if (shapeOf(tool) !== null) {
      this.#pen.down(touch);
      return hold('draw', null);
    }
    if (tool === 'via' || tool === 'place' || tool === 'dock') return hold('aim', null);
    const under = hit(d, this.#chosen, [touch.x, touch.y], touch.at, touch.finger, this.#context.stage.screen);
    if (under === null || isArea(under.item)) return false; // the press moves the map, and a click chooses
    if (tool === 'edge') {
      if (under.item.kind !== 'via') return false;
      this.#join(under.item.id);
      return hold('draw', null);
    }
    if (!sameItem(this.#chosen, under.item)) this.#choose(under.item);
    const pose = poseOf(d, under.item);
    return hold(
      under.tip ? 'turn' : 'move',
      under.item,
      pose ? [pose[0] - touch.at[0], pose[1] - touch.at[1]] : [0, 0],
    );
  }

  #move(touch: Touch): void {
    const hold = this.#hold;
    if (hold === null || this.#draft === null) return;
    const far = Math.hypot(touch.x - hold.press.x, touch.y - hold.press.y);
    if (hold.way === 'draw') this.#pen.move(this.#tool, touch);
    else if (hold.way === 'aim') {
      if (far > AIM) hold.pose = [...hold.press.at, headingTo([hold.press.x, hold.press.y], touch)];
    } else if (hold.item !== null && isMovable(hold.item) && (far > 5 || hold.pose !== null)) {
      const now = poseOf(this.#draft, hold.item) ?? [0, 0, 0];
      const [x, y] = this.#context.stage.screen(now);
      hold.pose =
        hold.way === 'turn'
          ? [now[0], now[1], headingTo([x, y], touch)]
          : [touch.at[0] + hold.off[0], touch.at[1] + hold.off[1], now[2]];
    }
    this.#context.stage.redraw();
  }

  #end(touch: Touch | null): void {
    const hold = this.#hold;
    if (hold === null) return;
    if (touch !== null) this.#move(touch);
    this.#hold = null;
    if (touch === null) this.#pen.clear();
    else if (hold.way === 'draw') {
      if (shapeOf(this.#tool) !== null) this.#drawn(this.#pen.up(this.#tool, touch, this.#context.stage.screen));
    } else if (hold.way === 'aim') this.#put(hold.pose ?? [...hold.press.at, 0]);
    else if (hold.item !== null && hold.pose !== null) this.#moveTo(hold.item, hold.pose);
    this.#context.stage.redraw();
  }

  // click chooses the clicked room, or nothing. A click that moved the map does not count.
  #click(e: MouseEvent): void {
    const d = this.#draft;
    const { stage } = this.#context;
    if (!this.#may() || d === null || this.#tool !== 'select') return;
    const px: Point = [e.offsetX, e.offsetY];
    const item = hit(d, this.#chosen, px, stage.at(...px), false, this.#context.stage.screen)?.item ?? null;
    if (item === null || isArea(item)) this.#choose(item);
  }

  // ---- keys ----

  #key(e: KeyboardEvent): void {
    const m = this.#context.store.get();
    if (!this.#may() || e.defaultPrevented || m.dialog || typesIn(e.target)) return;
    if (e.ctrlKey || e.metaKey) {
      const again = e.code === 'KeyY' || (e.code === 'KeyZ' && e.shiftKey);
      if (again) this.#button('redo').click();
      else if (e.code === 'KeyZ') this.#button('undo').click();
      else return;
    } else if (e.altKey) {
      return;
    } else if (e.code === 'Escape') {
      this.#pen.clear();
      this.#pen.cross = null;
      this.#from = null;
      this.#choose(null);
      return; // Esc also counts for STOP
    } else if (e.target !== this.#canvas || !this.#mapKey(e)) {
      return;
    }
    e.preventDefault();
  }

  // mapKey handles a key on the map; false if it has no meaning there.
  #mapKey({ code, shiftKey }: KeyboardEvent): boolean {
    const d = this.#draft;
    if (d === null) return false;
    if (code === 'Tab') return this.#walk(d, shiftKey ? -1 : 1);
    if (code === 'Delete' || code === 'Backspace') {
      this.#drop();
      return true;
    }
    const { clientWidth, clientHeight } = this.#canvas;
    // People measure walls from the robot's position.
    const start: Point = this.#byHand ? [0, 0] : this.#context.stage.at(clientWidth / 2, clientHeight / 2);
    if (shapeOf(this.#tool) !== null) {
      const corners = this.#pen.key(this.#tool, code, shiftKey, start);
      if (corners === undefined) return false;
      const { cross } = this.#pen;
      if (cross) this.#context.stage.reveal(cross);
      if (cross && code !== 'Enter') this.#tell(placeOf(cross));
      if (cross && code === 'Enter') this.#context.voice.say(say(words.corner, { at: placeOf(cross) }));
      this.#drawn(corners);
      return true;
    }
    if (this.#tool === 'edge' && code === 'Enter' && this.#chosen?.kind === 'via') {
      this.#join(this.#chosen.id);
      return true;
    }
    return this.#chosen === null ? this.#aim(code, shiftKey, start) : this.#nudge(d, this.#chosen, code, shiftKey);
  }

  // aim moves the cross of a tool that places something, and places it there.
  #aim(code: string, shift: boolean, start: Point): boolean {
    if (this.#tool !== 'via' && this.#tool !== 'place' && this.#tool !== 'dock') return false;
    const at = this.#pen.cross ?? start;
    const to = nudge([...at, 0], code, shift);
    if (code === 'Enter') {
      this.#pen.cross = null;
      this.#put([...at, 0]);
    } else if (to !== null && code.startsWith('Arrow')) {
      this.#pen.cross = [to[0], to[1]];
      this.#context.stage.reveal(this.#pen.cross);
      this.#tell(placeOf(this.#pen.cross));
      this.#context.stage.redraw();
    } else return false;
    return true;
  }

  #nudge(d: DraftView, item: Item, code: string, shift: boolean): boolean {
    const now = poseOf(d, item);
    const to = now && nudge(now, code, shift);
    if (!to || !isMovable(item) || (!code.startsWith('Arrow') && !isTurnable(item))) return false;
    this.#moveTo(item, to);
    this.#context.stage.reveal([to[0], to[1]]);
    this.#tell(
      `${say(words.editAt, { name: titleOf(d, item), at: placeOf([to[0], to[1]]) })}${isTurnable(item) ? `, ${degreesOf(to)}°` : ''}`,
    );
    return true;
  }

  // walk chooses the next item. Before the first and after the last the focus leaves the map.
  #walk(d: DraftView, step: number): boolean {
    const items = itemsOf(d).filter((i) => this.#tool !== 'edge' || i.kind === 'via');
    const now = items.findIndex((i) => sameItem(i, this.#chosen));
    const next = items[now < 0 ? (step > 0 ? 0 : items.length - 1) : now + step];
    this.#choose(next ?? null);
    return next !== undefined;
  }

  // ---- the card ----

  #paint(): void {
    const m: Readonly<Model> = this.#context.store.get();
    const d = this.#draft;
    const may = this.#may();
    hide(this.#card, !this.#open || d === null || m.role === 'observer');
    this.#context.stage.redraw();
    if (d === null || !this.#open) return;
    for (const b of this.#tools.querySelectorAll('button')) {
      b.setAttribute('aria-pressed', String(b.dataset['tool'] === this.#tool));
      b.disabled = !may;
    }
    this.#button('straighten').disabled = !may;
    this.#button('undo').disabled = !may || !d.can_undo;
    this.#button('redo').disabled = !may || !d.can_redo;
    const says = pick('.says', this.#card);
    setText(says, this.#fault || (TOOLS.find(([tool]) => tool === this.#tool)?.[2] ?? ''));
    says.classList.toggle('bad', this.#fault !== '');
    const faults = pick('ul', this.#card);
    hide(faults, d.faults.length === 0);
    if (faults.textContent !== d.faults.join(''))
      faults.replaceChildren(
        ...d.faults.map((fault) => Object.assign(document.createElement('li'), { textContent: fault })),
      );
    this.#paintItem(d, may);
  }

  #paintItem(d: DraftView, may: boolean): void {
    const item = this.#chosen;
    const pose = item && poseOf(d, item);
    hide(this.#form, !pose);
    if (!item || !pose) return;
    setText(pick('h3', this.#form), titleOf(d, item));
    this.#button('drop').disabled = !may;
    const name = nameOf(d, item);
    fill(this.#name, name ?? '', name === null, may);
    const values = [pose[0].toFixed(2), pose[1].toFixed(2), degreesOf(pose)];
    this.#fields.forEach((f, i) => fill(f, values[i] ?? '', !isMovable(item) || (i === 2 && !isTurnable(item)), may));
  }
}

// fill does not change a field that a person types into.
function fill(field: HTMLInputElement, value: string, hidden: boolean, may: boolean): void {
  hide(field.closest('label')!, hidden);
  field.disabled = !may;
  if (document.activeElement !== field) field.value = value;
}

function degreesOf(pose: Pose): string {
  return String(Math.round((pose[2] * 1800) / Math.PI) / 10);
}

function headingTo([x, y]: Point, touch: Touch): number {
  const theta = Math.atan2(y - touch.y, touch.x - x);
  return touch.shift ? Math.round(theta / TICK) * TICK : theta;
}

async function reasonOf(answer: Response): Promise<string> {
  const text = (await answer.text()).trim();
  return answer.headers.get('Content-Type')?.startsWith('application/json')
    ? (JSON.parse(text) as { reason: string }).reason
    : text || words.failed;
}
