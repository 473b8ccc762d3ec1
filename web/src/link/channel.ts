// The second channel for drive packets: a WebRTC data channel beside the WebSocket, on which lost packets
// are not repeated and delay nothing. It carries copies; the robot takes the newest sample from either.
// Nothing depends on it.
import { SampleHistory } from './sample-history.ts';
import { now } from '../store.ts';
import { describe } from './describe.ts';
import type { Down, Result, Up } from '../wire.ts';

export type Drive = Extract<Up, { type: 'drive' }>;

export interface Channel {
  open(relays: RTCIceServer[]): void; // starts a new attempt, in place of the previous one
  close(): void;
  drive(sample: Drive): void; // sends a copy, with earlier samples
  ack(n: number): void; // so that states arrive while the WebSocket to the robot stalls
  stop(id: number): void; // stopped is called when the robot has it
}

const OPEN_WITHIN_MS = 15_000;
const ALIVE_MS = 1000;
const SILENT = 3; // s without an answer, after which the channel counts as dead
const CLOGGED = 4096; // bytes queued in the browser: more would be too late
const REPEAT_MS = 250; // between copies of the last neutral sample, in case earlier ones were lost
const REPEATS = 10; // number of copies
const AGAIN_MS = 2000; // before the next attempt; doubled each time,
const AGAIN_MOST_MS = 60_000; // up to this

// mountChannel: offer sends a session description to the robot and returns its answer; told is called with
// the channel's round trip in seconds, null while there is no channel; stopped is called when the robot has
// a STOP sent by this channel.
export function mountChannel(
  offer: (description: string) => Promise<Result>,
  told: (rtt: number | null) => void,
  stopped: () => void,
): Channel {
  let end: (() => void) | null = null; // of the present attempt
  let servers: RTCIceServer[] = [];
  let pause = 0;
  let wait = AGAIN_MS;
  let data: RTCDataChannel | null = null; // while it is open
  const past = new SampleHistory();

  const send = (message: Up): void => {
    if (data?.readyState === 'open' && data.bufferedAmount <= CLOGGED) data.send(JSON.stringify(message));
  };

  // repeat sends copies of a neutral sample, because no later sample shows that the driver let go.
  let repeating = 0;
  const repeat = (message: Up, left: number): void => {
    if (left === 0) return;
    repeating = window.setTimeout(() => {
      send(message);
      repeat(message, left - 1);
    }, REPEAT_MS);
  };

  const close = () => {
    clearTimeout(pause);
    clearTimeout(repeating);
    end?.();
    end = null;
  };

  // later schedules another attempt; no one waits for this channel.
  const later = () => {
    close();
    pause = window.setTimeout(begin, wait);
    wait = Math.min(2 * wait, AGAIN_MOST_MS);
  };

  const begin = () => {
    close();
    const connection = new RTCPeerConnection({ iceServers: servers });
    const mine = connection.createDataChannel('drive', { ordered: false, maxRetransmits: 0 });
    let heardAt = 0;
    let alive = 0;
    const patience = window.setTimeout(later, OPEN_WITHIN_MS);
    end = () => {
      clearTimeout(patience);
      clearInterval(alive);
      mine.onopen = mine.onclose = mine.onmessage = connection.onconnectionstatechange = null;
      connection.close();
      if (data === mine) told(null);
      data = null;
    };
    mine.onopen = () => {
      clearTimeout(patience);
      wait = AGAIN_MS;
      data = mine;
      heardAt = now();
      const beat = () => {
        if (now() - heardAt > SILENT) later();
        else send({ type: 'clock', t1: now(), rtt_ms: null });
      };
      alive = window.setInterval(beat, ALIVE_MS);
      beat();
    };
    mine.onmessage = (e: MessageEvent) => {
      const message = JSON.parse(String(e.data)) as Down;
      if (message.type === 'result' && message.word === 'SUCCESS') stopped(); // other messages get no result here
      if (message.type !== 'clock') return;
      heardAt = now();
      told(Math.max(0, heardAt - message.t1 - (message.t3 - message.t2)));
    };
    mine.onclose = later;
    connection.onconnectionstatechange = () => {
      if (connection.connectionState === 'failed') later();
    };
    negotiate(connection).catch(() => {
      if (connection.signalingState !== 'closed') later(); // otherwise another attempt is running, or none is wanted
    });
  };

  const negotiate = async (connection: RTCPeerConnection): Promise<void> => {
    const { word, reason, answer } = await offer(await describe(connection));
    if (word === 'NA')
      close(); // this robot has no data channel
    else if (answer === undefined) throw new Error(reason);
    else await connection.setRemoteDescription({ type: 'answer', sdp: answer });
  };

  return {
    open(relays) {
      if (typeof RTCPeerConnection === 'undefined') return; // switched off in this browser
      servers = relays;
      wait = AGAIN_MS;
      begin();
    },
    close,
    drive(sample) {
      const hist = past.before(sample);
      const message = hist.length === 0 ? sample : { ...sample, hist };
      send(message);
      clearTimeout(repeating);
      if (sample.v === 0 && sample.w === 0) repeat(message, REPEATS);
    },
    ack(n) {
      send({ type: 'ack', n });
    },
    stop(id) {
      send({ type: 'stop', id });
    },
  };
}
