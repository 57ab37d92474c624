import { type ExecutionEntity, type JsonValue, SvcError } from "../contract/index.ts";
import type { Dialects } from "../language/dialects.ts";
import type { Uses } from "./basics/engine-parts.ts";
import { isId } from "./basics/ids.ts";
import { type Page, readFirstPerOwner, readMappedPage, withTimeOrder } from "./basics/pagination.ts";
import type { Principal } from "./basics/principal.ts";
import { DescendantTree, descendantsByStart, groupByParent } from "./descendants.ts";
import type { ActionCatalog } from "./executions/action-catalog.ts";
import type { CompletionEffects } from "./executions/completion-effects.ts";
import {
	type Descendant,
	type ExecutionFilter,
	type ExecutionListQuery,
	type Executions,
	type ExecutionView,
	type RerunInput,
	type StatusChange,
	type SubmitInput,
	toExecutionView,
} from "./executions/executions-api.ts";
import type { Admit } from "./executions/new-execution.ts";
import { findOpenQuestions } from "./executions/resume-check.ts";
import { cancelExecution, changeStatus } from "./executions/status-requests.ts";
import { type RuleAndEvent, type TriggeringRuleSelection, TriggeringRules } from "./executions/triggering-rules.ts";
import type { TemplateSources } from "./submission/parameter-rendering.ts";
import { checkPartialRerun, toRerunInput } from "./submission/rerun-request.ts";
import { submitExecution } from "./submission/submit.ts";

export interface StoredExecutionsDependencies
	extends Uses<"storage" | "eventBus" | "clock" | "logger" | "runners" | "isWorkflow" | "sealedSecrets"> {
	readonly catalog: ActionCatalog;
	/** Inserts a new execution by a call of `store`, and schedules its run. */
	readonly admit: Admit;
	readonly completionEffects: CompletionEffects;
	readonly templateSources: TemplateSources;
	readonly dialects: Pick<Dialects, "runnerTypes" | "triggerTypes">;
}

type ExecutionFields = readonly (keyof ExecutionEntity)[];

const newestFirst = [
	["start_timestamp", "desc"],
	["action_ref", "asc"],
] as const;

/** Maximum number of values that are listed for one filter. Few installations have more actions, rules or users. */
const maxFilterValues = 10_000;
/** Filter names of `views/filters`, with the execution field of each. */
const filterFields = {
	action: "action_ref",
	status: "status",
	rule: "rule_name",
	runner: "runner_name",
	trigger: "trigger_name",
	trigger_type: "trigger_type_name",
	user: "user",
} as const satisfies Record<string, keyof ExecutionEntity>;

/** Maximum number of child ids in the view of an execution. `/executions/<id>/children` lists all children, in pages. */
const maxChildIds = 1_000;

/** Access to the executions in the storage, for the API. */
export class ExecutionService implements Executions {
	readonly #parts: StoredExecutionsDependencies;
	readonly #ruleCauses: TriggeringRules;

	constructor(parts: StoredExecutionsDependencies) {
		this.#parts = parts;
		this.#ruleCauses = new TriggeringRules(parts.storage);
	}

