// The connection of the console: a program of one's own on the robot, as on port 54000. It ends with the page.
const PROTOCOL = 'mybot.console.v1';
const HEARTBEAT_MS = 200; // the robot holds endless motion after 0.5 s of silence
const MAX_UNANSWERED = 15; // heartbeats in a row while the page is in contact: the connection is dead, and does not say so
const MAX_HISTORY = 100;

export interface Said {
  t: string; // s since the robot was switched on; empty: it is from the connection itself
  tag: string; // empty: none
  text: string;
  kind: 'value' | 'note' | 'fault' | 'ident';
}

// readLine reads a line of the robot; null: it is none.
export function readLine(line: string): Said | null {
  const found = /^\[(\d+|\.\.):([^\]]*)\] (?:(\*\*\*|!!!) )?([^]*)$/.exec(line);
  if (found === null) return null;
  const [, time = '', tag = '', mark, text = ''] = found;
  const isOwn = time === '..';
  return {
    t: isOwn ? '' : (Number(time) / 1000).toFixed(3),
    tag: isOwn || tag === 'notag' || tag === 'error' ? '' : tag,
    text,
    kind: isOwn && tag === 'ident' ? 'ident' : mark === '!!!' ? 'fault' : mark === '***' ? 'note' : 'value',
  };
}

// unitOf is the name of the console's unit, of a line of the kind ident.
export const unitOf = (said: Said): string => /^ID: (\S+)$/.exec(said.text)?.[1] ?? '';

// commandOf is what is sent for what a person typed. The ; in a line of its own ends it, also behind a comment;
// where it has ended before, the robot takes no notice of another one.
export function commandOf(typed: string): string {
  return `${typed}\n;\n`;
}

// History has the commands of this page, the newest last. The unsent text stays while a person looks through them.
export class History {
  #all: string[] = [];
  #at = 0; // all.length: what is being typed
  #typed = '';

  add(text: string): void {
    if (this.#all.at(-1) !== text) this.#all.push(text);
    this.#all.splice(0, this.#all.length - MAX_HISTORY);
    this.#at = this.#all.length;
    this.#typed = '';
  }

  // go is the command before or after, in place of the present text; null: there is none.
  go(step: -1 | 1, text: string): string | null {
    const to = this.#at + step;
    if (to < 0 || to > this.#all.length) return null;
    if (this.#at === this.#all.length) this.#typed = text;
    this.#at = to;
    return this.#all[to] ?? this.#typed;
  }
}

export interface ConsoleEvents {
  isInContact(): boolean; // the page hears the robot by its other connection
  said(line: Said): void;
  ended(isOpened: boolean): void; // the connection has; not opened: the robot refused it
}

export class ConsoleLink {
  readonly #events: ConsoleEvents;
  #socket: WebSocket | null = null;
  #waiting: string[] = []; // until the connection is open
  #timer = 0;
  #unanswered = 0; // heartbeats in a row

  constructor(events: ConsoleEvents) {
    this.#events = events;
  }

  isOpen(): boolean {
    return this.#socket !== null;
  }

  // send gives the robot a command. It opens the connection if there is none.
  send(command: string): void {
    if (this.#socket === null) this.#dial();
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(command);
    else this.#waiting.push(command);
  }

  // close ends the connection, and with it what it runs.
  close(): void {
    const socket = this.#socket;
    this.#drop();
    socket?.close();
  }

  #dial(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = (this.#socket = new WebSocket(`${scheme}://${location.host}/ws/console`, PROTOCOL));
    let opened = false;
    socket.onopen = () => {
      opened = true;
      for (const command of this.#waiting.splice(0)) socket.send(command);
      this.#timer = window.setInterval(() => this.#beat(socket), HEARTBEAT_MS);
    };
    socket.onmessage = (e: MessageEvent) => {
      this.#unanswered = 0;
      const said = typeof e.data === 'string' ? readLine(e.data) : null;
      if (said !== null) this.#events.said(said);
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#drop();
      this.#events.ended(opened);
    };
  }

  // The robot answers each heartbeat with an empty line.
  #beat(socket: WebSocket): void {
    if (document.hidden || !this.#events.isInContact()) this.#unanswered = 0;
    else if (++this.#unanswered > MAX_UNANSWERED) {
      this.close();
      this.#events.ended(true);
      return;
    }
    if (!document.hidden) socket.send('\n');
  }

  #drop(): void {
    clearInterval(this.#timer);
    this.#socket = null;
    this.#unanswered = 0;
    this.#waiting = [];
  }
}
