// Speaker: the Try button. It uses the robot's own voice, if it has one, played by the page; otherwise the
// browser's voice.
import { ask } from './api.ts';
import type { Step } from '../wire.ts';

export interface Speaker {
  voices(): readonly string[]; // available voices
  say(step: Step, failed: () => void): void;
}

const KNOWN = ['en', 'ko', 'de', 'fr', 'es', 'ja', 'zh']; // if the robot does not list them

export function mountSpeaker(): Speaker {
  let voices: readonly string[] = KNOWN;
  let aloud = false;
  let playing: HTMLAudioElement | null = null;

  void ask<{ aloud: boolean; voices: string[] }>('GET', 'voices').then(({ value }) => {
    if (!value?.voices) return;
    aloud = value.aloud;
    if (value.voices.length > 0) voices = value.voices;
  });

  // browser speaks with the browser's own voice.
  function browser(text: string, voice: string, speed: number, failed: () => void): void {
    if (!('speechSynthesis' in window)) {
      failed();
      return;
    }
    const said = new SpeechSynthesisUtterance(text);
    said.lang = voice;
    said.rate = speed;
    said.onerror = (e) => {
      if (e.error !== 'interrupted' && e.error !== 'canceled') failed();
    };
    speechSynthesis.cancel();
    speechSynthesis.speak(said);
  }

  return {
    voices: () => voices,
    say({ text = '', voice = 'en', speed = 1 }, failed) {
      if (text.trim() === '') return;
      playing?.pause();
      if (!aloud) {
        browser(text, voice, speed, failed);
        return;
      }
      const sound = new Audio(
        `/api/v1/speech.wav?${new URLSearchParams({ text, voice, speed: String(speed) }).toString()}`,
      );
      playing = sound;
      sound.play().catch(() => {
        if (playing === sound) browser(text, voice, speed, failed);
      });
    },
  };
}
