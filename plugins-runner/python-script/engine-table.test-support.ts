import type { RunnerPlugin } from "../../core/contract/index.ts";
import type { EngineName } from "./engine.ts";
import { PythonPack, type Test, usePyodide, useRunner } from "./python-pack.test-support.ts";
import { checkAttributes } from "./table/attributes.test-support.ts";
import type { Check, Checks } from "./table/check.test-support.ts";
import { checkClasses, checkModules } from "./table/classes.test-support.ts";
import { checkDatastore } from "./table/datastore.test-support.ts";
import { checkReturns } from "./table/returns.test-support.ts";
import { checkText } from "./table/text.test-support.ts";

/** What every engine must do, with the same results. `plugin` makes a runner whose choice is `engine`. */
export function testEngine(test: Test, engine: EngineName, plugin: RunnerPlugin): void {
	const use = engine === "pyodide" ? usePyodide : useRunner;
	const scope = { pack: new PythonPack(test), runner: use(test, plugin) };
	const check: Check = (statement, run) => test(`${engine}: ${statement}`, () => run(scope));
	const sharesStarts = engine === "pyodide";
	const checks: Checks = { check, checkShared: sharesStarts ? () => {} : check, sharesStarts };
	checkReturns(checks, engine);
	checkClasses(checks);
	checkModules(checks);
	checkText(checks);
	checkAttributes(checks);
	checkDatastore(checks, test);
}
