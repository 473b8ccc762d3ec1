// Snapshot: saves the camera's picture as a file.

const REVOKE_MS = 10_000; // the browser has read it by then

// savePicture offers the picture as a file; saved is called with its name.
export function savePicture(video: HTMLVideoElement, robot: string, saved: (name: string) => void): void {
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  canvas.toBlob((blob) => {
    if (blob === null) return;
    const a = document.createElement('a');
    a.href = URL.createObjectURL(blob);
    a.download = `${robot}-${new Date().toISOString().slice(0, 19).replace(/:/g, '-')}.png`;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), REVOKE_MS);
    saved(a.download);
  }, 'image/png');
}
