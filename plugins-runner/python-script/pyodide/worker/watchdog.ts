import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/**
 * A thread that runs in addition to Python's thread, which may be busy forever. It kills the process when the service has ended or memory
 * exceeds the limit, and it forwards interrupts to Python.
 */
const { interrupt, memoryLimit } = workerData as { readonly interrupt: Uint8Array; readonly memoryLimit: number };
const descriptor = 4;
const interruptNumber = 2;
/** Milliseconds between two checks of memory use. */
const period = 100;
/** Bytes that the JavaScript around Python may use in addition. */
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
