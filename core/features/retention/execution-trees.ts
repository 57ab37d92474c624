import type { ExecutionEntity } from "../../contract/index.ts";
import type { Removal } from "../../kernel/expiry/removal.ts";

const fields = ["parent_id", "status", "start_timestamp", "end_timestamp", "fence", "lease_expires_at"] as const;

/**
 * Returns the executions of those trees below `roots` in which every execution satisfies `isOver`. Descendants precede their ancestors.
 * Returns an empty list if the pace was aborted before all descendants were read.
 */
export async function readFinishedTrees(
	removal: Removal,
	roots: readonly ExecutionEntity[],
	isOver: (execution: ExecutionEntity) => boolean,
): Promise<ExecutionEntity[]> {
	const rootOf = new Map(roots.map(({ id }) => [id, id]));
	const kept = new Set<string>();
	const generations: ExecutionEntity[][] = [];
	for (let generation: readonly ExecutionEntity[] = roots; generation.length > 0; ) {
		generations.unshift([...generation]);
		const children = await readChildren(removal, generation);
		if (children === undefined) return [];
		for (const child of children) {
			const root = rootOf.get(child.parent_id ?? "") ?? child.id;
			rootOf.set(child.id, root);
			if (!isOver(child)) kept.add(root);
		}
		generation = children.filter(({ id }) => !kept.has(rootOf.get(id) ?? ""));
	}
	return generations.flat().filter(({ id }) => !kept.has(rootOf.get(id) ?? ""));
}

/** Returns undefined if the pace was aborted before all children were read. */
async function readChildren({ storage, pace }: Removal, parents: readonly ExecutionEntity[]): Promise<ExecutionEntity[] | undefined> {
	const children: ExecutionEntity[] = [];
	const parentIds = parents.map(({ id }) => id);
	for (let after = ""; !pace.signal.aborted; ) {
		let wanted = 0;
		const page = await pace.run((limit) => {
			wanted = limit;
			return storage.find("execution", { where: { parent_id: { in: parentIds }, id: { gt: after } }, limit, fields });
		});
		children.push(...page);
		const last = page.at(-1);
		if (last === undefined || page.length < wanted) return children;
		after = last.id;
	}
	return undefined;
}
