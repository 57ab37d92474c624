import type { TraceComponentRecord, TraceRecord } from "./client.ts";

/** Kind of a component. */
export type TraceKind = "execution" | "rule" | "trigger-instance";

/** A component of a trace as a tree node. */
export interface TraceNode extends TraceComponentRecord {
	readonly kind: TraceKind;
	/** Key by which other components refer to this one as their cause. */
	readonly key: string;
	/** Key of the cause; undefined if the component originated outside of the service. */
	readonly cause: string | undefined;
}

/** Selection of components of a trace. */
export interface TraceChoice {
	/** Kinds to show; empty for all kinds. */
	readonly kinds: readonly TraceKind[];
	/** Id of a component. If set, only this component and its direct and indirect causes are shown. */
	readonly only?: string | undefined;
	/** True to omit events that no rule acted on. */
	readonly hideNoop: boolean;
}

/** Returns the selected components of a trace, sorted by time. */
export function toNodes(trace: TraceRecord, { kinds, only, hideNoop }: TraceChoice): readonly TraceNode[] {
	const all = [
		...trace.trigger_instances.map((component) => toNode("trigger-instance", component)),
		...trace.rules.map((component) => toNode("rule", component)),
		...trace.action_executions.map((component) => toNode("execution", component)),
	].sort((a, b) => (a.updated_at < b.updated_at ? -1 : a.updated_at > b.updated_at ? 1 : 0));
	const acted = new Set(trace.rules.map(({ caused_by }) => caused_by.id));
	const chain = only === undefined ? undefined : toChain(all, only);
	return all.filter(
		(node) =>
			(kinds.length === 0 || kinds.includes(node.kind)) &&
			(chain?.has(node.key) ?? true) &&
			!(hideNoop && node.kind === "trigger-instance" && !acted.has(node.object_id)),
	);
}

/**
 * Returns the children of each node, by the key of the node. A component whose cause is not shown becomes a child of its nearest cause that
 * is shown. The roots of the tree, which have no such cause, are stored under the key undefined.
 */
export function toBranches(nodes: readonly TraceNode[], all: readonly TraceNode[]): ReadonlyMap<string | undefined, readonly TraceNode[]> {
	const causes = new Map(all.map(({ key, cause }) => [key, cause]));
	const shown = new Set(nodes.map(({ key }) => key));
	const branches = new Map<string | undefined, TraceNode[]>();
	for (const node of nodes) {
		let { cause } = node;
		while (cause !== undefined && !shown.has(cause)) cause = causes.get(cause);
		const branch = branches.get(cause);
		if (branch === undefined) branches.set(cause, [node]);
		else branch.push(node);
	}
	return branches;
}

function toNode(kind: TraceKind, component: TraceComponentRecord): TraceNode {
	const { object_id, caused_by } = component;
	// A rule may act on several events of a trace, so its id is not unique.
	const key = kind === "rule" ? `${object_id}:${caused_by.id}` : object_id;
	return { ...component, kind, key, cause: caused_by.id };
}

/** Returns the keys of a component and of all its direct and indirect causes. */
function toChain(all: readonly TraceNode[], id: string): ReadonlySet<string> {
	const byKey = new Map(all.map((node) => [node.key, node]));
	const chain = new Set<string>();
	for (const start of all.filter((node) => node.object_id === id)) {
		for (let node: TraceNode | undefined = start; node !== undefined && !chain.has(node.key); node = byKey.get(node.cause ?? "")) {
			chain.add(node.key);
		}
	}
	return chain;
}
