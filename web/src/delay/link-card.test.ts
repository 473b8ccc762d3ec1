import assert from 'node:assert/strict';
import test from 'node:test';
import { linkDetails, span } from './link-card.ts';
import { driver, model, state } from '../testing.ts';

test('a clock that is far off is told in minutes and hours', () => {
  assert.deepEqual([0.012, -0.0124, 3.21, -75.9, 865.362, 7505].map(span), [
    '12 ms',
    '−12 ms',
    '3.2 s',
    '−1 min',
    '14 min',
    '2 h 5 min',
  ]);
});

test('the card says what is known, and a dash for what is not', () => {
  assert.deepEqual(linkDetails(model()), { rtt: '–', jitter: '–', offset: '–', loop: '–' });
  const m = driver({ rtt: 0.0241, jitter: 0.003, offset: -75.9, offsetBound: 0.0004, state: state() });
  assert.deepEqual(linkDetails(m), {
    rtt: '24 ms',
    jitter: '±3 ms',
    offset: '−1 min ±1 ms',
    loop: '20 ms, 99% within ±0.8',
  });
});
