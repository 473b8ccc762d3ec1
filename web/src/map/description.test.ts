import assert from 'node:assert/strict';
import test from 'node:test';
import { describeMap } from './description.ts';
import { driver, model, welcome } from '../testing.ts';

test('the map in words is sentences, which a screen reader reads one after the other', () => {
  const lines = describeMap(driver({ robot: welcome().robot }), 2);
  assert.ok(lines.length >= 3, lines.join('\n'));
  for (const line of [...lines, ...describeMap(model(), 0)]) assert.match(line, /[^.]\.$/);
});
