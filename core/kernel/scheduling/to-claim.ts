import type { ExecutionStatus } from "../../contract/index.ts";
import type { Frontier } from "../coordination/claim-cursor.ts";
import type { Claim } from "../coordination/claimer.ts";

/** What was asked to wait and is in no queue, the earliest due first. */
export function whenDue(status: ExecutionStatus, due_timestamp: { readonly lte: string }): Claim<"execution"> {
	// That there is a delay is said of both: few have one, and an index has no others.
	return { where: { status, delay: { not: null }, queue: null, due_timestamp }, orderBy: [["due_timestamp", "asc"]] };
}

/**
 * What is to be run as soon as it is there, and is in no queue. Whether it is due by the clock of this node is not asked: the one that took it in
 * may have another clock.
 *
 * It goes by the start, at which it is due as well: of all that might be asked for, status and start are together in one index that serves order and
 * bound, and no other index serves as much of it. Where PostgreSQL could choose, it would by how many executions it believes to have the status,
 * which it counts now and then: none of those that wait.
 *
 * The start is told by `now()` of a node, which goes by the clock of the storage where several nodes use it, and goes back on none. So what comes in
 * starts no earlier than `Frontier` allows for. What it does not is found when everything is looked at, as what a clock has put into the future
 * that was set back before the service began anew, which waits for its turn then: nothing bounds starts from above.
 *
 * @param begun when the look at it has begun, beyond which nothing is known
 */
export function atOnce(status: ExecutionStatus, frontier: Frontier, begun: string): Claim<"execution"> {
	return {
		where: { status, delay: null, queue: null, start_timestamp: frontier.near() },
		orderBy: [["start_timestamp", "asc"]],
		reach: ({ start_timestamp }) => frontier.reach(start_timestamp < begun ? start_timestamp : begun),
	};
}
