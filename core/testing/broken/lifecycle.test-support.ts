import { createServer } from "node:net";
import type { Lifecycle } from "../../contract/index.ts";
import { withChanges } from "./refusals.test-support.ts";

const leftOpen: { close(): unknown }[] = [];

/** Open a socket that nobody closes. */
export function leaveOpen(): Promise<void> {
	return new Promise((resolve) => leftOpen.push(createServer().listen(0, "127.0.0.1", resolve)));
}

/** Closes what broken plugins have left open. */
export function closeLeftOpen(): void {
	for (const each of leftOpen.splice(0)) each.close();
}

/** One whose `stop` rejects before it was started. */
export function notToBeStopped<T extends Lifecycle>(sound: T): T {
	let hasStarted = false;
	const changes: Lifecycle = {
		start: async () => void (hasStarted = true),
		async stop() {
			if (!hasStarted) throw new Error("not started");
		},
	};
	return withChanges(sound, changes as Partial<T>);
}
