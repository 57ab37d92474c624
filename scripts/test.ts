import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { findFiles } from "./find-files.ts";
import { addTallies, noTests, parseReport, type Tally } from "./test-report.ts";

// Runs every test file in a process of its own: `npm test [-- <part of a path> …]`. JOBS sets how many run at once.
const directories = ["core", "plugins", "plugins-auth", "plugins-runner", "examples", "scripts"];
const defaultTimeout = 120;
const running = new Set<number>();

async function main(filters: readonly string[]): Promise<number> {
	const files = findFiles(directories, (file) => file.endsWith(".test.ts")).filter(
		(file) => filters.length === 0 || filters.some((filter) => file.includes(filter)),
	);
	const total = await runAll(files, Number(process.env["JOBS"] ?? availableParallelism()));
	for (const { name, reason } of total.skips) process.stdout.write(`skipped ${name}: ${reason}\n`);
	const problem = verdict(total);
	if (problem !== undefined) process.stderr.write(`${problem}\n`);
	process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
	return problem === undefined ? 0 : 1;
}

function verdict(total: Tally): string | undefined {
	if (total.failed > 0) return "some tests failed, see above";
	if (total.passed === 0) return "no test was executed: check the filter";
	if (total.skipped > 0 && process.env["CI"] === "true")
		return "with CI=true a skipped test is a failure: install what it needs (.ci/run does)";
	return undefined;
}

async function runAll(files: readonly string[], parallel: number): Promise<Tally> {
	const queue = [...files];
	let total = noTests;
	const worker = async () => {
		for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
			const tally = await runFile(file);
			// Only now: workers that wait side by side must not add to a total they read before.
			total = addTallies(total, tally);
		}
	};
	await Promise.all(Array.from({ length: Math.max(1, parallel) }, worker));
	return total;
}

async function runFile(file: string): Promise<Tally> {
	const started = performance.now();
	const { code, output, timedOut } = await runProcess(file, timeoutOf(file));
	const tally = parseReport(file, output, code);
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	const counts = `${tally.passed} passed${tally.failed > 0 ? `, ${tally.failed} failed` : ""}${tally.skipped > 0 ? `, ${tally.skipped} skipped` : ""}`;
	process.stdout.write(`${tally.failed > 0 ? "FAIL" : "ok  "} ${file} (${counts}, ${seconds} s)\n`);
	if (tally.failed > 0) process.stdout.write(`${output.replace(/^/gm, "     ")}\n`);
	if (timedOut)
		process.stdout.write(`     stopped after ${timeoutOf(file)} s; a file may ask for more by a comment "// test-timeout: <seconds>"\n`);
	return tally;
}

function timeoutOf(file: string): number {
	return Number(/^\/\/ test-timeout: (\d+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? defaultTimeout);
}

function runProcess(file: string, timeout: number): Promise<{ code: number | null; output: string; timedOut: boolean }> {
	return new Promise((resolve) => {
		// A group of its own, so that a file that hangs is ended together with what it started.
		const child = spawn(process.execPath, ["--import", "tsx", file], {
			stdio: ["ignore", "pipe", "pipe"],
			env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" },
			detached: true,
		});
		const group = child.pid;
		if (group !== undefined) running.add(group);
		const pieces: Buffer[] = [];
		let timedOut = false;
		const timer = setTimeout(() => {
			timedOut = true;
			killGroup(group);
		}, timeout * 1000);
		child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
		child.stderr.on("data", (piece: Buffer) => pieces.push(piece));
		// "exit" rather than "close": a process that the file left behind may hold the pipes for ever.
		child.on("exit", (code) => {
			clearTimeout(timer);
			setImmediate(() => {
				killGroup(group);
				if (group !== undefined) running.delete(group);
				resolve({ code: timedOut ? null : code, output: Buffer.concat(pieces).toString("utf8"), timedOut });
			});
		});
	});
}

function killGroup(group: number | undefined): void {
	if (group === undefined) return;
	try {
		process.kill(-group, "SIGKILL");
	} catch {
		// The group has ended by itself.
	}
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		for (const group of running) killGroup(group);
		process.exit(130);
	});
}

process.exitCode = await main(process.argv.slice(2));
