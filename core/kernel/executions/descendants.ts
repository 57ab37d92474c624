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
	const visit = (id: string): ExecutionEntity[] => (byParent.get(id) ?? []).flatMap((child) => [child, ...visit(child.id)]);
	return visit(rootId);
}

export function groupByParent(children: readonly ExecutionEntity[]): Map<string | null, ExecutionEntity[]> {
	const groups = new Map<string | null, ExecutionEntity[]>();
	for (const child of children) groups.set(child.parent_id, [...(groups.get(child.parent_id) ?? []), child]);
	return groups;
}