	async submit(input: SubmitInput, principal: Principal): Promise<ExecutionView> {
		const { entity, action } = await submitExecution(this.#parts, input, principal);
		return toExecutionView(entity, action.snapshot, this.#parts);
	}

	async get(idOrLast: string, options: { readonly fields?: ExecutionFields; readonly children?: boolean } = {}): Promise<ExecutionView> {
		return this.#toView(await this.#find(idOrLast, options.fields), options.children);
	}

	async list({ filter, orderBy = newestFirst, fields, children = true, ...paging }: ExecutionListQuery): Promise<Page<ExecutionView>> {
		const selection = fields && { fields: toReadFields(fields) };
		const query = {
			where: toWhere(filter, this.#parts.dialects),
			orderBy: withTimeOrder(orderBy, "start_timestamp"),
			...paging,
			...selection,
		};
		return readMappedPage(this.#parts.storage, "execution", query, (entities) => this.#toViews(entities, children));
	}

	triggeringRules(executions: readonly ExecutionEntity[], selection: TriggeringRuleSelection): Promise<ReadonlyMap<string, RuleAndEvent>> {
		return this.#ruleCauses.findByExecution(executions, selection);
	}

	async descendants(
		id: string,
		{ depth, sorted }: { readonly depth: number; readonly sorted: boolean },
	): Promise<AsyncIterable<Descendant>> {
		const { id: rootId } = await this.#find(id, []);
		const levels = depth > 0 ? depth : Number.POSITIVE_INFINITY;
		return sorted ? descendantsByStart(this.#parts.storage, rootId, levels) : new DescendantTree(this.#parts.storage, rootId, levels);
	}

	toServiceNames(field: string, value: string | readonly string[]): string | readonly string[] {
		return toServiceNames(field, value, this.#parts.dialects);
	}

	async findByIds(ids: readonly string[]): Promise<readonly ExecutionView[]> {
		if (ids.length === 0) return [];
		const entities = new Map(
			(await this.#parts.storage.find("execution", { where: { id: { in: ids } } })).map((entity) => [entity.id, entity]),
		);
		return this.#toViews(ids.flatMap((id) => entities.get(id) ?? []));
	}

	async awaitedQuestions(execution: Pick<ExecutionEntity, "id" | "status" | "runner_name" | "fence">): Promise<readonly string[]> {
		return execution.status === "paused" ? findOpenQuestions(this.#parts, execution) : [];
	}

	async cancel(id: string, principal: Principal, reason?: string): ReturnType<Executions["cancel"]> {
		const execution = await this.#find(id);
		const { entity, refused } = await cancelExecution(this.#parts, execution, principal, { reason });
		const wasCanceled = execution.status === "canceled";
		return { view: await this.#toView(entity), wasCanceled, ...(refused !== undefined && { refused }) };
	}

	async setStatus(id: string, change: StatusChange, principal: Principal): Promise<ExecutionView> {
		return this.#toView(await changeStatus(this.#parts, await this.#find(id), change, principal));
	}

	async rerun(id: string, input: RerunInput, principal: Principal): Promise<ExecutionView> {
		const original = await this.#toView(await this.#find(id));
		const current = (await this.#parts.catalog.resolve(original.entity.action_ref))?.snapshot;
		const { tasks = [], reset = [] } = input;
		const request = toRerunInput(original, input, { principal, current });
		const partialRerun =
			tasks.length + reset.length > 0 ? await checkPartialRerun(this.#parts, original.entity, { tasks, reset }) : undefined;
		const { entity, action } = await submitExecution(this.#parts, request, principal, partialRerun && { partialRerun });
		return toExecutionView(entity, action.snapshot, this.#parts);
	}

	async filterValues(types: readonly string[] | undefined): Promise<Record<string, JsonValue>> {
		const { storage } = this.#parts;
		const filters = Object.entries(filterFields).filter(([name]) => types === undefined || types.includes(name));
		const values = await Promise.all(
			filters.map(async ([name, field]) => [name, (await storage.distinct("execution", field)).slice(0, maxFilterValues)] as const),
		);
		return Object.fromEntries(values);
	}

	/**
	 * Returns an execution by id, or the execution with the latest `start_timestamp` (`last`). Throws `SVC_NOT_FOUND` if the id does not
	 * exist, and `SVC_INVALID` for `last` if no execution exists.
	 */
	async #find(idOrLast: string, fields?: ExecutionFields): Promise<ExecutionEntity> {
		const { storage } = this.#parts;
		const selection = fields && { fields: toReadFields(fields) };
		if (idOrLast === "last") {
			const [last] = await storage.find("execution", { orderBy: [["start_timestamp", "desc"]], limit: 1, ...selection });
			if (last === undefined) throw new SvcError("SVC_INVALID", "last: no execution exists yet");
			return last;
		}
		const [execution] = isId(idOrLast) ? await storage.find("execution", { where: { id: idOrLast }, ...selection }) : [];
		if (execution === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${idOrLast}" cannot be found`);
		return execution;
	}

	async #toView(entity: ExecutionEntity, children = true): Promise<ExecutionView> {
		const [view] = await this.#toViews([entity], children);
		return view as ExecutionView;
	}

	async #toViews(entities: readonly ExecutionEntity[], children = true): Promise<ExecutionView[]> {
		const { catalog, sealedSecrets, isWorkflow } = this.#parts;
		const byParent = groupByParent(children ? await this.#readChildIds(entities.map(({ id }) => id)) : []);
		return Promise.all(
			entities.map(async (entity) => {
				const ids = (byParent.get(entity.id) ?? []).map(({ id }) => id);
				return toExecutionView(entity, await catalog.snapshot(entity.snapshot_id), { sealedSecrets, isWorkflow, children: ids });
			}),
		);
	}

	#readChildIds(parents: readonly string[]): Promise<readonly Pick<ExecutionEntity, "id" | "parent_id">[]> {
		const query = { fields: ["id", "parent_id"], orderBy: [["start_timestamp", "asc"]], limit: maxChildIds } as const;
		return readFirstPerOwner(parents, maxChildIds, (parentIds) =>
			this.#parts.storage.find("execution", { where: { parent_id: { in: parentIds } }, ...query }),
		);
	}
}

/** Fields that may contain secrets. */
const maskedFields: ExecutionFields = ["parameters", "result", "context", "notify", "callback"];
/** Fields that must be read to mask `maskedFields`, because they contain the secrets of the execution. */
const maskingFields = ["known_secrets", "parameters"] as const;

/** Returns the fields to read from the storage so that a view can present `fields` with secrets masked. */
function toReadFields(fields: ExecutionFields): ExecutionFields {
	const needsMasking = fields.some((field) => maskedFields.includes(field));
	return [...new Set([...fields, "id" as const, "snapshot_id" as const, ...(needsMasking ? maskingFields : [])])];
}

function toWhere(
	{ id, start_timestamp, ...rest }: ExecutionFilter,
	dialects: StoredExecutionsDependencies["dialects"],
): Record<string, unknown> {
	const where: Record<string, unknown> = {};
	for (const [field, filterValue] of Object.entries({ id, ...rest })) {
		if (filterValue === undefined) continue;
		const value = filterValue === null ? null : toServiceNames(field, filterValue, dialects);
		where[field] = Array.isArray(value) ? { in: value } : value;
	}
	if (start_timestamp !== undefined) where["start_timestamp"] = start_timestamp;
	return where;
}

/** Translates names of a dialect in a filter into names of this service. Returns all other values unchanged. */
function toServiceNames(
	field: string,
	value: string | readonly string[],
	dialects: StoredExecutionsDependencies["dialects"],
): string | readonly string[] {
	if (field === "runner_name") return dialects.runnerTypes(value);
	return field === "trigger_name" || field === "trigger_type_name" ? dialects.triggerTypes(value) : value;
}
