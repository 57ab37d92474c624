import { type ExecutionEntity, SvcError } from "../../contract/index.ts";
import { assertAllowedValues, parseFilterValues } from "../../http/filter-values.ts";
import { parseIds } from "../../http/parse-ids.ts";
import type { QueryValues } from "../../http/query.ts";
import { parseSort } from "../../http/sort.ts";
import { parseTimestamp } from "../../http/timestamp.ts";
import type { ExecutionFilter, ExecutionListQuery, Executions } from "../../kernel/executions/executions-api.ts";
import { executionMembers } from "./execution-selection.ts";
import { executionStatuses } from "./execution-statuses-exports.ts";

type OrderBy = NonNullable<ExecutionListQuery["orderBy"]>;
type Range = NonNullable<ExecutionFilter["start_timestamp"]>;

/** Fields by the query parameter that filters by them. These names, `timestamp` and `start_timestamp` can also be used to sort. */
const filterFields = {
	action: "action_ref",
	status: "status",
	liveaction: "liveaction_id",
	parent: "parent_id",
	rule: "rule_name",
	runner: "runner_name",
	trigger: "trigger_name",
	trigger_type: "trigger_type_name",
	trigger_instance: "trigger_instance_id",
	user: "user",
	id: "id",
} as const satisfies Readonly<Record<string, FilterField>>;

/**
 * Fields that are null if and only if no rule started the execution. A query for null in one of them is changed to `rule_name`, so that
 * one index serves all of them.
 */
const fieldsOfRules: ReadonlySet<FilterField> = new Set(["rule_name", "trigger_name", "trigger_type_name", "trigger_instance_id"]);

const sortFields: ReadonlyMap<string, keyof ExecutionEntity> = new Map<string, keyof ExecutionEntity>([
	...Object.entries(filterFields),
	["timestamp", "start_timestamp"],
	["start_timestamp", "start_timestamp"],
]);

export const executionFilterQuery = {
	action: "string",
	status: "list",
	liveaction: "string",
	parent: "string",
	rule: "string",
	runner: "string",
	trigger: "string",
	trigger_type: "string",
	trigger_instance: "string",
	user: "string",
	id: "string",
	timestamp: "string",
	timestamp_gt: "string",
	timestamp_lt: "string",
	filter: "string",
	sort: "string",
	sort_asc: "string",
	sort_desc: "string",
} as const;

type FilterValues = QueryValues<typeof executionFilterQuery>;

/**
 * Parses the filter and the order of a list of executions.
 *
 * @param toOwnNames converts values to the service's own names, so that several conditions on one field can be compared
 */
export function parseExecutionFilter(
	query: FilterValues,
	toOwnNames: Executions["toServiceNames"],
): { readonly filter: ExecutionFilter; readonly orderBy?: OrderBy } {
	const statuses = parseFilterValues("status", query.status, [...executionStatuses, "null"]);
	const conditions = new Map<FilterField, string | null | readonly string[]>();
	for (const name of Object.keys(filterFields) as (keyof typeof filterFields)[]) {
		const given = name === "status" ? statuses : query[name];
		const field = filterFields[name];
		if (given !== undefined) addCondition(conditions, field, name === "id" ? parseIds(String(given)) : toOwnNames(field, given));
	}
	const started: string[] = [];
	for (const token of query.filter?.split(/\s+/).filter(Boolean) ?? []) {
		const { path, value } = splitToken(token);
		if (path === startPath) started.push(value);
		else {
			const indexed = toIndexed(path, value);
			if (indexed.field === "status") assertAllowedValues("filter: status", [value], [...executionStatuses, "null"]);
			addCondition(conditions, indexed.field, toOwnNames(indexed.field, indexed.value));
		}
	}
	const { range, reversed } = parseRange(withStart(query, started));
	const filter: ExecutionFilter = { ...Object.fromEntries(conditions), ...(range !== undefined && { start_timestamp: range }) };
	const orderBy = parseOrder(query, reversed);
	return orderBy === undefined ? { filter } : { filter, orderBy };
}

function splitToken(token: string): { readonly path: string; readonly value: string } {
	const colon = token.indexOf(":");
	if (colon < 1) throw new SvcError("SVC_INVALID", `filter: "${token}" must have the form path:value`);
	return { path: token.slice(0, colon), value: token.slice(colon + 1) };
}

/** Returns the query with a start time in `filter` moved to `timestamp`, which has the same meaning. */
function withStart(query: FilterValues, started: readonly string[]): FilterValues {
	const [timestamp, ...more] = started;
	if (timestamp === undefined) return query;
	if (query.timestamp === undefined && more.length === 0) return { ...query, timestamp };
	throw new SvcError("SVC_INVALID", `filter: "${startPath}" may be set only once, and not together with timestamp`);
}

