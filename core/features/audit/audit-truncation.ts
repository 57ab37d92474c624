import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** Maximum number of entries that one write removes. */
const atOnce = 1_000;

export interface AuditTruncationOptions extends Uses<"storage" | "clock" | "logger"> {
	readonly checkpoints: Checkpoints;
	/** Days for which entries are kept; 0 keeps all entries. */
	readonly days: number;
}

/**
 * Removes entries older than the retention time from the beginning of the record. The last removed entry is signed in the same write.
 * Verification can then prove that the remaining entries follow it.
 */
export async function truncateAuditLog(
	{ storage, clock, logger, checkpoints, days }: AuditTruncationOptions,
	signal: AbortSignal,
): Promise<void> {
	if (days === 0) return;
	const before = toTimestamp(clock.now() - days * 86_400_000_000);
	let cut = 0;
	while (!signal.aborted) {
		// At least one entry remains, so that the chain can be continued.
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
