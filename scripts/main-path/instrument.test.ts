import * as assert from "node:assert/strict";
import { transformSync } from "@swc/core";
import { test } from "uvu";
import { enteredFiles, instrument } from "./instrument.ts";

test("each kind of function reports its file when it is called, and does what it did", () => {
	const source = `const é = "é";
class Base { constructor(readonly given: number) {} }
class A extends Base { constructor() { super(1); } #p() { return 2; } get p() { return this.#p(); } static *all(): Generator<number> { yield 3; } }
const object = (value: number) => ({ value, method() { return value; }, nested: (other = () => 5) => { return other(); } });
function declared(this: void): string { return é; }
const a = new A();
globalThis.results = [a.given, a.p, [...A.all()], object(4).value, object(4).method(), object(4).nested(), declared()];`;
	const { code } = transformSync(instrument(source, "a.ts"), { jsc: { parser: { syntax: "typescript" }, target: "es2022" } });
	const global = globalThis as unknown as Record<string, unknown>;
	const entered: string[] = [];
	global[enteredFiles] = entered;
	try {
		new Function(code)();
		assert.deepEqual(global["results"], [1, 2, [3], 4, 4, 5, "é"]);
		// Two constructors, a getter and its private method, a generator, three calls of `object`, `method`, `nested` and its default, `declared`.
		assert.deepEqual(entered, Array(12).fill("a.ts"));
	} finally {
		delete global[enteredFiles];
		delete global["results"];
	}
});

test.run();
