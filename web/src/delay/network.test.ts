import assert from 'node:assert/strict';
import test from 'node:test';
import { faultOf, fieldsOf, nameOf, profileOf } from './network.ts';

test('what stands in the fields is a network', () => {
  assert.equal(
    profileOf({ rtt: '310', jitter: ' 40 ', loss: '1', stall: '0.2 - 0.8' }),
    'rtt=310ms,jitter=40ms,loss=1%,stall=0.2..0.8s',
  );
  assert.equal(profileOf({ rtt: '900', jitter: '', loss: '', stall: '' }), 'rtt=900ms');
  assert.equal(profileOf({ rtt: '', jitter: ' ', loss: '', stall: '' }), 'off');
});

test('a network that the robot tells of stands in the fields', () => {
  assert.deepEqual(fieldsOf('rtt=310ms,jitter=40ms,loss=1%'), { rtt: '310', jitter: '40', loss: '1', stall: '' });
  assert.deepEqual(fieldsOf('rtt=1.2s,stall=3s..3s,every=10s'), { rtt: '1200', jitter: '', loss: '', stall: '3..3' });
  assert.deepEqual(fieldsOf('off'), { rtt: '', jitter: '', loss: '', stall: '' });
});

test('a network is called by its name and its round trip, or by what it does', () => {
  assert.equal(nameOf('rtt=310ms,jitter=40ms,loss=1%', 'kaist-davis'), 'KAIST-Davis, 310 ms');
  assert.equal(nameOf('rtt=900ms,loss=5%,stall=0.2s..0.8s,every=10s', ''), '900 ms, 5% lost, stalls of 0.2–0.8 s');
  assert.equal(nameOf('rtt=0s,loss=5%,burst=400ms', ''), '5% lost in bursts of 0.4 s');
  assert.equal(nameOf('rtt=0s,jitter=40ms', ''), 'jitter 40 ms');
});

test('a field that holds no network is named, with what would be right', () => {
  const empty = { rtt: '', jitter: '', loss: '', stall: '' };
  assert.equal(faultOf(empty), '');
  assert.equal(faultOf({ rtt: '310', jitter: ' 40 ', loss: '2.5', stall: '0.2 - 0.8' }), '');
  assert.equal(faultOf({ ...empty, rtt: '600abc' }), 'Round trip, ms: enter a number from 0 to 10000.');
  assert.equal(faultOf({ ...empty, loss: '101' }), 'Loss, %: enter a number from 0 to 100.');
  assert.equal(
    faultOf({ ...empty, stall: '1-2-3' }),
    'Stalls, s: enter one or two numbers from 0 to 60, such as 0.2–0.8.',
  );
});
