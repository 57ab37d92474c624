import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toStartFailure } from "./launched-process.ts";
import { createNodeSpawner } from "./node-spawner.ts";

test("where mkfifo is missing, the error names it and not the file that was to be started", () => {
	const before = process.env["PATH"];
	process.env["PATH"] = "/no/such/directory";
	try {
		let error: unknown;
		try {
			createNodeSpawner().createPipe("launcher");
		} catch (thrown) {
			error = thrown;
		}
		const { code, message } = toStartFailure(error, "file", { file: "/bin/sh", args: [], cwd: "/", env: {} });
		assert.equal(code, "");
		assert.match(message, /no pipe can be created.*mkfifo.*install the command mkfifo or the optional package koffi/);
	} finally {
		process.env["PATH"] = before;
	}
});

test.run();
