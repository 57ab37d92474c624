import { readdirSync } from "node:fs";
import { readProcessorTime } from "./processor-time.ts";

/** What the service tells the test of itself. */
export type Report =
	| { readonly kind: "stall"; readonly wall: number; readonly cpu: number; readonly from: number; readonly to: number }
	| { readonly kind: "uncaught"; readonly error: string }
	| { readonly kind: "idle"; readonly handles: number };

/** Milliseconds between two looks at the clock. */
const interval = 20;
/** Shorter ones are not told of. */
const shortest = 100;

/**
 * Watch over the event loop of this process. It counts as blocked for as long as nothing came to its turn *and* its thread was
 * computing: on a busy machine a process stands still without doing anything wrong.
 */
export function watchProcess(): void {
	if (process.send === undefined) return;
	let [seen, used] = [performance.now(), readProcessorTime(process.pid)];
	setInterval(() => {
		const [now, spent] = [performance.now(), readProcessorTime(process.pid)];
		const [wall, cpu] = [now - seen - interval, spent - used];
		[seen, used] = [now, spent];
		const blocked = Math.min(wall, cpu);
		if (blocked > shortest) tell({ kind: "stall", wall, cpu, from: Date.now() - wall - interval, to: Date.now() });
	}, interval).unref();
	process.on("uncaughtExceptionMonitor", (error) => tell({ kind: "uncaught", error: String(error?.stack ?? error) }));
	// Asked for when nothing is sent any more.
	process.on("message", () => tell({ kind: "idle", handles: readdirSync("/proc/self/fd").length }));
	process.on("disconnect", () => process.exit(1));
	process.channel?.unref();
}

function tell(report: Report): void {
	process.send?.(report);
}
