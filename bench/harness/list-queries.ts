import type { History } from "./history.ts";

/** A query of a list, in words and as it is sent. */
export interface ListQuery {
	readonly title: string;
	/** Path behind `/v1` with its search part for the n-th request: other values each time. */
	toPath(number: number): string;
}

const day = 86_400_000;

/** Ids that a history holds, for filters that name one. */
export interface SampleIds {
	readonly ids: readonly string[];
	readonly parents: readonly string[];
	readonly liveactions: readonly string[];
	readonly instances: readonly string[];
	readonly traces: readonly string[];
}

/** Every documented filter of executions, orders, pages and selections, and what the command and browsers ask for most. */
export function toListQueries({ names }: Pick<History, "names">, samples: SampleIds): readonly ListQuery[] {
	const pick = (list: readonly string[], number: number) => encodeURIComponent(list[number % list.length] ?? "");
	const one = (name: string, values: readonly string[]) => query(name, (number) => `${name}=${pick(values, number)}`);
	const actions = names.actions.map(({ ref }) => ref);
	const runners = [...new Set(names.actions.map(({ runner }) => runner))];
	const statuses = ["succeeded", "failed", "timeout", "canceled", "abandoned", "running", "requested"];
	const since = (days: number) => new Date(Date.now() - days * day).toISOString();
	const paths: Readonly<Record<string, readonly string[]>> = {
		id: samples.ids,
		status: statuses,
		parent: samples.parents,
		"action.ref": actions,
		"action.runner_type": runners,
		"runner.name": runners,
		"liveaction.id": samples.liveactions,
		"liveaction.action": actions,
		"rule.name": names.rules,
		"trigger.name": names.triggers,
		"trigger_type.name": names.triggers,
		"trigger_instance.id": samples.instances,
		"context.user": names.users,
		"context.trace_context.id_": samples.traces,
	};
	const nullable = ["parent", "rule", "trigger", "trigger_type", "trigger_instance"];
	const sorts = [
		"action",
		"status",
		"liveaction",
		"parent",
		"rule",
		"runner",
		"trigger",
		"trigger_type",
		"trigger_instance",
		"user",
		"id",
		"timestamp",
	];
	return [
		query("no filter", () => ""),
		one("action", actions),
		one("status", statuses),
		one("user", names.users),
		one("runner", runners),
		one("parent", samples.parents),
		one("liveaction", samples.liveactions),
		one("rule", names.rules),
		one("trigger", names.triggers),
		one("trigger_type", names.triggers),
		one("trigger_instance", samples.instances),
		query("id, a hundred", () => `id=${samples.ids.slice(0, 100).join()}`),
		query("timestamp", (number) => `timestamp=${since(2 + (number % 80))}..${since(number % 80)}`),
		query("timestamp_gt", (number) => `timestamp_gt=${since(number % 90)}`),
		query("timestamp_lt", (number) => `timestamp_lt=${since(number % 90)}`),
		...Object.entries(paths).map(([path, values]) => query(`filter ${path}`, (number) => `filter=${path}:${pick(values, number)}`)),
		...nullable.map((name) => query(`${name}=null`, () => `${name}=null`)),
		...sorts.flatMap((name) => [name, `-${name}`]).map((sort) => query(`sort=${sort}`, () => `sort=${sort}`)),
		query("sort_asc", () => "sort_asc=true"),
		query("offset", (number) => `offset=${10 * (number % 100)}`),
		query("include_attributes", () => "include_attributes=id,status,action.ref,context.user,start_timestamp,end_timestamp"),
		query("exclude_attributes", () => "exclude_attributes=result,trigger_instance"),
		query(
			"svc execution list",
			() => "parent=null&limit=50&include_attributes=id,action.ref,context.user,status,start_timestamp,end_timestamp",
		),
		query("the same with a status", (number) => `parent=null&limit=50&status=${pick(statuses, number)}`),
		query("the same with an action", (number) => `parent=null&limit=50&action=${pick(actions, number)}`),
		query("action and status", (number) => `action=${pick(actions, number)}&status=${pick(statuses, number)}`),
		query("user and status", (number) => `user=${pick(names.users, number)}&status=${pick(statuses, number)}`),
	];
}

function query(title: string, toSearch: (number: number) => string): ListQuery {
	return { title, toPath: (number) => `/executions?${toSearch(number)}` };
}
