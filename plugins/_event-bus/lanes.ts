/**
 * A transport may divide the events into lanes, so that a node gets only those that somebody there wants. Names are put into lanes by
 * what stands before their first `__` (`svc.execution`, `svc.announcement`), for names of one kind are mostly wanted together.
 */
export function toLane(name: string, count: number): number {
	const end = name.indexOf("__");
	return hash(end === -1 ? name : name.slice(0, end)) % count;
}

/** The lanes in which events of these names travel. */
export function toLanes(names: readonly string[], count: number): Set<number> {
	const lanes = new Set<number>();
	for (const name of names) {
		if (!name.endsWith("*")) lanes.add(toLane(name, count));
		else if (name.includes("__")) lanes.add(toLane(name, count));
		else for (let lane = 0; lane < count; lane += 1) lanes.add(lane);
	}
	return lanes;
}

/** FNV-1a: the same on every node and in every version. */
function hash(text: string): number {
	let value = 0x811c9dc5;
	for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
	return value >>> 0;
}
