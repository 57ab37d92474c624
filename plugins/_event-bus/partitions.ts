/**
 * Returns the lane of an event name. A transport may partition events into lanes, so that a node receives only those that it needs. The
 * lane depends on the prefix before the first `__` (`svc.execution`, `svc.announcement`), because most subscribers want all events with one
 * prefix.
 */
export function toLane(name: string, count: number): number {
	const end = name.indexOf("__");
	return hash(end === -1 ? name : name.slice(0, end)) % count;
}

/** Returns the lanes that contain events of these names. */
export function toLanes(names: readonly string[], count: number): Set<number> {
	const lanes = new Set<number>();
	for (const name of names) {
		if (!name.endsWith("*")) lanes.add(toLane(name, count));
		else if (name.includes("__")) lanes.add(toLane(name, count));
		else for (let lane = 0; lane < count; lane += 1) lanes.add(lane);
	}
	return lanes;
}

/** Returns the FNV-1a hash, which is equal on all nodes and in all versions. */
function hash(text: string): number {
	let value = 0x811c9dc5;
	for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
	return value >>> 0;
}
