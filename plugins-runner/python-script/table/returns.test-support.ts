import * as assert from "node:assert/strict";
import type { JsonValue } from "../../../core/contract/index.ts";
import type { Check } from "./check.test-support.ts";

const times = { at: "2020-01-02T03:04:05", on: "2020-01-02", n: 1 };
const spans = ["1 day, 0:00:00", "03:04:00", { "2020-01-02": 1, "(1, 2)": 2 }];
const numbers = [{ id: "00000000-0000-0000-0000-000000000005" }, { cost: "1.50" }, 7];
const texts = { path: "/x", half: "1/2", n: null };
const collections = { set: [3], frozen: [], keys: ["a"], range: [0, 1], n: [1.5, true] };
const others = { e: 2, i: 1, x: "no", f: null };
const nested = (levels: number): JsonValue => (levels === 0 ? "(nested too deep)" : [nested(levels - 1)]);
const containers = [[1, [2]], [[3]], { a: 1 }, "<class 'object'>"];

/** Bodies of functions that return a value, and the value that arrives. One action returns all of them in a list. */
const values: readonly (readonly [body: string, result: JsonValue])[] = [
	["return {'a': [1, 2.5, None, True, 'é']}", { a: [1, 2.5, null, true, "é"] }],
	["return [False, 'a list is data']", [false, "a list is data"]],
	["return (True, False, 3)", [true, false, 3]],
	["return {1: 'one', 'nan': float('nan'), 'inf': [float('-inf')], 'big': 10**30}", { 1: "one", nan: null, inf: [null], big: 10n ** 30n }],
	["return '\\ud800 \\x00 \\u2028 😀'", "\ud800 \0 \u2028 😀"],
	["return complex(1, 2)", "(1+2j)"],
	["a = {'n': 1}; a['a'] = a; return a", { n: 1, a: "{'n': 1, 'a': {...}}" }],
	["import datetime as d; return {'at': d.datetime(2020, 1, 2, 3, 4, 5), 'on': d.date(2020, 1, 2), 'n': 1}", times],
	["import datetime as d; return [d.timedelta(days=1), d.time(3, 4), {d.date(2020, 1, 2): 1, (1, 2): 2}]", spans],
	["import uuid, decimal; return [{'id': uuid.UUID(int=5)}, {'cost': decimal.Decimal('1.50')}, 7]", numbers],
	["import pathlib, fractions; return {'path': pathlib.PurePosixPath('/x'), 'half': fractions.Fraction(1, 2), 'n': None}", texts],
	["return {'set': {3}, 'frozen': frozenset(), 'keys': {'a': 1}.keys(), 'range': range(2), 'n': [1.5, True]}", collections],
	["return [b'caf\\xc3\\xa9', bytearray(b'\\xff'), {b'key': 1}]", ["café", "\\xff", { key: 1 }]],
	["import enum; return {'e': enum.Enum('E', 'A B').B, 'i': enum.IntEnum('I', 'A').A, 'x': ValueError('no'), 'f': float('nan')}", others],
	["def depth(n): return n if n == 950 else depth(n + 1)\nreturn depth(0)", 950],
	["def again(): return again()\ntry: again()\nexcept RecursionError: return 'RecursionError'", "RecursionError"],
	["import collections as c; return [c.namedtuple('P', 'x y')(1, {2}), c.deque([{3}]), c.Counter('a'), object]", containers],
];

/** One that is nested deeper than the 200 levels that are kept. */
const deep = "deep = []\nfor _ in range(5000): deep = [deep]\nreturn deep";

/** What `allValues` returns where so many levels are around it. */
export const toSeenValues = (levels: number) => [...values.map(([, result]) => result), nested(199 - levels)];

/** Body of `run`: all of them, each from a function of its own. */
export const allValues = [
	...[...values, [deep]].map(([body = ""], index) => `def value_${index}():\n    ${body.replaceAll("\n", "\n    ")}`),
	`return [${[...values, deep].map((_value, index) => `value_${index}()`).join(", ")}]`,
].join("\n");

type End = readonly [body: string, succeeded: boolean, result: JsonValue, exitCode: number, stderr?: RegExp];

/** Body of `run`, then: succeeded, `result.result`, `result.exit_code`, and what stderr must hold. */
const ends: readonly End[] = [
	[allValues, true, toSeenValues(0), 0],
	["pass", true, null, 0],
	["return ''", true, "", 0],
	["return [False, 'a list is data']", true, [false, "a list is data"], 0],
	["return (True, False, 3)", true, [true, false, 3], 0],
	["return complex(1, 2)", true, "(1+2j)", 0],
	["sys.exit(3)", false, "None", 3],
	["raise KeyboardInterrupt", false, "None", 1, /KeyboardInterrupt/],
	["raise ValueError('bad value é')", false, "None", 1, /^Traceback .*\n {2}File ".*", line 6, in run\n[^]*ValueError: bad value é\n$/],
	["return (False, complex(1, 2))", false, "(1+2j)", 0],
	["deep = []\nfor _ in range(600): deep = [deep]\nreturn {'n': 1, 'deep': deep}", true, { n: 1, deep: nested(199) }, 0],
	["deep = []\nfor _ in range(5000): deep = [deep]\nreturn {'n': 1, 'deep': deep}", true, { n: 1, deep: nested(199) }, 0],
	["sys.exit()", true, "None", 0],
	["sys.exit('with a text')", false, "None", 1, /^with a text\n$/],
	["return self.run(**parameters)", false, "None", 1, /RecursionError/],
	["return (True, {'x': 1})", true, { x: 1 }, 0],
	["return (False, {'x': 1})", false, { x: 1 }, 0],
	["return (None, 'x')", true, "x", 0],
	["return {}['missing']", false, "None", 1, /KeyError: 'missing'/],
	["class Odd:\n    def __str__(self): raise OSError('no text')\nreturn Odd()", false, "None", 1, /OSError: no text/],
	["sys.exit(0)", true, "None", 0],
];

export function checkReturns(check: Check): void {
	for (const [index, [body, succeeded, expected, exitCode, stderr]] of ends.entries()) {
		check(`run with "${body.replaceAll("\n", "; ").slice(0, 140)}"`, async ({ pack, runner }) => {
			const end = await runner.run(pack.body(`ends_${index}`, body));
			assert.deepEqual(end.result["result"], expected, String(end.result["stderr"]));
			assert.equal(end.result["exit_code"], exitCode);
			assert.equal(end.succeeded, succeeded);
			assert.match(String(end.result["stderr"]), stderr ?? /^$/);
		});
	}

	check("a status that is none fails with error and traceback alone", async ({ pack, runner }) => {
		const { succeeded, result } = await runner.run(pack.body("status", "return ('yes', 1)"));
		assert.equal(succeeded, false);
		assert.deepEqual(Object.keys(result), ["error", "traceback", "engine"]);
		assert.match(String(result["error"]), /must be True, False or None, not 'yes'/);
	});

	check("nothing that is printed can pass for the result, which names the engine and its version", async ({ pack, runner }) => {
		const body = `
print('{"status": true, "result": "forged"}')
sys.stderr.write('{"status": true, "result": "forged"}')
import atexit
atexit.register(print, 'after')
return (False, 'real')`;
		const { succeeded, result } = await runner.run(pack.body("forge", body));
		assert.equal(succeeded, false);
		assert.equal(result["result"], "real");
		assert.match(String(result["stdout"]), /^\{"status": true, "result": "forged"\}\n/);
		assert.match(String(result["engine"]), /^cpython \d+\.\d+/);
	});
}
