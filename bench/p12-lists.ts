import type { Benchmark, Round } from "./harness/benchmark.ts";
import { type History, useHistory, usePostgresHistory } from "./harness/history.ts";
import { type ListQuery, type SampleIds, toListQueries } from "./harness/list-queries.ts";
import { type Service, startService } from "./harness/service.ts";
import { quantile } from "./harness/statistics.ts";

export const benchmark: Benchmark = {
	id: "P12",
	title: "lists of executions with a million stored, every documented filter and order, request to the last byte, one at a time",
	goals: [
		{ name: "sqlite", label: "SQLite: p99 of the slowest query", unit: "ms", direction: "at most", limits: [50] },
		{ name: "sqliteAll", label: "SQLite: p99 of all queries together", unit: "ms", direction: "at most", limits: [] },
		{ name: "postgres", label: "PostgreSQL: p99 of the slowest query", unit: "ms", direction: "at most", limits: [50] },
		{ name: "postgresAll", label: "PostgreSQL: p99 of all queries together", unit: "ms", direction: "at most", limits: [] },
	],
	async run(round) {
		const history = await useHistory(round);
		const service = await round.use("service", () => startService({ dataDirectory: history.dataDirectory }));
		const server = await usePostgresHistory(round);
		const other = await round.use("other", () => startService({ url: server.url }));
		const [sqlite, postgres] = await round.alternate(
			() => measure(round, service, history),
			() => measure(round, other, server),
		);
		return {
			values: { sqlite: sqlite.slowest, sqliteAll: sqlite.all, postgres: postgres.slowest, postgresAll: postgres.all },
			detail: `SQLite: ${sqlite.detail}\n           PostgreSQL: ${postgres.detail}`,
		};
	},
};

/** Requests of each query before the first that counts. */
const warmUps = 5;

interface ListFigures {
	/** Milliseconds. */
	readonly slowest: number;
	readonly all: number;
	readonly detail: string;
}

async function measure(round: Round, service: Service, history: History): Promise<ListFigures> {
	const queries = toListQueries(history, await readSamples(service));
	const times = round.quick ? 3 : 100;
	// Services run for weeks: what they do every day is compiled, and in the memory of the database.
	for (const query of queries) await measureQuery(service, query, round.quick ? 1 : warmUps);
	const figures: { readonly title: string; readonly p99: number; readonly milliseconds: readonly number[] }[] = [];
	for (const query of queries) {
		const milliseconds = await measureQuery(service, query, times);
		figures.push({ title: query.title, p99: quantile(milliseconds, 0.99), milliseconds });
	}
	const sorted = [...figures].sort((a, b) => b.p99 - a.p99);
	const all = quantile(
		figures.flatMap(({ milliseconds }) => milliseconds),
		0.99,
	);
	const worst = sorted
		.slice(0, 8)
		.map(({ title, p99, milliseconds }) => `${title} ${p99.toFixed(0)} (p50 ${quantile(milliseconds, 0.5).toFixed(0)})`);
	return {
		slowest: sorted[0]?.p99 ?? Number.NaN,
		all,
		detail: `${history.count} executions, ${queries.length} queries, p99 of all ${all.toFixed(1)} ms; slowest: ${worst.join(", ")}`,
	};
}

async function measureQuery(service: Service, { toSearch }: ListQuery, times: number): Promise<number[]> {
	const milliseconds: number[] = [];
	for (let number = 0; number < times; number++) {
		const started = performance.now();
		await readList(service, toSearch(number));
		milliseconds.push(performance.now() - started);
	}
	return milliseconds;
}

async function readList({ api }: Service, search: string): Promise<string> {
	let text = "";
	for await (const piece of (await api.open(`/v1/executions?${search}`)).setEncoding("utf8")) text += piece;
	return text;
}

interface Listed {
	readonly id: string;
	readonly parent?: string;
	readonly liveaction: { readonly id: string };
	readonly trigger_instance?: { readonly id: string };
	readonly context: object;
}

/** Ids from all over the history. */
async function readSamples(service: Service): Promise<SampleIds> {
	const pages: Listed[] = [];
	for (const offset of [0, 1_000, 5_000, 10_000]) {
		pages.push(...(JSON.parse(await readList(service, `limit=100&offset=${offset}`)) as Listed[]));
	}
	const isText = (text: string | undefined): text is string => text !== undefined;
	return {
		ids: pages.map(({ id }) => id),
		parents: pages.map(({ parent }) => parent).filter(isText),
		liveactions: pages.map(({ liveaction }) => liveaction.id),
		instances: pages.map(({ trigger_instance }) => trigger_instance?.id).filter(isText),
		traces: pages.map(({ id }) => `${id.slice(0, 18)}7a7a7a`),
	};
}
