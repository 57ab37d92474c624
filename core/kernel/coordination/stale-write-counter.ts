import type { Logger, Meters } from "../../contract/index.ts";

/** Counts stale writes: writes about a run that were refused because this node no longer held the run. */
export interface StaleWriteCounter {
	/** Counts and logs a refused write. `what` names it in the log entry. */
	recordRefusal(what: string, fields: Readonly<Record<string, unknown>>): void;
	/** Returns the number of stale writes since the engine was created. */
	count(): number;
}

export function createStaleWriteCounter({ logger, hub }: { readonly logger: Logger; readonly hub: Meters }): StaleWriteCounter {
	let count = 0;
	const counter = hub.counter({
		name: "svc_late_writes_total",
		help: "Stale writes for runs whose lease another node holds; each was refused.",
	});
	return {
		recordRefusal(what, fields) {
			count += 1;
			counter.record(1);
			logger.warn(`stale write refused: ${what}`, { ...fields, late_writes: count });
		},
		count: () => count,
	};
}
