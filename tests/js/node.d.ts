// What the tests of the scripts use of Node.js.

declare module "node:assert/strict" {
  interface Assert {
    ok(value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(run: () => unknown, expected: RegExp): void;
  }
  const assert: Assert;
  export default assert;
}

declare module "node:crypto" {
  interface Hash {
    update(message: Uint8Array): Hash;
    digest(encoding: "hex"): string;
  }
  export function createHash(name: string): Hash;
  export function createHmac(name: string, key: Uint8Array): Hash;
  export function randomBytes(size: number): Uint8Array;
}

declare module "node:fs" {
  export function readFileSync(file: URL | number, encoding: "utf8"): string;
}

declare module "node:test" {
  export function test(name: string, run: () => void): void;
  export const mock: {
    timers: {
      enable(options: { apis: "setTimeout"[] }): void;
      tick(milliseconds: number): void;
      reset(): void;
    };
  };
}
