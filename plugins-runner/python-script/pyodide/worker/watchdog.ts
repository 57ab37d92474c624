import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/**
 * A thread beside Python's, which may be busy for ever: ends the process when the service is gone or too much memory is in
 * use, and passes on the wish to interrupt.
 */
const { interrupt, memoryLimit } = workerData as { readonly interrupt: Uint8Array; readonly memoryLimit: number };
const descriptor = 4;
const interruptNumber = 2;
/** Milliseconds between two looks at the memory. */
const period = 100;
/** Bytes that the JavaScript around Python may use besides. */
const allowance = 64 * 1024 * 1024;

const lifeline = new Socket({ fd: descriptor });
lifeline.on("data", () => {
	interrupt[0] = interruptNumber;
});
for (const event of ["end", "error", "close"]) lifeline.on(event, die);

parentPort?.once("message", () => {
	const most = process.memoryUsage.rss() + memoryLimit + allowance;
	setInterval(() => {
		if (process.memoryUsage.rss() <= most) return;
		writeSync(descriptor, "m");
		die();
	}, period);
});
parentPort?.postMessage("watching");

function die(): void {
	process.kill(process.pid, "SIGKILL");
}
