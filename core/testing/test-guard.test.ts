// test-waits
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";

const directory = mkdtempSync(join(tmpdir(), "svc-statement-"));
test.after(() => rmSync(directory, { recursive: true }));

/** Written as the test is run: from sources or from what they were built into. */
const isSource = import.meta.url.endsWith(".ts");
const toModule = (path: string) => new URL(`${path}.${isSource ? "ts" : "js"}`, import.meta.url).href;

const runners = {
	uvu: { head: `import { test } from "${import.meta.resolve("uvu")}";`, end: "test.run();", failed: /FAIL\s+"(.+)"/g },
	"node:test": { head: 'import { test } from "node:test";', end: "", failed: /^not ok \d+ - (.+)$/gm },
} as const;

/** Runs the kit of a runner in a process of its own, whose `npm test` this would be; the names of the statements it has refused. */
async function runKitOf(testRunner: keyof typeof runners, plugin: string) {
	const { head, end, failed } = runners[testRunner];
	const file = join(directory, `${testRunner.replace(":", "-")}.mjs`);
	const text = `${head}
		import { defineRunner } from "${toModule("../contract/index")}";
		import { testRunner } from "${toModule("index")}";
		const runner = ${plugin};
		testRunner({ test, name: "shout", create: () => runner(), cases: { succeeds: {}, blocks: { runnerParameters: { willContinue: true } } }, grace: 300 });
		test("a test of its own", async () => {});
		${end}`;
	writeFileSync(file, text);
	const tsx = isSource ? ["--import", import.meta.resolve("tsx")] : [];
	const env = { PATH: process.env["PATH"], NO_COLOR: "1", FORCE_COLOR: "0" };
	const began = performance.now();
	const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
		execFile(process.execPath, [...tsx, file], { timeout: 60_000, env }, (error, stdout, stderr) =>
			resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: stdout + stderr }),
		);
	});
	return { code, output, seconds: (performance.now() - began) / 1_000, refused: [...output.matchAll(failed)].map(([, name]) => name) };
}

/** A runner that does what stands in `body`; `willContinue` says whether until the end of the signal. */
const toRunner = (body: string, terms = "{ contract: 1 }") =>
	`defineRunner("shout", () => ({
		description: "Says it louder.",
		parameters: { willContinue: { type: "boolean", default: false } },
		capabilities: { streaming: true, cancellation: true },
		async run({ runnerParameters: { willContinue }, emit, signal }) { ${body} },
	}), ${terms})`;

const ended = "return { succeeded: !signal.aborted, result: {} };";
const untilAborted = 'if (willContinue && !signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));';
const sound = `await emit("stdout", "ready\\n"); ${untilAborted} ${ended}`;

for (const testRunner of ["uvu", "node:test"] as const) {
	test(`${testRunner}: a runner that keeps its promises passes, and the process ends by itself`, async () => {
		const { code, output, refused } = await runKitOf(testRunner, toRunner(sound));
		assert.equal(code, 0, output);
		assert.deepEqual(refused, []);
	});

	test(`${testRunner}: an emit that nobody awaits is a refused statement that says to await it`, async () => {
		const { code, output, refused } = await runKitOf(testRunner, toRunner(sound.replace("await emit", "emit")));
		assert.equal(code, 1, output);
		assert.deepEqual(refused, ["shout: a run whose output is refused ends"]);
		assert.match(output, /the execution no longer belongs to this run; hint: await each `emit`, and end the work if it rejects/);
	});

	test(`${testRunner}: a runner that takes no notice of the signal is refused, and the process ends all the same`, async () => {
		const deaf = `await emit("stdout", "ready\\n"); if (willContinue) await new Promise(() => setInterval(() => {}, 1_000)); ${ended}`;
		const { code, output, refused, seconds } = await runKitOf(testRunner, toRunner(deaf));
		assert.equal(code, 1, output);
		assert.ok(refused.includes("shout: an abort (cancel) ends the run within the grace and keeps the output"), output);
		assert.match(
			output,
			/the run continues although its signal has aborted, after 300 ms; hint: end the work and resolve when `signal` aborts/,
		);
		assert.match(output, /svc-automation\/testing: a plugin that was refused keeps the process open \(.*Timeout.*\), which ends here/);
		// All of it is reported before the end, what comes behind the kit as well.
		assert.match(output, testRunner === "uvu" ? /Total: +\d+/ : /ok \d+ - a test of its own/);
		assert.ok(seconds < 30, `${seconds} s`);
	});

	test(`${testRunner}: a runner for a version of the contract that is not known is refused with both versions`, async () => {
		const { code, output, refused } = await runKitOf(testRunner, toRunner(sound, "{ contract: 2 }"));
		assert.equal(code, 1, output);
		assert.deepEqual(refused, ["shout: it requires a contract version that the service supports"]);
		assert.match(output, /it requires contract version 2, but this svc has version 1.*hint: write \{ contract: 1 \}/);
	});
}

test.run();
