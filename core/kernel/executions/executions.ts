import { type EventBus, type ExecutionEntity, type Logger, type Storage, SvcError } from "../../contract/index.ts";
import type { EngineClock } from "../basics/clock.ts";
import { isId } from "../basics/ids.ts";
import type { Principal } from "../basics/principal.ts";
import type { SealedSecrets } from "../secrets/sealed-secrets.ts";
import { cancelExecution, changeStatus } from "./cancel.ts";
import type { Catalog } from "./catalog.ts";
import type { Endings } from "./endings.ts";
import { toExecutionView } from "./execution-view.ts";
import type { ExecutionFilter, ExecutionListQuery, Executions, ExecutionView, SubmitInput } from "./executions-api.ts";
import { toRerunInput } from "./rerun.ts";
import { storeExecution } from "./submit.ts";
import type { TemplateSources } from "./template-sources.ts";

export interface ExecutionsParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly catalog: Catalog;
	/** Let `store` keep a new execution, and see to its being run. */
	readonly admit: (execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>) => Promise<void>;
	readonly endings: Endings;
	readonly templateSources: TemplateSources;
	readonly sealedSecrets: SealedSecrets;
}

/** Filter names of `views/filters` and the fields they stand for. */
const filterFields = {
	action: "action_ref",
	status: "status",
	rule: "rule_name",
	runner: "runner_name",
	trigger: "trigger_name",
	trigger_type: "trigger_type_name",
	user: "user",
} as const satisfies Record<string, keyof ExecutionEntity>;

export function createExecutions(parts: ExecutionsParts): Executions {
	const { storage, catalog } = parts;

	async function find(idOrLast: string, fields?: readonly (keyof ExecutionEntity)[]): Promise<ExecutionEntity> {
		const selection = fields && { fields: toReadFields(fields) };
		if (idOrLast === "last") {
			const [last] = await storage.find("execution", { orderBy: [["start_timestamp", "desc"]], limit: 1, ...selection });
			if (last === undefined) throw new SvcError("SVC_INVALID", "last: there is no execution yet");
			return last;
		}
		const [found] = isId(idOrLast) ? await storage.find("execution", { where: { id: idOrLast }, ...selection }) : [];
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${idOrLast}" cannot be found`);
		return found;
	}

	async function toViews(entities: readonly ExecutionEntity[], children = true): Promise<ExecutionView[]> {
		const ids = entities.map(({ id }) => id);
		const nested =
			children && ids.length > 0
				? await storage.find("execution", {
						where: { parent_id: { in: ids } },
						fields: ["id", "parent_id"],
						orderBy: [["start_timestamp", "asc"]],
					})
				: [];
		const byParent = groupByParent(nested);
		return Promise.all(
			entities.map(async (entity) => {
				const ids = (byParent.get(entity.id) ?? []).map(({ id }) => id);
				return toExecutionView(entity, await catalog.snapshot(entity.snapshot_id), { children: ids, sealedSecrets: parts.sealedSecrets });
			}),
		);
	}

	async function toView(entity: ExecutionEntity): Promise<ExecutionView> {
		const [view] = await toViews([entity]);
		return view as ExecutionView;
	}

	async function submit(input: SubmitInput, principal: Principal): Promise<ExecutionView> {
		const { entity, action } = await storeExecution(parts, input, principal);
		return toExecutionView(entity, action.snapshot, parts);
	}

	/** All descendants, nearest first, at most `depth` generations. */
	async function readDescendants(id: string, depth: number): Promise<ExecutionEntity[]> {
		const found: ExecutionEntity[] = [];
		let generation = [id];
		for (let level = 0; generation.length > 0 && (depth <= 0 || level < depth); level += 1) {
			const children = await storage.find("execution", { where: { parent_id: { in: generation } }, orderBy: [["start_timestamp", "asc"]] });
			found.push(...children);
			generation = children.map((child) => child.id);
		}
		return found;
	}

	return {
		submit,

		async get(idOrLast, options = {}) {
			return toView(await find(idOrLast, options.fields));
		},

		async list({ filter, orderBy, limit, offset, fields, children = true }) {
			const where = toWhere(filter);
			const entities = await storage.find("execution", {
				where,
				orderBy: toOrder(orderBy),
				...(limit !== undefined && { limit }),
				...(offset !== undefined && { offset }),
				...(fields && { fields: toReadFields(fields) }),
			});
			const before = (offset ?? 0) + entities.length;
			// A page that is not full is the last one, and tells the total without a count.
			const isLast = (limit === undefined || entities.length < limit) && (entities.length > 0 || offset === undefined || offset === 0);
			const total = isLast ? before : await storage.count("execution", where);
			return { items: await toViews(entities, children), total };
		},

		async children(id, { depth, sorted }) {
			const { id: parentId } = await find(id, []);
			const descendants = await readDescendants(parentId, depth);
			const ordered = sorted
				? descendants.sort((a, b) => (a.start_timestamp < b.start_timestamp ? -1 : 1))
				: toTreeOrder(parentId, descendants);
			return toViews(ordered);
		},

		async cancel(id, principal) {
			const { entity, refused } = await cancelExecution(parts, await find(id), principal);
			return { view: await toView(entity), ...(refused !== undefined && { refused }) };
		},

		async setStatus(id, change, principal) {
			return toView(await changeStatus(parts, await find(id), change, principal));
		},

		async rerun(id, input, principal) {
			const old = await toView(await find(id));
			const current = (await catalog.resolve(old.entity.action_ref))?.snapshot;
			return submit(toRerunInput(old, input, { principal, current }), principal);
		},

		async filterValues(types) {
			const wanted = Object.entries(filterFields).filter(([name]) => types === undefined || types.includes(name));
			const values = await Promise.all(wanted.map(async ([name, field]) => [name, await storage.distinct("execution", field)] as const));
			return Object.fromEntries(values);
		},
	};
}

