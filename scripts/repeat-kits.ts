import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { findFiles } from "./find-files.ts";
import { killRunning, runTestFile } from "./run-test-file.ts";
import { parseReport } from "./test-report.ts";
import { startServers, stopServers } from "./test-servers.ts";

// Runs the suite of every shipped plugin again and again, and stops at the first statement that is refused:
// `npm run conformance -- [--times 50] [--only <part of a file's name>]`.
const directories = ["core/testing", "plugins", "plugins-auth", "plugins-runner"];
const kits = /^test(Storage|EventBus|AuthBackend|Runner|Sensor)\(/m;
/** Seconds that one round of one file may take. */
const timeout = 300;

async function main(times: number, only: string): Promise<number> {
	const files = findFiles(directories, (file) => file.endsWith(".test.ts") && file.includes(only) && kits.test(readFileSync(file, "utf8")));
	if (files.length === 0) {
		process.stderr.write(`--only: no suite has "${only}" in its name\n`);
		return 2;
	}
	const uses = (word: string) => files.some((file) => readFileSync(file, "utf8").includes(word));
	await startServers({ postgres: uses("postgres"), nats: uses("nats"), sqlite: false });
	for (const file of files) if (!(await repeat(file, times))) return 1;
	return 0;
}

/** Whether every round was accepted. */
async function repeat(file: string, times: number): Promise<boolean> {
	const began = performance.now();
	let statements = 0;
	for (let round = 1; round <= times; round++) {
		const { code, output, timedOut } = await runTestFile(file, timeout, {});
		const { passed, failed, skips } = parseReport(file, output, code);
		if (failed > 0 || passed + skips.length === 0) {
			const refused = /^\s*FAIL\s+(.+)$/m.exec(output)?.[1] ?? (timedOut ? `no end after ${timeout} s` : "the file");
			process.stdout.write(`FAIL ${file}, round ${round} of ${times}: ${refused}\n${output}\n`);
			return false;
		}
		if (passed === 0) {
			process.stdout.write(`skipped ${file}: ${skips[0]?.reason}\n`);
			return true;
		}
		statements = passed;
	}
	const seconds = ((performance.now() - began) / 1_000).toFixed(0);
	process.stdout.write(`ok   ${file}: ${times} times ${statements} (${seconds} s)\n`);
	return true;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		killRunning();
		void stopServers().finally(() => process.exit(130));
	});
}

const { values } = parseArgs({ options: { times: { type: "string", default: "50" }, only: { type: "string", default: "" } } });
const times = Number(values.times);
if (!Number.isInteger(times) || times < 1) {
	process.stderr.write(`--times: "${values.times}" is no whole number from 1 on\n`);
	process.exitCode = 2;
} else process.exitCode = await main(times, values.only).finally(stopServers);
