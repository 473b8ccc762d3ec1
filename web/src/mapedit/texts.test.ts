import assert from 'node:assert/strict';
import test from 'node:test';
import { mapedit as words } from '../../strings.json';
import { misfitText, spokenOf, statusOf, titleOf } from './texts.ts';
import type { Item, Sketch } from './sketch.ts';

const sketch: Sketch = {
  via: [
    { id: 1, name: 'I', at: [1, 2] },
    { id: 2, name: '', at: [3, 2] },
  ],
  edges: [
    [1, 2],
    [2, 1],
  ],
  places: [
    { name: 'Dock', pose: [0, 0, 0] },
    { name: 'Place 2', pose: [4, 4, 0] },
  ],
};
const edge: Item = { kind: 'edge', ends: [1, 2] };
const dock: Item = { kind: 'place', n: 0 };

test('an item is called by its name, and a via point without one by its number', () => {
  assert.equal(titleOf(sketch, { kind: 'via', id: 2 }), words.viaNamed.replace('{name}', '2'));
  assert.equal(titleOf(sketch, edge), words.edgeNamed.replace('{from}', 'I').replace('{to}', '2'));
  assert.equal(titleOf(sketch, dock), words.placeNamed.replace('{name}', 'Dock'));
  assert.equal(titleOf(sketch, { kind: 'place', n: 1 }), 'Place 2', 'not "Place Place 2"');
});

test('an item that does not fit is spoken with how near it is', () => {
  const misfit = { item: dock, clearance: 0.3, needs: 0.41 };
  assert.ok(spokenOf(sketch, dock, [misfit]).endsWith(` ${misfitText(sketch, misfit)}`));
  assert.match(misfitText(sketch, misfit), /: 0\.30 m .* needs 0\.41 m/);
  assert.ok(!spokenOf(sketch, edge, [misfit]).includes('0.30'));
});

test('the line says first what does not fit, of the chosen item if it does not, and else what a press does', () => {
  const misfits = [
    { item: edge, clearance: 0.1, needs: 0.36 },
    { item: dock, clearance: 0.2, needs: 0.36 },
  ];
  assert.deepEqual(statusOf(sketch, dock, misfits, 'move', false), {
    text: misfitText(sketch, misfits[1]!),
    bad: true,
  });
  assert.deepEqual(statusOf(sketch, null, misfits, 'move', false), {
    text: misfitText(sketch, misfits[0]!),
    bad: true,
  });
  assert.deepEqual(statusOf(sketch, null, [], 'via', true), { text: words.howVia, bad: false });
  assert.deepEqual(statusOf(sketch, null, [], 'edge', true), { text: words.edgeNext, bad: false });
});
