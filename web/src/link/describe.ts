// Describe: the session description that a page offers the robot for WebRTC.
const GATHER_MS = 2000;

// describe returns the session description. A robot does not need the page's candidates, because the page
// connects to it; but a robot behind a relay connects to the page's relay candidate, so the page waits for
// it.
export async function describe(pc: RTCPeerConnection): Promise<string> {
  await pc.setLocalDescription();
  if (pc.getConfiguration().iceServers?.length) {
    await new Promise((done) => {
      setTimeout(done, GATHER_MS); // a relay that does not answer
      pc.onicegatheringstatechange = () => pc.iceGatheringState === 'complete' && done(null);
    });
  }
  return pc.localDescription?.sdp ?? '';
}
