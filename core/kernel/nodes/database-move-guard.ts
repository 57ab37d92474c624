import { type Storage, SvcError } from "../../contract/index.ts";
import { toTimestamp } from "../basics/clock.ts";

/** Name of the singleton task that is held in the source database while the database is being moved. */
export const moveSourceTaskName = "database_move";
/**
 * Name of the singleton task in the target database. Its record has the same id as that in the source, and is completed once all data has
 * been copied.
 */
export const moveTargetTaskName = "database_move_target";

/**
 * Throws `SVC_CONFIG` if the database is being moved elsewhere, or if a move into it was not completed. Otherwise the changes of this node
 * would be lost with the move, or the node would work on incomplete data.
 */
export async function assertNoUnfinishedDatabaseMove(storage: Storage, now: number): Promise<void> {
	const moveTasks = await storage.find("duty", { where: { name: { in: [moveSourceTaskName, moveTargetTaskName] } } });
	for (const { name, done_at, lease_expires_at: expiry } of moveTasks) {
		if (name === moveTargetTaskName && done_at === null) {
			throw new SvcError("SVC_CONFIG", "moving a database to this one was interrupted; run `svc db move` again, or use another database");
		}
		if (name === moveSourceTaskName && storage.capabilities.shared === true && expiry !== null && expiry > toTimestamp(now)) {
			throw new SvcError("SVC_CONFIG", "the database is being moved; use the new one when the move has finished");
		}
	}
}
