// The part of node that the unit tests use; the page itself never does.
declare module 'node:test' {
  export default function test(name: string, body: () => void | Promise<void>): void;
}

declare module 'node:assert/strict' {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    ok(value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(actual: string, expected: RegExp, message?: string): void;
    throws(body: () => unknown, expected?: RegExp): void;
  }
  const assert: Assert;
  export default assert;
}

// A test reads texts that the robot's own tests read too.
declare module '*.txt' {
  const text: string;
  export default text;
}
