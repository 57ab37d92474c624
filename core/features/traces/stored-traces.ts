import { type ExecutionEntity, isJsonObject, type Storage, SvcError, type TraceEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { type Page, readFirstPerOwner, readMappedPage, toInCondition, withTimeOrder } from "../../kernel/basics/pagination.ts";
import type {
	InstanceComponent,
	TraceCause,
	TraceComponent,
	TraceFilter,
	Traces,
	TracesDependencies,
	TraceView,
} from "./traces-exports.ts";

/** Maximum number of enforcements of one rule, newest first, whose traces a list considers. */
const maxEnforcements = 1_000;

/** Maximum components of each kind, earliest first: of a single trace, and of each trace in a list of several. A trace may have 100,000. */
const maxComponents = { single: 10_000, listed: 1_000 };

function limitFor(traceIds: readonly string[]): number {
	return traceIds.length === 1 ? maxComponents.single : maxComponents.listed;
}

const newestFirst = [
	["start_timestamp", "desc"],
	["trace_tag", "asc"],
] as const;

export interface StoredTracesDependencies extends TracesDependencies, Uses<"storage"> {}

/** Reads traces and their components from the storage. */
export class StoredTraces implements Traces {
	readonly #parts: StoredTracesDependencies;

	constructor(parts: StoredTracesDependencies) {
		this.#parts = parts;
	}

	async list(
		filter: TraceFilter,
		{ orderBy = newestFirst, components = true, ...paging }: Parameters<Traces["list"]>[1],
	): Promise<Page<TraceView>> {
		const { storage } = this.#parts;
		const ids = await findTraceIds(this.#parts, filter);
		const where = {
			...(ids !== undefined && { id: toInCondition(ids) }),
			...(filter.trace_tag !== undefined && { trace_tag: filter.trace_tag }),
		};
		return readMappedPage(storage, "trace", { where, orderBy: withTimeOrder(orderBy, "start_timestamp"), ...paging }, (traces) =>
			components ? this.#toViews(traces) : traces.map((trace) => ({ trace, executions: [], rules: [], instances: [] })),
		);
	}

	async get(id: string): Promise<TraceView> {
		const trace = isId(id) ? await this.#parts.storage.get("trace", id) : undefined;
		if (trace === undefined) throw new SvcError("SVC_NOT_FOUND", `trace "${id}" cannot be found`);
		const [view] = await this.#toViews([trace]);
		return view as TraceView;
	}

	async #toViews(traces: readonly TraceEntity[]): Promise<TraceView[]> {
		const { storage } = this.#parts;
		const ids = traces.map(({ id }) => id);
		const [executions, rules, instances] =
			ids.length === 0 ? [] : await Promise.all([readExecutions(storage, ids), readRules(storage, ids), readInstances(storage, ids)]);
		return traces.map((trace) => ({
			trace,
			executions: executions?.get(trace.id) ?? [],
			rules: rules?.get(trace.id) ?? [],
			instances: instances?.get(trace.id) ?? [],
		}));
	}
}

/** Returns the ids of the traces that match the filter, or undefined if the filter matches all traces. */
async function findTraceIds(
	{ storage, enforcements }: StoredTracesDependencies,
	{ id, execution, rule, trigger_instance }: TraceFilter,
): Promise<readonly string[] | undefined> {
	const sets: (readonly string[])[] = [];
	if (id !== undefined) sets.push([id].flat() as readonly string[]);
	if (execution !== undefined) {
		const found = await storage.find("execution", { where: { id: execution }, fields: ["trace_id"] });
		sets.push(found.map(({ trace_id }) => trace_id));
	}
	if (rule !== undefined) {
		sets.push(await enforcements.tracesOf(rule, maxEnforcements));
	}
	if (trigger_instance !== undefined) {
		const found = await storage.find("trigger_instance", { where: { id: trigger_instance }, fields: ["trace_id"] });
		sets.push(found.map(({ trace_id }) => trace_id));
	}
	const [first, ...others] = sets;
	return first && [...new Set(first)].filter((candidate) => others.every((other) => other.includes(candidate)));
}

function earliestFirst<F extends string>(timeField: F) {
	return [[timeField, "asc"] as const, ["id", "asc"] as const];
}

type Components<C = TraceComponent> = ReadonlyMap<string, readonly C[]>;

async function readExecutions(storage: Storage, traceIds: readonly string[]): Promise<Components> {
	const limit = limitFor(traceIds);
	const executions = await readFirstPerOwner(traceIds, limit, (of) =>
		storage.find("execution", {
			where: { trace_id: { in: of } },
			limit,
			fields: ["id", "trace_id", "action_ref", "start_timestamp", "parent_id", "trigger_instance_id", "context"],
			orderBy: earliestFirst("start_timestamp"),
		}),
	);
	return group(executions, (execution) => ({
		object_id: execution.id,
		ref: execution.action_ref,
		updated_at: execution.start_timestamp,
		caused_by: toExecutionCause(execution),
	}));
}

function toExecutionCause({ parent_id, trigger_instance_id, context }: ExecutionEntity): TraceCause | undefined {
	if (parent_id !== null) return { type: "action_execution", id: parent_id };
	const { rule } = context;
	if (trigger_instance_id === null || !isJsonObject(rule)) return undefined;
	return { type: "rule", id: `${rule["id"]}:${trigger_instance_id}` };
}

async function readRules(storage: Storage, traceIds: readonly string[]): Promise<Components> {
	const limit = limitFor(traceIds);
	const enforcements = await readFirstPerOwner(traceIds, limit, (of) =>
		storage.find("rule_enforcement", {
			where: { trace_id: { in: of } },
			limit,
			fields: ["trace_id", "rule_id", "rule_ref", "enforced_at", "trigger_instance_id"],
			orderBy: earliestFirst("enforced_at"),
		}),
	);
	return group(enforcements, ({ rule_id, rule_ref, enforced_at, trigger_instance_id }) => ({
		object_id: rule_id,
		ref: rule_ref,
		updated_at: enforced_at,
		caused_by: { type: "trigger_instance", id: trigger_instance_id },
	}));
}

async function readInstances(storage: Storage, traceIds: readonly string[]): Promise<Components<InstanceComponent>> {
	const limit = limitFor(traceIds);
	const instances = await readFirstPerOwner(traceIds, limit, (of) =>
		storage.find("trigger_instance", {
			where: { trace_id: { in: of } },
			limit,
			fields: ["trace_id", "trigger", "trigger_type", "occurrence_time", "caused_by_id"],
			orderBy: earliestFirst("occurrence_time"),
		}),
	);
	return group(instances, ({ id, trigger, trigger_type, occurrence_time, caused_by_id }) => ({
		object_id: id,
		ref: trigger,
		trigger_type,
		updated_at: occurrence_time,
		caused_by: caused_by_id === null ? undefined : { type: "action_execution", id: caused_by_id },
	}));
}

function group<E extends { readonly trace_id: string }, C>(entities: readonly E[], toComponent: (entity: E) => C): Components<C> {
	const groups = new Map<string, C[]>();
	for (const entity of entities) {
		const components = groups.get(entity.trace_id);
		if (components === undefined) groups.set(entity.trace_id, [toComponent(entity)]);
		else components.push(toComponent(entity));
	}
	return groups;
}
