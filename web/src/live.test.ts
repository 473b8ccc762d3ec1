import assert from 'node:assert/strict';
import test from 'node:test';
import { mountVoice, rested } from './live.ts';

function listen() {
  let time = 0;
  let timers: { at: number; then: () => void }[] = [];
  const clock = {
    now: () => time,
    after: (ms: number, then: () => void) => void timers.push({ at: time + ms, then }),
  };
  const tick = (ms: number) => {
    time += ms;
    const due = timers.filter((timer) => timer.at <= time);
    timers = timers.filter((timer) => timer.at > time);
    for (const { then } of due) then();
  };
  const polite = { textContent: null as string | null };
  const assertive = { textContent: null as string | null };
  return { polite, assertive, tick, clock, voice: mountVoice(polite, assertive, clock) };
}

test('polite lines that come while one is read are said together, in order', () => {
  const { polite, voice, tick } = listen();
  voice.say('One.');
  voice.say('Two.');
  voice.say('');
  voice.say('Three.');
  assert.equal(polite.textContent, 'One.');
  tick(2000);
  assert.equal(polite.textContent, 'Two. Three.');
  tick(2000);
  voice.say('Four.');
  assert.equal(polite.textContent, 'Four.');
});

test('of many polite lines the newest six are said', () => {
  const { polite, voice, tick } = listen();
  for (let i = 0; i <= 9; i++) voice.say(`${i}.`);
  tick(2000);
  assert.equal(polite.textContent, '4. 5. 6. 7. 8. 9.');
});

test('an alert is said at once and does not replace one that is being read', () => {
  const { assertive, voice, tick } = listen();
  voice.alert('STOP not sent.');
  assert.equal(assertive.textContent, 'STOP not sent.');
  tick(1000);
  voice.alert('No contact.');
  assert.equal(assertive.textContent, 'STOP not sent. No contact.');
  voice.alert('No contact.');
  assert.equal(assertive.textContent, 'STOP not sent. No contact.');
  tick(2000);
  voice.alert('Back.');
  assert.equal(assertive.textContent, 'Back.');
});

test('of texts that follow each other quickly only the one that stays is said', () => {
  const { clock, tick } = listen();
  const told: string[] = [];
  const tell = rested((text) => told.push(text), 600, clock);
  tell('live');
  tick(500);
  tell('frozen');
  tick(500);
  tell('live');
  tick(500);
  assert.deepEqual(told, []);
  tick(100);
  assert.deepEqual(told, ['live']);
});
