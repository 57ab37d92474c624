import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** Entries that are removed with one write. */
const atOnce = 1_000;

export interface AuditTruncationOptions extends Uses<"storage" | "clock" | "logger"> {
	readonly checkpoints: Checkpoints;
	/** 0: nothing is cut. */
	readonly days: number;
}

/**
 * Remove what has been kept long enough, from the beginning. The last entry that goes is signed in the same write, so that the rest is
 * seen to follow it.
 */
export async function cutRecord({ storage, clock, logger, checkpoints, days }: AuditTruncationOptions, signal: AbortSignal): Promise<void> {
	if (days === 0) return;
	const before = toTimestamp(clock.now() - days * 86_400_000_000);
	let cut = 0;
	while (!signal.aborted) {
		// One stays behind, so that there is something to go on from.
		const entries = await storage.find("audit_entry", {
			orderBy: [["number", "asc"]],
			limit: atOnce + 1,
			fields: ["number", "hash", "timestamp"],
		});
		const kept = entries.findIndex(({ timestamp }) => timestamp >= before);
		const last = entries[(kept === -1 ? entries.length - 1 : kept) - 1];
		if (last === undefined) break;
		const { number } = last;
		await storage.write([
			{ insert: "audit_checkpoint", entities: [checkpoints.of({ number, hash: last.hash })] },
			{ remove: "audit_entry", where: { number: { lte: number } } },
			{ remove: "audit_checkpoint", where: { number: { lt: number } } },
		]);
		cut = number;
		if (kept !== -1) break;
	}
	if (cut > 0) logger.info("the audit record was cut at its beginning", { last_removed: cut });
}
