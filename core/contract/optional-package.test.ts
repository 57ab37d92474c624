import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type Logger, warnIfMissing } from "./index.ts";

function collect(name: string): unknown[] {
	const warnings: unknown[] = [];
	const fail = () => assert.fail("only warnings are expected");
	const logger: Logger = { debug: fail, info: fail, error: fail, warn: (message, fields) => warnings.push({ message, ...fields }) };
	warnIfMissing({ name, off: "all of it", resolve: () => import.meta.resolve(name) }, logger);
	return warnings;
}

test("the log says what is off without a package that is missing, and how to have it", () => {
	assert.deepEqual(collect("no-such-package"), [
		{ message: "optional package is missing", package: "no-such-package", off: "all of it", install: "npm install no-such-package" },
	]);
});

test("nothing is said of a package that is there", () => {
	assert.deepEqual(collect("yaml"), []);
});

test.run();
