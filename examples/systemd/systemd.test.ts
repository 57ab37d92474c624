import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requires } from "svc-automation/testing";
import { test as plainTest } from "uvu";

const { test } = requires(plainTest, { command: "systemd-analyze" });

/** What `systemd-analyze` says of the unit, and its exit code. */
async function analyze(args: readonly string[]): Promise<{ readonly code: unknown; readonly text: string }> {
	const directory = await mkdtemp(join(tmpdir(), "svc-unit-"));
	try {
		const unit = join(directory, "svc.service");
		const text = await readFile(join(import.meta.dirname, "svc.service"), "utf8");
		// It is looked whether the program is there.
		await writeFile(unit, text.replace("/usr/bin/node", process.execPath));
		return await new Promise((resolve) => {
			execFile("systemd-analyze", [...args, unit], (error, out, errors) => resolve({ code: error?.code ?? 0, text: out + errors }));
		});
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

test("the unit is right, and shuts the service in: an exposure of 2.0 at most", async () => {
	assert.deepEqual(await analyze(["verify", "--man=no"]), { code: 0, text: "" });
	const { code, text } = await analyze(["security", "--offline=true", "--threshold=20", "--no-pager"]);
	assert.equal(code, 0, text);
});

plainTest.run();
