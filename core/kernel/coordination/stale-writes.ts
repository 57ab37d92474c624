import type { Logger, Meters } from "../../contract/index.ts";

/** Counts what this node wanted to store about work that had been taken from it, and could not. */
export interface LateWrites {
	/** Something was refused. */
	refused(what: string, fields: Readonly<Record<string, unknown>>): void;
	/** How many since the start. */
	count(): number;
}

export function createLateWrites({ logger, hub }: { readonly logger: Logger; readonly hub: Meters }): LateWrites {
	let count = 0;
	const refused = hub.counter({
		name: "svc_late_writes_total",
		help: "Writes about runs that had been taken from this node; each was refused.",
	});
	return {
		refused(what, fields) {
			count += 1;
			refused.record(1);
			logger.warn(`${what} came too late and was refused`, { ...fields, late_writes: count });
		},
		count: () => count,
	};
}
