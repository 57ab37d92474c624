import { Breath } from "../../lib/event-loop.ts";

/**
 * Reads the first `limit` records of each owner. Most owners have few, so that one query answers for all; if that is full, each is asked for alone.
 *
 * @param read the first `limit` records of these owners, in their order
 */
export async function readFirstOfEach<T>(
	owners: readonly string[],
	limit: number,
	read: (owners: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
	if (owners.length === 0) return [];
	const found = await read(owners);
	if (found.length < limit || owners.length === 1) return found;
	const breath = new Breath();
	const all: T[] = [];
	for (const owner of owners) {
		for (const record of await read([owner])) all.push(record);
		await breath.take();
	}
	return all;
}
