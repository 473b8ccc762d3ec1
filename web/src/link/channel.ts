// The second way for drive packets: a WebRTC data channel beside the WebSocket, on which what is lost stays lost and holds
// nothing up. It carries copies; the robot takes the newest sample whichever way it came. Nothing depends on it.
import { SampleHistory } from './sample-history.ts';
import { now } from '../store.ts';
import { describe } from './describe.ts';
import type { Down, Result, Up } from '../wire.ts';

export type Drive = Extract<Up, { type: 'drive' }>;

export interface Channel {
  open(relays: RTCIceServer[]): void; // begin to look for a way, in place of the one before
  close(): void;
  drive(sample: Drive): void; // a copy, with the samples before it
  ack(n: number): void; // so that states come while the WebSocket stalls on its way to the robot
  stop(id: number): void; // stopped hears when the robot has it
}

const OPEN_WITHIN_MS = 15_000;
const ALIVE_MS = 1000;
const SILENT = 3; // s without an answer: the way is gone
const CLOGGED = 4096; // bytes waiting in the browser: what waits there is late already
const REPEAT_MS = 250; // between copies of the last neutral sample, in case those before were lost
const REPEATS = 10; // of it at most
const AGAIN_MS = 2000; // until the next try; twice as long each time,
const AGAIN_MOST_MS = 60_000; // up to this

// mountChannel: offer hands a session description to the robot and gives its answer; told hears the channel's round trip
// in seconds, null while there is no channel; stopped hears that the robot has a STOP that went this way.
export function mountChannel(
  offer: (description: string) => Promise<Result>,
  told: (rtt: number | null) => void,
  stopped: () => void,
): Channel {
  let end: (() => void) | null = null; // of the present try
  let servers: RTCIceServer[] = [];
  let pause = 0;
  let wait = AGAIN_MS;
  let data: RTCDataChannel | null = null; // while it is open
  const past = new SampleHistory();

  const send = (message: Up): void => {
    if (data?.readyState === 'open' && data.bufferedAmount <= CLOGGED) data.send(JSON.stringify(message));
  };

  // repeat sends copies of a neutral sample: nothing comes after it that could tell that the hand let go.
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

  // later looks again after a while: nobody waits for this way.
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
      if (message.type === 'result' && message.word === 'SUCCESS') stopped(); // nothing else is answered here
      if (message.type !== 'clock') return;
      heardAt = now();
      told(Math.max(0, heardAt - message.t1 - (message.t3 - message.t2)));
    };
    mine.onclose = later;
    connection.onconnectionstatechange = () => {
      if (connection.connectionState === 'failed') later();
    };
    negotiate(connection).catch(() => {
      if (connection.signalingState !== 'closed') later(); // else another try is under way, or none is wanted
    });
  };

  const negotiate = async (connection: RTCPeerConnection): Promise<void> => {
    const { word, reason, answer } = await offer(await describe(connection));
    if (word === 'NA')
      close(); // this robot has no such way
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
