import type { ExecutionEntity, Storage } from "../../contract/index.ts";

/** All descendants, nearest first, at most `depth` generations; 0 or negative: all. */
export async function readDescendants(storage: Storage, id: string, depth: number): Promise<ExecutionEntity[]> {
	const found: ExecutionEntity[] = [];
	let generation = [id];
	for (let level = 0; generation.length > 0 && (depth <= 0 || level < depth); level += 1) {
		const children = await storage.find("execution", { where: { parent_id: { in: generation } }, orderBy: [["start_timestamp", "asc"]] });
		found.push(...children);
		generation = children.map((child) => child.id);
	}
	return found;
}

/** Depth first: every execution is followed by its own descendants. */
export function toTreeOrder(rootId: string, descendants: readonly ExecutionEntity[]): ExecutionEntity[] {
	const byParent = groupByParent(descendants);
	const ordered: ExecutionEntity[] = [];
	const visit = (id: string): void => {
		for (const child of byParent.get(id) ?? []) {
			ordered.push(child);
			visit(child.id);
		}
	};
	visit(rootId);
	return ordered;
}

export function groupByParent(children: readonly ExecutionEntity[]): Map<string | null, ExecutionEntity[]> {
	const groups = new Map<string | null, ExecutionEntity[]>();
	for (const child of children) {
		const group = groups.get(child.parent_id);
		// An execution may have thousands of children: no list is made anew for each.
		if (group === undefined) groups.set(child.parent_id, [child]);
		else group.push(child);
	}
	return groups;
}
