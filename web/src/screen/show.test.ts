import assert from 'node:assert/strict';
import test from 'node:test';
import { gaze, mouth } from './face.ts';
import { charge, driver, left, leftText, lent, type Show, size, status, talker, viewers } from './show.ts';
import { babble, envelope, opening } from './sound.ts';

const idle: Show = {
  build: '1',
  mode: 'ready',
  motion: false,
  lost: false,
  silent: '',
  refuses: '',
  stop: null,
  goal: null,
  run: null,
  message: null,
  speech: null,
  driver: '',
  away: false,
  lent: { head: '', voice: '', arm: '' },
  viewers: 0,
  ears: false,
  talks: false,
  head: [0, 0],
  charge: 0.78,
  charges: false,
  records: false,
  may: true,
  now: 0,
};
const run = { name: 'Paper to Jin', phase: 'running', step: 3, steps: 7, why: '' } as const;
const sofa = { name: 'Sofa', phase: 'driving', why: '' } as const;

test('what the robot does is said in plain words', () => {
  const says = (patch: Partial<Show>): [string, string, string] => {
    const s = status({ ...idle, ...patch });
    return [s.mood, s.text, s.detail];
  };
  assert.deepEqual(says({}), ['calm', 'Ready', '']);
  assert.deepEqual(says({ mode: '' }), ['asleep', 'No contact with my wheels', 'I stand still until they answer.']);
  assert.deepEqual(says({ mode: '', silent: '/dev/ttyUSB0 is gone.' }), [
    'asleep',
    'No contact with my wheels',
    '/dev/ttyUSB0 is gone.',
  ]);
  assert.deepEqual(says({ refuses: 'The motors are switched off.' }), [
    'waiting',
    'I cannot drive now',
    'The motors are switched off.',
  ]);
  assert.equal(charge({ ...idle, charge: null }), '');
  assert.deepEqual(says({ mode: 'manual', driver: 'Ana' }), ['going', 'Ana is driving', '']);
  assert.deepEqual(says({ mode: 'manual' }), ['going', 'Driven by hand', '']);
  assert.deepEqual(says({ mode: 'manual', motion: true, driver: 'Ana' }), ['going', 'Repeating a drive', '']);
  assert.deepEqual(says({ mode: 'goal', goal: sofa }), ['going', 'On my way to Sofa', '']);
  assert.deepEqual(says({ mode: 'goal', goal: { ...sofa, name: '' } }), ['going', 'On my way', '']);
  assert.deepEqual(says({ mode: 'goal', goal: { ...sofa, phase: 'blocked' } }), [
    'waiting',
    'Something is in my way',
    '',
  ]);
  assert.deepEqual(says({ mode: 'job', goal: sofa, run }), ['going', 'On my way to Sofa', 'Paper to Jin, step 3 of 7']);
  assert.deepEqual(says({ mode: 'job', run }), ['calm', 'Paper to Jin', 'Step 3 of 7']);
  assert.deepEqual(says({ mode: 'job', run: { ...run, name: '' } }), ['calm', 'Doing a job', 'Step 3 of 7']);
  assert.deepEqual(says({ mode: 'paused', goal: { ...sofa, phase: 'paused', why: 'Paused by Ana.' } }), [
    'waiting',
    'Paused',
    'Paused by Ana.',
  ]);
  assert.deepEqual(says({ mode: 'paused', run: { ...run, phase: 'paused', why: 'Ana drives.' } }), [
    'waiting',
    'Paused',
    'Ana drives.',
  ]);
  assert.deepEqual(says({ mode: 'paused', run: { ...run, phase: 'stuck', why: 'The way is blocked.' } }), [
    'asking',
    'I need help',
    'The way is blocked.',
  ]);
  assert.deepEqual(says({ mode: 'charging' }), ['calm', 'Charging', '']);
  assert.deepEqual(says({ lost: true }), ['waiting', 'I do not know where I am', '']);
});

test('a stop comes before everything else', () => {
  assert.deepEqual(
    status({ ...idle, mode: 'stopped', stop: { by: 'Jin' }, driver: 'Ana', run, goal: sofa, lost: true }),
    {
      mood: 'stopped',
      text: 'Stopped by Jin',
      detail: 'Ana can release the stop.',
    },
  );
  assert.equal(status({ ...idle, stop: { by: '' } }).text, 'Stopped');
  assert.equal(status({ ...idle, mode: 'stopped' }).detail, 'Anyone who takes control can release the stop.');
});

