import { type Storage, SvcError } from "../../contract/index.ts";
import { toTimestamp } from "../basics/clock.ts";

/** Duty in the database that is moved, held while it is. */
export const sourceDuty = "database_move";
/** Record in the database that it is moved to, with the id of the duty in the other one. Done once everything is there. */
export const targetDuty = "database_move_target";

/** A database is no place to work while it is being moved, nor half of one that was. */
export async function assertNotMoving(storage: Storage, now: number): Promise<void> {
	const duties = await storage.find("duty", { where: { name: { in: [sourceDuty, targetDuty] } } });
	for (const { name, done_at, lease_expires_at: expiry } of duties) {
		if (name === targetDuty && done_at === null) {
			throw new SvcError("SVC_CONFIG", "a database was moved here and not to the end; run `svc db move` again, or use another database");
		}
		if (name === sourceDuty && storage.capabilities.shared === true && expiry !== null && expiry > toTimestamp(now)) {
			throw new SvcError("SVC_CONFIG", "the database is being moved; start on the new one afterwards");
		}
	}
}
