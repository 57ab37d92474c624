import type { PlacedNode } from "./lay-out.ts";

/** Where the arrow keys lead, as steps to the right and down. */
const directions = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] } as const;

type Arrow = keyof typeof directions;

export function isArrow(key: string): key is Arrow {
	return Object.hasOwn(directions, key);
}

/** The next one in a direction: near, and rather straight ahead than aside. */
export function findNeighbour(nodes: readonly PlacedNode[], id: string, arrow: Arrow): string | undefined {
	const from = nodes.find((node) => node.id === id);
	if (from === undefined) return undefined;
	const [right, down] = directions[arrow];
	let best: string | undefined;
	let least = Number.POSITIVE_INFINITY;
	for (const node of nodes) {
		const [x, y] = [node.x - from.x, node.y - from.y];
		const ahead = x * right + y * down;
		const cost = ahead + 2 * Math.abs(x * down + y * right);
		if (ahead <= 0 || cost >= least) continue;
		best = node.id;
		least = cost;
	}
	return best;
}
