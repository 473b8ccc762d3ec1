// WHEP, by which the page receives the robot's video and sound, and WHIP, by which it sends a voice.
import { describe } from '../link/describe.ts';

// Session is an answered connection.
export interface Session {
  pc: RTCPeerConnection;
  close(): void; // tells the robot too
}

// Refused says in words why the robot refused.
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

// NoWebRTC says that this browser has no WebRTC, or that it is switched off.
export class NoWebRTC extends Error {
  override readonly name = 'NoWebRTC';
}

const PATIENCE_MS = 8000;

// openConnection returns a connection, not yet negotiated. It throws NoWebRTC.
export function openConnection(servers: RTCIceServer[] = []): RTCPeerConnection {
  if (typeof RTCPeerConnection === 'undefined') throw new NoWebRTC();
  return new RTCPeerConnection({ iceServers: servers });
}

// negotiate sends pc's offer to the path and applies the answer.
export async function negotiate(pc: RTCPeerConnection, path: string): Promise<Session> {
  let resource: string | null = null;
  let closed = false;
  const end = () => {
    if (resource !== null) fetch(resource, { method: 'DELETE', keepalive: true }).catch(() => undefined); // the robot would also notice by itself
    resource = null;
  };
  const session: Session = {
    pc,
    close() {
      closed = true;
      pc.close();
      end();
    },
  };
  try {
    const offer = await describe(pc);
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sdp' },
      body: offer,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await answer.text();
    if (answer.status !== 201) throw new Refused(answer.status, text.trim());
    resource = answer.headers.get('Location');
    if (closed) end();
    else await pc.setRemoteDescription({ type: 'answer', sdp: text });
    return session;
  } catch (fault) {
    session.close();
    throw fault;
  }
}
