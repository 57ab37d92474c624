import type { Round } from "./benchmark.ts";
import { type History, useHistory, usePostgresHistory } from "./history.ts";
import type { ListQuery } from "./list-queries.ts";
import { type Service, startService } from "./service.ts";
import { quantile } from "./statistics.ts";

/** Requests of each query before the first that counts. */
const warmUps = 5;

export interface ListFigures {
	/** The p99 of the slowest query, in milliseconds. */
	readonly slowest: number;
	/** The p99 of all queries together, in milliseconds. */
	readonly all: number;
	readonly detail: string;
}

/** What a query took, each time. */
interface Measured {
	readonly title: string;
	readonly p99: number;
	readonly milliseconds: readonly number[];
}

type Measure = (service: Service, history: History) => Promise<ListFigures>;

/** Services on the histories of both databases, one after the other. */
export async function measureBoth(round: Round, measure: Measure) {
	const history = await useHistory(round);
	const service = await round.use("service", () => startService({ dataDirectory: history.dataDirectory }));
	const server = await usePostgresHistory(round);
	const other = await round.use("other", () => startService({ url: server.url }));
	const [sqlite, postgres] = await round.alternate(
		() => measure(service, history),
		() => measure(other, server),
	);
	const detail = `${history.count} executions; SQLite: ${sqlite.detail}\n           PostgreSQL: ${postgres.detail}`;
	return { sqlite, postgres, detail };
}

/** Ask for each query a hundred times, with other values each time, one request at a time. */
export async function measureLists({ quick }: Round, service: Service, queries: readonly ListQuery[]): Promise<ListFigures> {
	// Services run for weeks: what they do every day is compiled, and in the memory of the database.
	for (const query of queries) await ask(service, query, quick ? 1 : warmUps);
	const figures: Measured[] = [];
	for (const query of queries) {
		const milliseconds = await ask(service, query, quick ? 3 : 100);
		figures.push({ title: query.title, p99: quantile(milliseconds, 0.99), milliseconds });
	}
	return toFigures(figures);
}

async function ask(service: Service, { toPath }: ListQuery, times: number): Promise<number[]> {
	const milliseconds: number[] = [];
	for (let number = 0; number < times; number++) {
		const started = performance.now();
		await readList(service, toPath(number));
		milliseconds.push(performance.now() - started);
	}
	return milliseconds;
}

/** Records of a list from all over the history. */
export async function readRecords<T>(service: Service, path: string): Promise<readonly T[]> {
	const records: T[] = [];
	for (const offset of [0, 1_000, 5_000, 10_000]) {
		records.push(...(JSON.parse(await readList(service, `${path}?limit=100&offset=${offset}`)) as T[]));
	}
	return records;
}

function toFigures(figures: readonly Measured[]): ListFigures {
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
		detail: `${figures.length} queries, p99 of all ${all.toFixed(1)} ms; slowest: ${worst.join(", ")}`,
	};
}

export async function readList({ api }: Service, path: string): Promise<string> {
	let text = "";
	for await (const piece of (await api.open(`/v1${path}`)).setEncoding("utf8")) text += piece;
	return text;
}