/** Adds a condition. An execution must match all conditions on one field, so their values are intersected. */
function addCondition(
	conditions: Map<FilterField, string | null | readonly string[]>,
	asked: FilterField,
	given: string | readonly string[],
): void {
	const value = typeof given === "string" && given.toLowerCase() === "null" ? null : given;
	const field = value === null && fieldsOfRules.has(asked) ? "rule_name" : asked;
	const earlier = conditions.get(field);
	if (earlier === undefined || earlier === value) conditions.set(field, value);
	else
		conditions.set(
			field,
			toList(earlier).filter((item): item is string => item !== null && toList(value).includes(item)),
		);
}

function toList(value: string | null | readonly string[]): readonly (string | null)[] {
	return typeof value === "string" || value === null ? [value] : value;
}

function parseRange(query: FilterValues): { readonly range?: Range; readonly reversed: boolean } {
	const { timestamp, timestamp_gt, timestamp_lt } = query;
	const after = timestamp_gt === undefined ? {} : { gt: parseTimestamp("timestamp_gt", timestamp_gt) };
	const before = timestamp_lt === undefined ? {} : { lt: parseTimestamp("timestamp_lt", timestamp_lt) };
	const bounds = { ...after, ...before };
	if (timestamp === undefined) return Object.keys(bounds).length > 0 ? { range: bounds, reversed: false } : { reversed: false };
	const [first = "", second = first] = timestamp.split("..");
	const from = parseTimestamp("timestamp", first);
	const to = parseTimestamp("timestamp", second);
	const reversed = from > to;
	return { range: { ...bounds, gte: reversed ? to : from, lte: reversed ? from : to }, reversed };
}

/**
 * Returns the order of a list; undefined for the default, newest first. `sort` takes precedence over the other parameters, and descending
 * order over ascending order.
 */
function parseOrder(query: FilterValues, reversed: boolean): OrderBy | undefined {
	const sorted = parseSort(query.sort, sortFields);
	if (sorted.length > 0) return sorted;
	if (query.timestamp_lt !== undefined || query.sort_desc !== undefined) return undefined;
	const ascending = query.timestamp_gt !== undefined || query.sort_asc !== undefined || reversed;
	return ascending
		? [
				["start_timestamp", "asc"],
				["action_ref", "asc"],
			]
		: undefined;
}

/** Record path of the start time, for which a range is allowed. */
const startPath = "start_timestamp";

/** Field that has an index, so that a filter need not read every execution. */
type FilterField = Exclude<keyof ExecutionFilter, "start_timestamp">;

/** Fields with an index, by their path in the record. */
export const recordPaths: ReadonlyMap<string, FilterField> = new Map([
	["id", "id"],
	["status", "status"],
	["parent", "parent_id"],
	["context.parent.execution_id", "parent_id"],
	["action.ref", "action_ref"],
	["action.uid", "action_ref"],
	["liveaction.action", "action_ref"],
	["liveaction.id", "liveaction_id"],
	["action.runner_type", "runner_name"],
	["runner.name", "runner_name"],
	["runner.uid", "runner_name"],
	["rule.name", "rule_name"],
	["context.rule.name", "rule_name"],
	["trigger.name", "trigger_name"],
	["trigger_type.name", "trigger_type_name"],
	["trigger_instance.id", "trigger_instance_id"],
	["context.trigger_instance.id", "trigger_instance_id"],
	["context.user", "user"],
	["context.trace_context.id_", "trace_id"],
]);

/** Returns the field of a record path and the value to compare. Throws `SVC_INVALID` if the path has no index, to avoid a full scan. */
function toIndexed(path: string, value: string): { readonly field: FilterField; readonly value: string | readonly string[] } {
	const field = recordPaths.get(path);
	if (field !== undefined) return { field, value: toStored(path, value) };
	const allowed = `allowed are ${[...recordPaths.keys(), startPath].join(", ")}`;
	const [member = ""] = path.split(".", 1);
	const isMember = executionMembers.has(member);
	const why = isMember ? `"${path}" has no index, so every execution would be read` : `"${path}" is not a field of executions`;
	throw new SvcError("SVC_INVALID", `filter: ${why}; ${allowed}`);
}

/** Returns the stored value for a filter value: the part of a uid after its kind. A uid of another kind matches no execution. */
function toStored(path: string, value: string): string | readonly string[] {
	if (value === "" || value.toLowerCase() === "null") return value;
	if (path === "runner.uid") return value.startsWith("runner_type:") ? value.slice("runner_type:".length) : [];
	if (path !== "action.uid") return value;
	const [kind, pack, ...name] = value.split(":");
	return kind === "action" && name.length > 0 ? `${pack}.${name.join(":")}` : [];
}
