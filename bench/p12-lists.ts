import type { Benchmark } from "./harness/benchmark.ts";
import { measureBoth, measureLists, readRecords } from "./harness/list-figures.ts";
import { type SampleIds, toListQueries } from "./harness/list-queries.ts";
import type { Service } from "./harness/service.ts";

export const benchmark: Benchmark = {
	id: "P12",
	title: "lists of executions with a million stored, every documented filter and order, request to the last byte, one at a time",
	goals: [
		{ name: "sqlite", label: "SQLite: p99 of the slowest query", unit: "ms", direction: "at most", limits: [40] },
		{ name: "sqliteAll", label: "SQLite: p99 of all queries together", unit: "ms", direction: "at most", limits: [] },
		{ name: "postgres", label: "PostgreSQL: p99 of the slowest query", unit: "ms", direction: "at most", limits: [40] },
		{ name: "postgresAll", label: "PostgreSQL: p99 of all queries together", unit: "ms", direction: "at most", limits: [] },
	],
	async run(round) {
		const { sqlite, postgres, detail } = await measureBoth(round, async (service, history) =>
			measureLists(round, service, toListQueries(history, await readSamples(service))),
		);
		return {
			values: { sqlite: sqlite.slowest, sqliteAll: sqlite.all, postgres: postgres.slowest, postgresAll: postgres.all },
			detail,
		};
	},
};

interface Listed {
	readonly id: string;
	readonly parent?: string;
	readonly liveaction: { readonly id: string };
	readonly trigger_instance?: { readonly id: string };
	readonly context: object;
}

/** Ids from all over the history. */
export async function readSamples(service: Service): Promise<SampleIds> {
	const pages = await readRecords<Listed>(service, "/executions");
	const isText = (text: string | undefined): text is string => text !== undefined;
	return {
		ids: pages.map(({ id }) => id),
		parents: pages.map(({ parent }) => parent).filter(isText),
		liveactions: pages.map(({ liveaction }) => liveaction.id),
		instances: pages.map(({ trigger_instance }) => trigger_instance?.id).filter(isText),
		traces: pages.map(({ id }) => `${id.slice(0, 18)}7a7a7a`),
	};
}
