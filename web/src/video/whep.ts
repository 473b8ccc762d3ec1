// WHEP: how the page comes to the robot's pictures and sound, and by WHIP how a voice comes to the robot.
import { describe } from '../link/describe.ts';

// Session is a connection that was answered.
export interface Session {
  pc: RTCPeerConnection;
  close(): void; // tells the robot too
}

// Refused says in words why the robot did not answer.
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

const PATIENCE_MS = 8000;

// negotiate offers what pc has to the path and takes the answer.
export async function negotiate(pc: RTCPeerConnection, path: string): Promise<Session> {
  let resource: string | null = null;
  let closed = false;
  const end = () => {
    if (resource !== null) fetch(resource, { method: 'DELETE', keepalive: true }).catch(() => undefined); // it ends by itself too
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
