import type { Benchmark, Round } from "./harness/benchmark.ts";
import { type History, useHistory, usePostgresHistory } from "./harness/history.ts";
import { type ListFigures, measureLists, readList } from "./harness/list-figures.ts";
import { type SampleIds, toListQueries } from "./harness/list-queries.ts";
import { type Service, startService } from "./harness/service.ts";

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
			detail: `${history.count} executions; SQLite: ${sqlite.detail}\n           PostgreSQL: ${postgres.detail}`,
		};
	},
};

async function measure(round: Round, service: Service, history: History): Promise<ListFigures> {
	const queries = toListQueries(history, await readSamples(service));
	return measureLists(round, { service, path: "/executions", queries });
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
		pages.push(...(JSON.parse(await readList(service, `/executions?limit=100&offset=${offset}`)) as Listed[]));
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
