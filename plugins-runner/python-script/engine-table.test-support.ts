import * as assert from "node:assert/strict";
import type { RunnerPlugin } from "../../core/contract/index.ts";
import type { EngineName } from "./engine.ts";
import { PythonPack, type Test, useRunner } from "./python-pack.test-support.ts";
import { checkAttributes } from "./table/attributes.test-support.ts";
import type { Check, Checks } from "./table/check.test-support.ts";
import { checkClasses, checkModules } from "./table/classes.test-support.ts";
import { checkDatastore } from "./table/datastore.test-support.ts";
import { checkReturns } from "./table/returns.test-support.ts";
import { checkText } from "./table/text.test-support.ts";

/** What every engine must do, with the same results. `plugin` makes a runner whose choice is `engine`. */
export function testEngine(test: Test, engine: EngineName, plugin: RunnerPlugin): void {
	const scope = { pack: new PythonPack(test), runner: useRunner(test, plugin) };
	const check: Check = (statement, run) => test(`${engine}: ${statement}`, () => run(scope));
	const sharesStarts = engine === "pyodide";
	const checks: Checks = { check, checkShared: sharesStarts ? () => {} : check, sharesStarts };
	checkReturns(checks);
	checkClasses(checks);
	checkModules(checks);
	checkText(checks);
	checkAttributes(checks);
	checkDatastore(checks, test);
	check("the result names the engine and its version", async ({ pack, runner }) => {
		const { result } = await runner.run(pack.body("named", "return 1"));
		assert.match(String(result["engine"]), new RegExp(`^${engine} \\d+\\.\\d+`));
	});
}