/** What may hold secrets, and what says which these are. */
const told: readonly (keyof ExecutionEntity)[] = ["parameters", "result", "context", "notify", "callback"];
const telling = ["known_secrets", "parameters"] as const;

function toReadFields(fields: readonly (keyof ExecutionEntity)[]): readonly (keyof ExecutionEntity)[] {
	return [...new Set([...fields, "id" as const, "snapshot_id" as const, ...(fields.some((field) => told.includes(field)) ? telling : [])])];
}

function toWhere({ id, start_timestamp, ...rest }: ExecutionFilter): Record<string, unknown> {
	const where: Record<string, unknown> = {};
	for (const [field, value] of Object.entries({ id, ...rest })) {
		if (value !== undefined) where[field] = Array.isArray(value) ? { in: value } : value;
	}
	if (start_timestamp !== undefined) where["start_timestamp"] = start_timestamp;
	return where;
}

/** Among equals by time, which is the order that indexes have. */
function toOrder(asked: ExecutionListQuery["orderBy"]): NonNullable<ExecutionListQuery["orderBy"]> {
	if (asked === undefined) {
		return [
			["start_timestamp", "desc"],
			["action_ref", "asc"],
		];
	}
	const [, direction = "asc"] = asked.at(-1) ?? [];
	return asked.some(([field]) => field === "start_timestamp" || field === "id") ? asked : [...asked, ["start_timestamp", direction]];
}

function groupByParent(children: readonly ExecutionEntity[]): Map<string | null, ExecutionEntity[]> {
	const groups = new Map<string | null, ExecutionEntity[]>();
	for (const child of children) groups.set(child.parent_id, [...(groups.get(child.parent_id) ?? []), child]);
	return groups;
}

/** Depth first: every execution is followed by its own descendants. */
function toTreeOrder(rootId: string, descendants: readonly ExecutionEntity[]): ExecutionEntity[] {
	const byParent = groupByParent(descendants);
	const visit = (id: string): ExecutionEntity[] => (byParent.get(id) ?? []).flatMap((child) => [child, ...visit(child.id)]);
	return visit(rootId);
}
