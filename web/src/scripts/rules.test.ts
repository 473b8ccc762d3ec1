import assert from 'node:assert/strict';
import test from 'node:test';

import examples from '../../../script/library/testdata/rules.txt';
import { type Act, MAX_ACTS, mayLast, readRule, type Rule, type Side, type When, writeRule } from './rule.ts';
import { addRule, dropLine, findLine, otherLines, putRule, rulesOf } from './rules.ts';

// dice returns random numbers from 0 to n-1, the same in every run (mulberry32).
function dice(seed: number): (n: number) => number {
  let a = seed;
  return (n) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

type Dice = (n: number) => number;

const TEXTS = [
  'Sofa',
  'Copy room',
  'say "hi"',
  'a \\ b',
  'at (ok.val == 1) dock();',
  '// {',
  '# (',
  '안녕',
  'two\nlines\t',
  '',
];

const textOf = (roll: Dice) => TEXTS[roll(TEXTS.length)] as string;
const timeOf = (roll: Dice) => [0.02, 0.5, 1, 1.5, 59, 60, 90, 1800, 3600, 86400][roll(10)] as number;

function whenOf(roll: Dice): When {
  switch (roll(8)) {
    case 0:
      return { kind: 'battery', below: roll(101) };
    case 1:
      return {
        kind: 'close',
        side: (['near', 'front', 'left', 'right', 'back'] as Side[])[roll(5)] as Side,
        below: roll(500) / 100,
      };
    case 2:
      return { kind: 'blocked' };
    case 3:
      return { kind: 'ok' };
    case 4:
      return { kind: 'arrived', place: textOf(roll) };
    case 5:
      return { kind: 'clock', hour: roll(24), minute: roll(60) };
    case 6:
      return { kind: 'every', seconds: timeOf(roll) };
    default:
      return { kind: 'people' };
  }
}

function actOf(roll: Dice): Act {
  switch (roll(7)) {
    case 0:
      return { do: 'goto', place: textOf(roll) };
    case 1:
      return { do: 'dock' };
    case 2:
      return { do: 'job', name: textOf(roll) };
    case 3:
      return { do: 'wait', seconds: timeOf(roll) };
    default:
      return { do: (['say', 'show', 'alert'] as const)[roll(3)] as 'say', text: textOf(roll) };
  }
}

function ruleOf(roll: Dice): Rule {
  const when = whenOf(roll);
  return {
    tag: ['', '', 'patrol', 'patrol.leg'][roll(4)] as string,
    when,
    lasts: mayLast(when.kind) && roll(2) === 0 ? timeOf(roll) : 0,
    then: Array.from({ length: 1 + roll(MAX_ACTS) }, () => actOf(roll)),
  };
}

test('every example is read and written back unchanged', () => {
  const lines = examples.trim().split('\n');
  assert.equal(lines.length, 15);
  for (const line of lines) {
    const rule = readRule(line);
    assert(rule !== null, line);
    assert.equal(writeRule(rule), line);
  }
  assert.deepEqual(
    rulesOf(examples).map((r) => r.line),
    lines.map((_, i) => i),
  );
});

test('each of 1,000 rules is read as it was written', () => {
  const roll = dice(1);
  for (let i = 0; i < 1000; i++) {
    const rule = ruleOf(roll);
    assert.deepEqual(readRule(writeRule(rule)), rule, writeRule(rule));
  }
});

test('a person may write blanks and units as they like', () => {
  const rule = readRule('  at( battery.val<20~5000ms )  say ( "Hi" )|dock( ) ;  ');
  assert(rule !== null);
  assert.equal(writeRule(rule), 'at (battery.val < 20 ~ 5s) say("Hi") | dock();');
  assert.deepEqual(readRule('every(1000) dock();')?.when, { kind: 'every', seconds: 1 });
});

test('a line of another shape stays text', () => {
  for (const line of [
    '',
    'dock();',
    'at (battery.val < 20) dock()',
    'at (battery.val < 20) dock(),',
    'at (battery.val < 20 ~ 5) dock();', // ticks
    'at (battery.val <= 20) dock();',
    'at (battery.val < 20 && ok.val == 1) dock();',
    "at (battery.val'n < 20) dock();",
    'at (battery.volts < 20) dock();',
    'at (ok.val == 10) dock();',
    'at (goal.phase == "driving") dock();',
    'at (goal.result == "SUCCESS" && goal.name == "") dock();',
    'at (clock.hour == 24 && clock.minute == 0) dock();',
    'at (clock.hour == 2 && clock.minute == 0.5) dock();',
    'at (ok.val == 1) goto(Sofa);',
    'at (ok.val == 1) goto(1, 2);',
    'at (ok.val == 1) dock() || dock();',
    'at (ok.val == 1) dock() & dock();',
    'at (ok.val == 1) { dock() };',
    'at (ok.val == 1) dock() onleave dock();',
    'at (ok.val == 1) dock(); dock();',
    'at (ok.val == 1) dock(); # now',
    'at (ok.val == 1) say("a" + "b");',
    'at (ok.val == 1) say("\\x");',
    'whenever (ok.val == 1) dock();',
    `every (1s) ${Array.from({ length: MAX_ACTS + 1 }, () => 'dock()').join(' | ')};`,
  ])
    assert.equal(readRule(line), null, line);
});

test('only a line that begins a command is a rule', () => {
  const rule = 'at (ok.val == 1) dock();';
  for (const [text, lines] of [
    [`# on\n${rule}\n\n${rule}\n`, [1, 3]],
    [`x = 5\n${rule}`, []],
    [`x = 5;\n${rule}`, [1]],
    [`x = 5; # {\n${rule}`, [1]],
    [`loop beat,\n${rule}`, [1]],
    [`def f() {\n${rule}\n};\n${rule}`, [3]],
    [`echo f(1,\n${rule}`, []],
    [`/*\n${rule}\n*/\n${rule}`, [3]],
    [`echo "\n${rule}\n";\n${rule}`, [3]],
    [`echo "\\"; {";\n${rule}`, [1]],
    [`a &\n${rule}`, []],
  ] as [string, number[]][])
    assert.deepEqual(
      rulesOf(text).map((r) => r.line),
      lines,
      text,
    );
});

test('lines that are neither rules nor comments are counted', () => {
  assert.equal(otherLines('# a\n\n// b\nat (ok.val == 1) dock();\nx = 5;\nloop {\n}\n'), 3);
});

test('a line that has moved is found, and no other line is taken for it', () => {
  assert.equal(findLine('a\nb\nc', 1, 'b'), 1);
  assert.equal(findLine('x\na\nb\nc', 1, 'b'), 2);
  assert.equal(findLine('b\nb', 1, 'b'), 1);
  assert.equal(findLine('a\nB\nc', 1, 'b'), -1);
  assert.equal(findLine('x\nb\ny\nb', 2, 'b'), -1); // two lines have that text
});

test('form and text agree after each of 200 edits, and an edit changes its own line only', () => {
  const roll = dice(2);
  const others = [
    '',
    '# a comment',
    'x = 5;',
    'def f() {',
    '  at (ok.val == 1) dock();',
    '};',
    'loop wait(1s),',
    '/* a',
    'b */',
  ];
  let text = '';
  let edits = 0;
  for (let round = 0; edits < 200; round++) {
    assert(round < 2000);
    const before = text.split('\n');
    const rules = rulesOf(text);
    const picked = rules[roll(Math.max(1, rules.length))];
    const rule = ruleOf(roll);
    switch (roll(4)) {
      case 0: {
        const added = addRule(text, rule);
        text = added.text;
        assert.equal(text.split('\n')[added.line], writeRule(rule));
        assert.deepEqual(text.split('\n').slice(0, added.line), before.slice(0, added.line));
        break;
      }
      case 1: {
        if (picked === undefined) continue;
        text = putRule(text, picked.line, rule);
        assert.deepEqual(
          rulesOf(text),
          rules.map((r) => (r.line === picked.line ? { line: r.line, rule } : r)),
        );
        const want = before.map((line, i) => (i === picked.line ? writeRule(rule) : line));
        assert.deepEqual(text.split('\n'), want);
        break;
      }
      case 2: {
        if (picked === undefined || roll(2) === 0) continue;
        text = dropLine(text, picked.line);
        const left = rules
          .filter((r) => r !== picked)
          .map((r) => (r.line > picked.line ? { ...r, line: r.line - 1 } : r));
        assert.deepEqual(rulesOf(text), left);
        break;
      }
      default: {
        const lines = [...before]; // a person types
        const line = roll(lines.length + 1);
        lines.splice(line, 0, others[roll(others.length)] as string);
        text = lines.slice(-30).join('\n');
      }
    }
    edits++;
    for (const { line, rule: shown } of rulesOf(text))
      assert.deepEqual(readRule(text.split('\n')[line] as string), shown);
  }
});
