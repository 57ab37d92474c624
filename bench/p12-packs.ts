import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, Resource, Round } from "./harness/benchmark.ts";
import { runChild } from "./harness/child.ts";
import { startDurablePostgres } from "./harness/postgres.ts";
import { type Service, startService } from "./harness/service.ts";
import { quantile } from "./harness/statistics.ts";

const stored = { packs: 200, actions: 5_000, aliases: 1_000 };

export const benchmark: Benchmark = {
	id: "P12",
	title: "lists of packs, actions and action aliases with 200 packs and 5,000 actions, request to the last byte, one at a time",
	goals: [
		{ name: "sqlite", label: "SQLite: p99 of the slowest page", unit: "ms", direction: "at most", limits: [40] },
		{ name: "postgres", label: "PostgreSQL: p99 of the slowest page", unit: "ms", direction: "at most", limits: [40] },
		{ name: "all", label: "SQLite: all 5,000 actions in one answer, median", unit: "ms", direction: "at most", limits: [] },
	],
	async run(round) {
		const service = await round.use("service", () => startOn({}));
		const other = await round.use("other", startOnPostgres);
		const [sqlite, postgres] = await round.alternate(
			() => measure(round, service),
			() => measure(round, other),
		);
		return {
			values: { sqlite: sqlite.slowest, postgres: postgres.slowest, all: sqlite.all },
			detail: `SQLite: ${sqlite.detail}\n           PostgreSQL: ${postgres.detail}`,
		};
	},
};

/** Paths of pages by number, so that requests are not all the same. */
const pages: readonly ((number: number) => string)[] = [
	() => "/packs",
	() => "/packs?limit=200",
	() => "/packs?sort=-name",
	(number) => `/packs?name=Pack ${number % 200}`,
	(number) => `/packs?ref=${toRef(number)}`,
	() => "/packs?include_attributes=version,source",
	(number) => `/packs/${toRef(number)}`,
	(number) => `/actions?limit=100&offset=${(number % 49) * 100}`,
	(number) => `/actions?pack=${toRef(number)}`,
	(number) => `/actions?name=action_${number}`,
	() => "/actions?tags=team&limit=100",
	() => "/actions?include_attributes=ref,description&limit=100",
	(number) => `/actions/views/overview?limit=100&offset=${(number % 49) * 100}`,
	(number) => `/actions/views/overview?pack=${toRef(number)}`,
	(number) => `/actionalias?offset=${(number % 9) * 100}`,
	(number) => `/actionalias?pack=${toRef(number)}`,
];

function toRef(number: number): string {
	return `pack_${String(number % stored.packs).padStart(3, "0")}`;
}

async function measure(round: Round, service: Service) {
	const times = round.quick ? 5 : 200;
	const figures: { readonly title: string; readonly p99: number; readonly p50: number }[] = [];
	for (const toPath of pages) {
		const milliseconds: number[] = [];
		for (let number = 0; number < times; number++) milliseconds.push(await time(service, toPath(number)));
		figures.push({ title: toPath(0), p99: quantile(milliseconds, 0.99), p50: quantile(milliseconds, 0.5) });
	}
	const whole: number[] = [];
	for (let number = 0; number < Math.min(times, 20); number++) whole.push(await time(service, "/actions"));
	const sorted = figures.sort((a, b) => b.p99 - a.p99);
	const worst = sorted.slice(0, 6).map(({ title, p99, p50 }) => `${title} ${p99.toFixed(0)} (p50 ${p50.toFixed(0)})`);
	const all = quantile(whole, 0.5);
	return { slowest: sorted[0]?.p99 ?? Number.NaN, all, detail: `slowest: ${worst.join(", ")}; all actions ${all.toFixed(0)}` };
}

async function time({ api }: Service, path: string): Promise<number> {
	const started = performance.now();
	for await (const _piece of await api.open(`/v1${encodeURI(path)}`));
	return performance.now() - started;
}

interface StartOptions {
	readonly url?: string;
}

/** A service on a database with packs. */
async function startOn({ url }: StartOptions): Promise<Service> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const dataDirectory = join(directory, "data");
	const remove = () => rm(directory, { recursive: true, force: true });
	try {
		const place = { dataDirectory, ...(url !== undefined && { url }) };
		await runChild("make-packs.mjs", { input: { ...place, ...stored } });
		const service = await startService(place);
		return withStop(service, remove);
	} catch (error) {
		await remove();
		throw error;
	}
}

async function startOnPostgres(): Promise<Service> {
	const server = await startDurablePostgres();
	try {
		const { url } = await server.createDatabase();
		return withStop(await startOn({ url }), () => server.stop());
	} catch (error) {
		await server.stop();
		throw error;
	}
}

function withStop<R extends Resource>(resource: R, after: () => Promise<unknown>): R {
	return {
		...resource,
		async stop() {
			await resource.stop();
			await after();
		},
	};
}
