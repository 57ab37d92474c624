import type { Benchmark, Round } from "./harness/benchmark.ts";
import { useHistory, usePostgresHistory } from "./harness/history.ts";
import { type ListFigures, measureLists, readList } from "./harness/list-figures.ts";
import type { ListQuery } from "./harness/list-queries.ts";
import { type Service, startService } from "./harness/service.ts";

export const benchmark: Benchmark = {
	id: "P12",
	title:
		"lists of events and traces with a million executions stored, every documented filter and order, request to the last byte, one at a time",
	goals: [
		{ name: "sqlite", label: "SQLite: p99 of the slowest query", unit: "ms", direction: "at most", limits: [50] },
		{ name: "postgres", label: "PostgreSQL: p99 of the slowest query", unit: "ms", direction: "at most", limits: [50] },
	],
	async run(round) {
		const history = await useHistory(round);
		const service = await round.use("service", () => startService({ dataDirectory: history.dataDirectory }));
		const server = await usePostgresHistory(round);
		const other = await round.use("other", () => startService({ url: server.url }));
		const [sqlite, postgres] = await round.alternate(
			() => measure(round, service),
			() => measure(round, other),
		);
		return {
			values: { sqlite: sqlite.slowest, postgres: postgres.slowest },
			detail: `SQLite: ${sqlite.detail}\n           PostgreSQL: ${postgres.detail}`,
		};
	},
};

const day = 86_400_000;
const since = (days: number) => new Date(Date.now() - days * day).toISOString();

async function measure(round: Round, service: Service): Promise<ListFigures> {
	const instances = (await readSome(service, "/triggerinstances")) as readonly Event[];
	const traces = (await readSome(service, "/traces")) as readonly Trace[];
	const executions = (await readSome(service, "/executions")) as readonly Execution[];
	return measureLists(round, { service, queries: [...toEventQueries(instances), ...toTraceQueries(traces, executions)] });
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

/** Records from all over the history. */
async function readSome(service: Service, path: string): Promise<readonly unknown[]> {
	const pages: unknown[] = [];
	for (const offset of [0, 1_000, 5_000, 10_000]) {
		pages.push(...(JSON.parse(await readList(service, `${path}?limit=100&offset=${offset}`)) as unknown[]));
	}
	return pages;
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
	const plain = (title: string, toSearch: ListQuery["toSearch"]): ListQuery => ({
		title: `${path} ${title}`,
		toSearch: (number) => `${path}?${toSearch(number)}`,
	});
	const one = (name: string, values: readonly string[]) =>
		plain(name, (number) => `${name}=${encodeURIComponent(values[number % values.length] ?? "")}`);
	const sorts = (names: readonly string[]) =>
		names.flatMap((name) => [name, `-${name}`]).map((sort) => plain(`sort=${sort}`, () => `sort=${sort}`));
	return { plain, one, sorts };
}
