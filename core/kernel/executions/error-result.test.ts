import * as assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "uvu";
import { SvcError } from "../../contract/index.ts";
import { toErrorResult } from "./error-result.ts";

test("an ordinary error is one line: no frame of the service, its dependencies or Node.js is shown", async () => {
	const cause = await new Promise<Error>((resolve) => connect(1, "127.0.0.1").on("error", resolve));
	const refused = new SvcError("SVC_RUNNER", `no host could be reached: ${cause.message}`, { cause });
	for (const [error, traceback] of [
		[cause, `Error: ${cause.message}`],
		[refused, `SvcError: ${refused.message}`],
		["a text", "a text"],
	] as const)
		assert.equal(toErrorResult(error).traceback, traceback);
});

test("of a plugin of the site the frames are shown, with the names of their files", () => {
	const error = new TypeError("two\nlines in /data/packs/site/a.sh");
	error.stack = [
		"TypeError: two",
		"lines in /data/packs/site/a.sh",
		"    at run (file:///srv/site/runner.ts:7:3)",
		"    at Object.read (/srv/site/node_modules/other/index.js:1:2)",
		"    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
		`    at perform (${new URL("../runs/runner-call.ts", import.meta.url).href}:9:9)`,
	].join("\n");
	assert.equal(toErrorResult(error, ["/data/packs/site"]).traceback, "TypeError: two\nlines in a.sh\n    at run (runner.ts:7:3)");
});

test("long lines of a message that look like frames take time that grows with their length alone", () => {
	const error = new Error("long");
	// Time that grows with the square of the length would be minutes.
	error.stack = `Error: long\n    at ${"/".repeat(1_000_000)}\n    at run (/srv/site/runner.ts:7:3)`;
	assert.equal(toErrorResult(error).traceback, "Error: long\n    at run (runner.ts:7:3)");
});

test.run();
