import assert from 'node:assert/strict';
import test from 'node:test';
import { broodOf, type Device } from './view.ts';

const device = (id: string, maker: string): Device => ({ id, name: id, role: 'observer', maker });

test('who came by links of a device goes with it, and who came by theirs', () => {
  const all = [device('ana', ''), device('jin', 'ana'), device('kim', 'jin'), device('lee', ''), device('oda', 'lee')];
  assert.deepEqual(
    broodOf(all, 'ana').map((d) => d.id),
    ['jin', 'kim'],
  );
  assert.deepEqual(broodOf(all, 'kim'), []);
});

test('devices that name each other as makers end the search', () => {
  assert.deepEqual(
    broodOf([device('a', 'b'), device('b', 'a')], 'a').map((d) => d.id),
    ['b'],
  );
});
