import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toExitCodeError, toSignalError } from "./signal-error.ts";

test("the signal that ended a process is named by number and name", () => {
	assert.equal(toSignalError(-15), "the process was ended by signal 15 (SIGTERM)");
	assert.equal(toSignalError(-9), "the process was ended by signal 9 (SIGKILL), possibly because it ran out of memory");
	assert.equal(toSignalError(-64), "the process was ended by signal 64");
	for (const exitCode of [0, 1, 137]) assert.equal(toSignalError(exitCode), undefined);
});

test("exit codes that stand for a signal are named with it, and no others", () => {
	const begin = (exitCode: number) => `exit code ${exitCode}: the program was ended by signal`;
	assert.equal(toExitCodeError(139), `${begin(139)} 11 (SIGSEGV)`);
	assert.equal(toExitCodeError(143), `${begin(143)} 15 (SIGTERM)`);
	assert.equal(toExitCodeError(137), `${begin(137)} 9 (SIGKILL), possibly because it ran out of memory`);
	for (const exitCode of [-1, 0, 1, 127, 128, 200, 255]) assert.equal(toExitCodeError(exitCode), undefined);
});

test.run();
