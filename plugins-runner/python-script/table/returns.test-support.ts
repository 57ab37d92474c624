import * as assert from "node:assert/strict";
import type { JsonValue } from "../../../core/contract/index.ts";
import type { Check } from "./check.test-support.ts";

/** Body of `run`, then: succeeded, `result.result`, `result.exit_code`, and what stderr must hold. */
const returns: readonly (readonly [body: string, succeeded: boolean, result: JsonValue, exitCode: number, stderr?: RegExp])[] = [
	["return {'a': [1, 2.5, None, True, 'é']}", true, { a: [1, 2.5, null, true, "é"] }, 0],
	["pass", true, null, 0],
	["return ''", true, "", 0],
	["return (True, {'x': 1})", true, { x: 1 }, 0],
	["return (False, {'x': 1})", false, { x: 1 }, 0],
	["return (None, 'x')", true, "x", 0],
	["return [False, 'a list is data']", true, [false, "a list is data"], 0],
	["return (True, False, 3)", true, [true, false, 3], 0],
	[
		"return {1: 'one', 'nan': float('nan'), 'inf': [float('-inf')], 'big': 10**30}",
		true,
		{ 1: "one", nan: null, inf: [null], big: 1e30 },
		0,
	],
	["return '\\ud800 \\x00 \\u2028 😀'", true, "\ud800 \0 \u2028 😀", 0],
	["return (False, complex(1, 2))", false, "(1+2j)", 0],
	["return complex(1, 2)", true, "(1+2j)", 0],
	["a = {}; a['a'] = a; return a", true, "{'a': {...}}", 0],
	["raise ValueError('bad value é')", false, "None", 1, /^Traceback .*\n {2}File ".*", line 6, in run\n[^]*ValueError: bad value é\n$/],
	["return {}['missing']", false, "None", 1, /KeyError: 'missing'/],
	["class Odd:\n    def __str__(self): raise OSError('no text')\nreturn Odd()", false, "None", 1, /OSError: no text/],
	["sys.exit()", true, "None", 0],
	["sys.exit(0)", true, "None", 0],
	["sys.exit(3)", false, "None", 3],
	["sys.exit('with a text')", false, "None", 1, /^with a text\n$/],
	["raise KeyboardInterrupt", false, "None", 1, /KeyboardInterrupt/],
	["self.depth = getattr(self, 'depth', 0) + 1; return self.run() if self.depth < 950 else self.depth", true, 950, 0],
	["return self.run(**parameters)", false, "None", 1, /RecursionError/],
];

export function checkReturns(check: Check): void {
	for (const [index, [body, succeeded, expected, exitCode, stderr]] of returns.entries()) {
		check(`run with "${body.replaceAll("\n", "; ")}"`, async ({ pack, runner }) => {
			const end = await runner.run(pack.body(`returns_${index}`, body));
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

	check("nothing that is printed can pass for the result", async ({ pack, runner }) => {
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
	});
}
