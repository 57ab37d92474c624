import { SvcError } from "../../../../core/contract/index.ts";
import { type StreamEventRecord, type TraceNode, type TraceRecord, toBranches, toNodes } from "../../../_shipped/client.ts";
import { client } from "../kit/service.ts";
import * as texts from "../texts/why.ts";

/** Trace that the address selects: by its id, or by the id of an execution or event that it contains. */
export interface TraceChoice {
	readonly trace: string;
	readonly execution: string;
	readonly event: string;
}

/** A trace as a tree. */
export interface TraceTree {
	readonly trace: TraceRecord;
	/** Direct effects of each component, by its key. The key undefined lists the components whose cause is not in the trace. */
	readonly branches: ReadonlyMap<string | undefined, readonly TraceNode[]>;
	readonly ids: ReadonlySet<string>;
	/** Keys of the selected component and of all its causes. */
	readonly path: ReadonlySet<string>;
}

export async function readTrace({ trace, execution, event }: TraceChoice): Promise<TraceTree> {
	const found = trace === "" ? await findTrace({ execution, event }) : await client.triggers.traces.get(trace);
	const nodes = toNodes(found, { kinds: [], hideNoop: false });
	const only = execution || event;
	const path = only === "" ? [] : toNodes(found, { kinds: [], only, hideNoop: false });
	return {
		trace: found,
		branches: toBranches(nodes, nodes),
		ids: new Set(nodes.map(({ object_id }) => object_id)),
		path: new Set(path.map(({ key }) => key)),
	};
}

async function findTrace({ execution, event }: Pick<TraceChoice, "execution" | "event">): Promise<TraceRecord> {
	const { items } = await client.triggers.traces.list({ ...(execution === "" ? { trigger_instance: event } : { execution }), limit: 1 });
	const [found] = items;
	if (found === undefined) throw new SvcError("SVC_NOT_FOUND", texts.noTrace);
	return found;
}

/** Returns true if a stream event concerns the trace: one of its components, or a new execution that belongs to it. */
export function tellsOfTrace({ name, data }: StreamEventRecord, tree: TraceTree | undefined): boolean {
	if (tree === undefined) return true;
	if (!name.startsWith("svc.execution__") || typeof data !== "object" || data === null || Array.isArray(data)) return false;
	const { id, parent, context, trigger_instance } = data as Readonly<Record<string, unknown>>;
	const known = (key: unknown) => typeof key === "string" && tree.ids.has(key);
	const trace = memberOf(memberOf(context, "trace_context"), "id_");
	return known(id) || known(parent) || trace === tree.trace.id || known(memberOf(trigger_instance, "id"));
}

function memberOf(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
