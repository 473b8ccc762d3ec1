// A link for observers: as text to copy, if this browser can, and as a QR code for a phone.
import { pick, setText } from '../dom.ts';
import { mountSheet } from '../sheet.ts';
import { onlyHere } from './onlyhere.ts';
import { say, words } from '../words.ts';
import { mountDevices } from '../devices/index.ts';
import { arrive } from '../context.ts';

const ADDRESS = '/api/v1/share';
const COPIED_MS = 2000;

arrive('share', ({ store }) => {
  const sheet = pick<HTMLDialogElement>('#share');
  const opener = pick<HTMLButtonElement>('#share-open');
  const camera = pick<HTMLButtonElement>('#share-camera');
  const make = pick<HTMLButtonElement>('#share-make');
  const fault = pick('#share-fault');
  const result = pick('#share-result');
  const link = pick<HTMLInputElement>('#share-link');
  const showDevices = mountDevices(store);
  const copy = pick<HTMLButtonElement>('#share-copy');

  mountSheet(store, sheet, opener, () => {
    camera.parentElement?.toggleAttribute('hidden', !store.get().camera); // only a person who sees the camera can share it
    fault.hidden = result.hidden = pick('#share-only').hidden = true;
    copy.hidden = !navigator.clipboard; // plain http has no clipboard
    const devices = pick('#devices');
    devices.hidden = store.get().role !== 'admin';
    if (devices.hidden) return;
    void showDevices();
  });
  camera.onclick = () => camera.setAttribute('aria-checked', String(camera.getAttribute('aria-checked') !== 'true'));
  make.onclick = async () => {
    make.disabled = true;
    try {
      const made = await ask(camera.getAttribute('aria-checked') === 'true');
      link.value = made.link;
      const only = pick('#share-only');
      setText(only, say(words.share.onlyHere, { port: new URL(made.link).port || '80' }));
      only.hidden = !onlyHere(made.link);
      showQR(pick('#share-qr'), made.link);
      result.hidden = false;
      fault.hidden = true;
      link.focus();
      link.select();
    } catch (why) {
      setText(fault, why instanceof Error ? why.message : words.share.failed);
      fault.hidden = false;
    } finally {
      make.disabled = false;
    }
  };
  link.onfocus = () => link.select();
  copy.onclick = async () => {
    const label = pick('span', copy);
    try {
      await navigator.clipboard.writeText(link.value);
      setText(label, words.share.copied);
      setTimeout(() => setText(label, words.share.copy), COPIED_MS);
    } catch {
      link.focus(); // selected, to be copied by hand
    }
  };
});

// ask requests a link from the robot. The error has the robot's reason.
async function ask(camera: boolean): Promise<{ link: string }> {
  let answer: Response;
  try {
    answer = await fetch(ADDRESS, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ camera }),
    });
  } catch {
    throw new Error(words.share.failed);
  }
  if (!answer.ok) throw new Error((await answer.text()).trim() || words.share.failed);
  return (await answer.json()) as { link: string };
}

// showQR shows the robot's QR code of the link.
function showQR(figure: HTMLElement, link: string): void {
  const picture = new Image();
  picture.alt = words.share.qr;
  picture.src = `${ADDRESS}/qr.svg?link=${encodeURIComponent(link)}`;
  figure.replaceChildren(picture);
}
