import { EventLoopYield } from "../../lib/event-loop.ts";

/**
 * Returns the first `limit` records of each owner. Most owners have few records, so one query for all owners usually suffices. If that
 * query is full, the records of each owner are read with a query of its own.
 *
 * @param read returns the first `limit` records of the given owners together, in order
 */
export async function readFirstPerOwner<T>(
	owners: readonly string[],
	limit: number,
	read: (owners: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
	if (owners.length === 0) return [];
	const firstRecords = await read(owners);
	if (firstRecords.length < limit || owners.length === 1) return firstRecords;
	const loopYield = new EventLoopYield();
	const records: T[] = [];
	for (const owner of owners) {
		for (const record of await read([owner])) records.push(record);
		await loopYield.yieldIfDue();
	}
	return records;
}
