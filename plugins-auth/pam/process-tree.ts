import { readdirSync, readFileSync } from "node:fs";

/** End a process and all that it started, in whatever group or session that is by now. */
export function killTree(root: number): void {
	const tree = new Set([root]);
	let known: number;
	// Stopped first: one that runs could start another that would not be seen.
	do {
		known = tree.size;
		for (const id of tree) signal(id, "SIGSTOP");
		const children = readChildren();
		// Grows while it is gone through.
		for (const id of tree) for (const child of children.get(id) ?? []) tree.add(child);
	} while (tree.size > known);
	for (const id of tree) signal(id, "SIGKILL");
}

function signal(id: number, name: "SIGSTOP" | "SIGKILL"): void {
	try {
		process.kill(id, name);
	} catch {
		// It has ended by itself.
	}
}

/** Of every process on the machine, those that it started and that still run. */
function readChildren(): ReadonlyMap<number, readonly number[]> {
	const children = new Map<number, number[]>();
	for (const name of readdirSync("/proc")) {
		if (!/^\d+$/.test(name)) continue;
		const parent = readParent(name);
		if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
	}
	return children;
}

function readParent(id: string): number | undefined {
	try {
		// The name in parentheses may hold anything, parentheses included.
		const [, parent] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${id}/stat`, "utf8")) ?? [];
		return Number(parent);
	} catch {
		return undefined;
	}
}
