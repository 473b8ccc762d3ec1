// VoiceReceiver plays the voice of the talker on this screen's loudspeaker.
import { negotiate, openConnection, type Session } from '../video/whep.ts';

const AGAIN_MS = 3000;

export class VoiceReceiver {
  private session: Session | null = null;
  private asked = 0; // ms of the page's clock
  private readonly audio = new Audio();

  constructor(private readonly blocked: (on: boolean) => void) {}

  // keep connects and reconnects the voice; on: the robot can play one.
  keep(on: boolean): void {
    const state = this.session?.pc.connectionState;
    if (this.session !== null && (!on || state === 'failed' || state === 'closed')) this.end();
    if (!on || this.session !== null || performance.now() - this.asked < AGAIN_MS) return;
    this.asked = performance.now();
    void this.open();
  }

  // touched is called when a person has touched the page, so that sound is allowed.
  touched(): void {
    if (this.audio.srcObject !== null)
      void this.audio.play().then(
        () => this.blocked(false),
        () => undefined,
      );
  }

  end(): void {
    this.session?.close();
    this.session = null;
    this.audio.srcObject = null;
  }

  private async open(): Promise<void> {
    try {
      const pc = openConnection();
      pc.addTransceiver('audio', { direction: 'recvonly' });
      pc.ontrack = (e) => {
        this.audio.srcObject = new MediaStream([e.track]);
        this.audio.play().catch(() => this.blocked(true));
      };
      this.session = { pc, close: () => pc.close() };
      this.session = await negotiate(pc, '/whep?of=speaker');
    } catch {
      this.end(); // keep will try again
    }
  }
}