test('people, the battery and the time left are counted', () => {
  assert.equal(driver(idle), 'Nobody has control');
  assert.equal(driver({ ...idle, driver: 'Ana' }), 'Ana has control');
  assert.equal(driver({ ...idle, driver: 'Ana', mode: 'manual' }), 'Ana is driving');
  assert.equal(driver({ ...idle, driver: 'Ana', away: true }), 'Ana has control and is away');
  assert.deepEqual(
    [0, 1, 2].map((n) => viewers({ ...idle, viewers: n })),
    ['', '1 person is watching through the camera', '2 people are watching through the camera'],
  );
  assert.equal(charge(idle), '78%');
  assert.equal(charge({ ...idle, charge: 0.09 }), 'Battery low: 9%');
  assert.equal(charge({ ...idle, charge: 0.09, charges: true }), '9%');
  assert.equal(charge({ ...idle, mode: '' }), '');
  assert.deepEqual([left(null, 5), left(3000, 1000), left(3000, 9000)], [null, 2, 0]);
  assert.equal(leftText(1.2), '2 s left');
});

test('a short message is written large, a long one small enough', () => {
  assert.deepEqual(
    ['Touch OK.', 'x'.repeat(36), 'x'.repeat(37), 'x'.repeat(81), '이것을 복사해 주세요 그리고 기다려 주세요'].map(
      size,
    ),
    ['large', 'large', 'middle', 'small', 'middle'],
  );
});

test('the eyes look where the head turns, the way a person in front sees it, and not out of the face', () => {
  assert.deepEqual(gaze(0, 0).map(Math.abs), [0, 0]);
  assert.deepEqual(gaze(0.4, -0.2), [24, 12]);
  assert.deepEqual(gaze(-9, 9), [-28, -28]);
});

test('a closed mouth is a line, an open one has room', () => {
  const lips = (path: string) => [...path.matchAll(/Q400 (-?\d+)/g)].map((m) => Number(m[1]));
  const [above, below] = lips(mouth(0, 30));
  assert.equal(above, below);
  const [top, bottom] = lips(mouth(1, 30)) as [number, number];
  assert.ok(bottom - top > 100, `${top} to ${bottom}`);
});

// wave returns a file with a 1000 Hz tone of these amplitudes, 0.1 s each.
function wave(amplitudes: number[]): ArrayBuffer {
  const rate = 22050;
  const each = rate / 10;
  const view = new DataView(new ArrayBuffer(44 + 2 * each * amplitudes.length));
  view.setUint32(24, rate, true);
  amplitudes.forEach((a, i) => {
    for (let k = 0; k < each; k++)
      view.setInt16(44 + 2 * (i * each + k), 32767 * a * Math.sin((k * 2 * Math.PI * 1000) / rate), true);
  });
  return view.buffer;
}

test('the mouth opens with the loudness of the sound', () => {
  const loud = envelope(wave([0, 0.5, 0.25, 0]));
  const at = [0.04, 0.15, 0.25, 0.36].map((t) => opening(loud, t));
  assert.equal(at[0], 0);
  assert.ok(at[1]! > 0.95, `loud: ${at[1]}`);
  assert.ok(Math.abs(at[2]! - Math.SQRT1_2) < 0.05, `half as loud: ${at[2]}`);
  assert.equal(at[3], 0);
  assert.equal(opening(loud, -1), 0);
  assert.equal(opening(loud, 9), 0);
});

test('what is no sound moves nothing', () => {
  assert.deepEqual(envelope(new ArrayBuffer(10)), []);
  assert.deepEqual(envelope(new ArrayBuffer(100)), []);
  assert.deepEqual(envelope(wave([0])), [0, 0, 0]);
  for (let t = -1; t < 10; t += 0.01) assert.ok(babble(t) >= 0 && babble(t) <= 1, `${t}`);
});

test('people in the room read who has borrowed what, and whose voice comes', () => {
  assert.equal(lent(idle), '');
  assert.equal(lent({ ...idle, lent: { head: 'Ada', voice: '', arm: '' } }), 'Ada is looking around');
  const all = { ...idle, driver: 'Ana', talks: true, lent: { head: 'Ada', voice: 'Jin', arm: 'Ada' } };
  assert.equal(lent(all), 'Ada is looking around, Jin may speak through me, Ada may move my arm');
  assert.equal(talker(all), 'Jin is speaking');
  assert.equal(talker({ ...idle, driver: 'Ana', talks: true }), 'Ana is speaking');
  assert.equal(talker({ ...all, talks: false }), '');
});
