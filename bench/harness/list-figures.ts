import type { Round } from "./benchmark.ts";
import type { ListQuery } from "./list-queries.ts";
import type { Service } from "./service.ts";
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

interface Lists {
	readonly service: Service;
	/** Path of the list, without `/v1`; of several lists the queries have theirs. */
	readonly path?: string;
	readonly queries: readonly ListQuery[];
}

/** Ask for each query a hundred times, with other values each time, one request at a time. */
export async function measureLists(round: Round, { service, path, queries }: Lists): Promise<ListFigures> {
	const toPath = ({ toSearch }: ListQuery, number: number) => (path === undefined ? toSearch(number) : `${path}?${toSearch(number)}`);
	const ask = async (query: ListQuery, times: number) => {
		const milliseconds: number[] = [];
		for (let number = 0; number < times; number++) {
			const started = performance.now();
			await readList(service, toPath(query, number));
			milliseconds.push(performance.now() - started);
		}
		return milliseconds;
	};
	// Services run for weeks: what they do every day is compiled, and in the memory of the database.
	for (const query of queries) await ask(query, round.quick ? 1 : warmUps);
	const figures: { readonly title: string; readonly p99: number; readonly milliseconds: readonly number[] }[] = [];
	for (const query of queries) {
		const milliseconds = await ask(query, round.quick ? 3 : 100);
		figures.push({ title: query.title, p99: quantile(milliseconds, 0.99), milliseconds });
	}
	return toFigures(figures);
}

function toFigures(
	figures: readonly { readonly title: string; readonly p99: number; readonly milliseconds: readonly number[] }[],
): ListFigures {
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

/** The whole answer of a list. */
export async function readList({ api }: Service, path: string): Promise<string> {
	let text = "";
	for await (const piece of (await api.open(`/v1${path}`)).setEncoding("utf8")) text += piece;
	return text;
}
