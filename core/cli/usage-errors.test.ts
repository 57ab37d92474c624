import * as assert from "node:assert/strict";
import { test } from "uvu";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";

async function svc(...words: readonly string[]) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const exitCode = await runSvc(words, { stdout, stderr, env: { HOME: "/nonexistent" }, worker: async () => 0 });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

test("an unknown command is answered with a suggestion and the way to the list", async () => {
	assert.deepEqual(await svc("exection", "list"), {
		exitCode: 2,
		stdout: "",
		stderr: "error: unknown command 'exection'\n(Did you mean execution?)\nRun `svc --help` for the list of commands.\n",
	});
	assert.equal((await svc("zzz")).stderr, "error: unknown command 'zzz'\nRun `svc --help` for the list of commands.\n");
});

test("an unknown command of a group is answered with a suggestion and the commands of the group", async () => {
	assert.deepEqual(await svc("rule", "lst"), {
		exitCode: 2,
		stdout: "",
		stderr:
			"error: unknown command 'lst' of `svc rule`\n(Did you mean list?)\nCommands of `svc rule`: list, get, create, update, delete, enable, disable, test\n",
	});
	assert.match((await svc("webhook", "delivery", "zzz")).stderr, /^error: unknown command 'zzz' of `svc webhook delivery`\nCommands/);
	assert.match(
		(await svc("worker", "lst")).stderr,
		/^error: unknown command 'lst' of `svc worker`\nCommands of `svc worker`: list, get\n$/,
	);
});

test("superfluous words are refused", async () => {
	for (const words of [
		["whoami", "now"],
		["rule", "list", "core"],
		["rule", "create", "a.yaml", "b.yaml"],
	]) {
		const { exitCode, stderr } = await svc(...words);
		assert.equal(exitCode, 2, words.join(" "));
		assert.match(stderr, /^error: too many arguments for '\w+'/);
	}
});

test("a wrong option or a missing argument is answered with the command that shows the help", async () => {
	assert.equal(
		(await svc("rule", "create")).stderr,
		"error: missing required argument 'file'\nRun `svc rule create --help` for its arguments and options.\n",
	);
	assert.equal(
		(await svc("rule", "list", "--lmit", "1")).stderr,
		"error: unknown option '--lmit'\n(Did you mean --limit?)\nRun `svc rule list --help` for its arguments and options.\n",
	);
	assert.match((await svc("run")).stderr, /^error: missing required argument 'action'\nRun `svc run --help`/);
	assert.match((await svc("--zzz")).stderr, /^error: unknown option '--zzz'\nRun `svc --help` for its arguments and options\.\n$/);
});

test.run();
