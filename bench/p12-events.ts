import type { Benchmark } from "./harness/benchmark.ts";
import { measureBoth, measureLists, readRecords } from "./harness/list-figures.ts";
import type { ListQuery } from "./harness/list-queries.ts";
import type { Service } from "./harness/service.ts";

export const benchmark: Benchmark = {
	id: "P12",
	title:
		"lists of events and traces with a million executions stored, every documented filter and order, request to the last byte, one at a time",
	goals: [
		{ name: "sqlite", label: "SQLite: p99 of the slowest query", unit: "ms", direction: "at most", limits: [40] },
		{ name: "postgres", label: "PostgreSQL: p99 of the slowest query", unit: "ms", direction: "at most", limits: [40] },
	],
	async run(round) {
		const { sqlite, postgres, detail } = await measureBoth(round, async (service) =>
			measureLists(round, service, await toQueries(service)),
		);
		return { values: { sqlite: sqlite.slowest, postgres: postgres.slowest }, detail };
	},
};

const day = 86_400_000;
const since = (days: number) => new Date(Date.now() - days * day).toISOString();

export async function toQueries(service: Service): Promise<readonly ListQuery[]> {
	const instances = await readRecords<Event>(service, "/triggerinstances");
	const traces = await readRecords<Trace>(service, "/traces");
	const executions = await readRecords<Execution>(service, "/executions");
	return [...toEventQueries(instances), ...toTraceQueries(traces, executions)];
}

interface Event {
	readonly id: string;
	readonly trigger: string;
	readonly trigger_type: string;
}

interface Trace {
	readonly id: string;
	readonly trace_tag: string;
}

interface Execution {
	readonly id: string;
	readonly rule?: { readonly ref?: string };
	readonly trigger_instance?: { readonly id: string };
}

function toEventQueries(instances: readonly Event[]): readonly ListQuery[] {
	const { plain, one, sorts } = queriesOf("/triggerinstances");
	const statuses = ["processed", "pending", "processing", "processing_failed"];
	return [
		plain("no filter", () => "limit=100"),
		one("id", toIds(instances)),
		...[one("trigger", [...new Set(instances.map(({ trigger }) => trigger))]), one("status", statuses)],
		one("trigger_type", [...new Set(instances.map(({ trigger_type }) => trigger_type))]),
		plain("timestamp_gt", (number) => `timestamp_gt=${since(number % 90)}`),
		plain("timestamp_lt", (number) => `timestamp_lt=${since(number % 90)}`),
		...sorts(["id", "trigger", "trigger_type", "status", "timestamp"]),
		plain("offset", (number) => `offset=${1_000 * number}`),
	];
}

function toTraceQueries(traces: readonly Trace[], executions: readonly Execution[]): readonly ListQuery[] {
	const { plain, one, sorts } = queriesOf("/traces");
	return [
		plain("no filter", () => "limit=100"),
		one("id", toIds(traces)),
		one("trace_tag", [...new Set(traces.map(({ trace_tag }) => trace_tag))]),
		one("execution", toIds(executions)),
		one("rule", [...new Set(executions.flatMap(({ rule }) => rule?.ref ?? []))]),
		one(
			"trigger_instance",
			executions.flatMap(({ trigger_instance }) => trigger_instance?.id ?? []),
		),
		plain("sort_asc", () => "sort_asc=True"),
		...sorts(["id", "trace_tag", "start_timestamp"]),
		plain("offset", (number) => `offset=${1_000 * number}`),
	];
}

const toIds = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

/** Queries of one list, with its path in front. */
function queriesOf(path: string) {
	const plain = (title: string, toSearch: (number: number) => string): ListQuery => ({
		title: `${path} ${title}`,
		toPath: (number) => `${path}?${toSearch(number)}`,
	});
	const one = (name: string, values: readonly string[]) =>
		plain(name, (number) => `${name}=${encodeURIComponent(values[number % values.length] ?? "")}`);
	const sorts = (names: readonly string[]) =>
		names.flatMap((name) => [name, `-${name}`]).map((sort) => plain(`sort=${sort}`, () => `sort=${sort}`));
	return { plain, one, sorts };
}
