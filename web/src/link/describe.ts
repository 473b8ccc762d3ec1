// Describe: what a page offers the robot for a connection by WebRTC.
const GATHER_MS = 2000;

// describe gives the session description. A robot calls nobody, so it need not know where this page is, and no candidate is
// waited for; but one that is reached by a relay calls the page by it.
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
