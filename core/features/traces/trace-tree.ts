import { type TraceNode, toBranches } from "./tree-client.ts";

/** Lines of a tree: each component below what caused it. */
export function drawTree(nodes: readonly TraceNode[], all: readonly TraceNode[]): string[] {
	const branches = toBranches(nodes, all);
	const draw = (parent: string | undefined, indent: string): string[] =>
		(branches.get(parent) ?? []).flatMap((node, index, siblings) => {
			const isLast = index === siblings.length - 1;
			const [branch, below] = parent === undefined ? ["", ""] : isLast ? ["└─ ", "   "] : ["├─ ", "│  "];
			return [`${indent}${branch}${node.kind} ${node.ref} ${node.object_id} ${node.updated_at}`, ...draw(node.key, indent + below)];
		});
	return draw(undefined, "");
}
