// The limit that running commands is held against: a fresh Node process that starts shells and does nothing else.
// Plain JavaScript, as everything in this folder: a loader would make the process larger and its forks dearer.
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

const { command, inFlight, seconds, pauseMilliseconds } = JSON.parse(process.argv[2]);

function run() {
	return new Promise((resolve, reject) => {
		const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		child.stdout.on("data", (bytes) => {
			output += bytes;
		});
		child.stderr.on("data", () => {});
		child.on("error", reject);
		child.on("close", (code) => (code === 0 && output !== "" ? resolve() : reject(new Error(`exit code ${code}`))));
	});
}

/** Milliseconds each run took, of those that ended in time. */
async function work(until, taken) {
	for (;;) {
		const started = performance.now();
		await run();
		const ended = performance.now();
		if (ended > until) return;
		taken.push(ended - started);
		if (pauseMilliseconds > 0) await pause(pauseMilliseconds);
	}
}

async function measure(duration) {
	const taken = [];
	const until = performance.now() + duration * 1000;
	await Promise.all(Array.from({ length: inFlight }, () => work(until, taken)));
	return taken;
}

await measure(0.3);
process.stdout.write(`${JSON.stringify({ milliseconds: await measure(seconds) })}\n`);
