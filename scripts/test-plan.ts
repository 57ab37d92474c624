import { readFileSync } from "node:fs";
import { type BackendName, backendNames } from "../core/testing/backends/backend-names.test-support.ts";
import type { Extent } from "../core/testing/extent.test-support.ts";
import { behaviour, inMemory, onNats, onPostgresInShort, withoutPostgres } from "./behaviour.ts";

/** One test file to run, on a backend where it takes one. */
export interface Job {
	readonly file: string;
	readonly backend?: BackendName;
	/** The file, and ` on <backend>`. */
	readonly name: string;
	/** Seconds it may take. */
	readonly timeout: number;
	/** Whether it waits most of its time, and leaves the processor to others. */
	readonly isWaiting: boolean;
	/** Whether it gets a process of its own, which no other file has used. */
	readonly isAlone: boolean;
	/** Whether only the full suite holds it. */
	readonly isFullOnly: boolean;
}

const defaultTimeout = 120;
/** For runs that are made longer than usual, as by `KILL_ROUNDS`: seconds that every file may take. */
const longestTime = process.env["TEST_TIMEOUT"];
const onBackends = new Set(Object.values(behaviour).flat());

export interface Choice {
	/** Parts of names, of which one must match; none take everything that the extent holds. */
	readonly filters?: readonly string[];
	/** Default `full`. What a filter names is run in the short suite too. */
	readonly extent?: Extent;
	/** The backend to run everything on; default: each that a file is to run on. */
	readonly only?: BackendName;
}

/**
 * What to run, in an order in which the longest come first: begun at the end they would be waited for alone. Then those on one backend follow
 * each other, as they may share a process.
 */
export function planJobs(files: readonly string[], { filters = [], extent = "full", only }: Choice = {}): Job[] {
	return files
		.flatMap((file) => toJobs(file, only))
		.filter(({ name, isFullOnly }) =>
			filters.length === 0 ? extent === "full" || !isFullOnly : filters.some((filter) => name.includes(filter)),
		)
		.sort((a, b) => b.timeout - a.timeout || toPlace(a) - toPlace(b));
}

function toPlace({ backend }: Job): number {
	return backend === undefined ? backendNames.length : backendNames.indexOf(backend);
}

function toJobs(file: string, only: BackendName | undefined): Job[] {
	const text = readFileSync(file, "utf8");
	const timeout = Number(longestTime ?? /^\/\/ test-timeout: (\d+)$/m.exec(text)?.[1] ?? defaultTimeout);
	const isWaiting = /^\/\/ test-waits$/m.test(text);
	const isAlone = /^\/\/ test-process: own$/m.test(text);
	const isMarked = /^\/\/ test-suite: full$/m.test(text);
	if (!onBackends.has(file)) return [{ file, name: file, timeout, isWaiting, isAlone, isFullOnly: isMarked }];
	const isOn: Readonly<Record<BackendName, boolean>> = {
		memory: inMemory.includes(file),
		sqlite: true,
		postgres: onPostgresInShort.includes(file) || ![...withoutPostgres, ...onNats].includes(file),
		"postgres-nats": onNats.includes(file),
	};
	const fitting = backendNames.filter((name) => isOn[name]);
	const backends = only === undefined ? fitting : [only];
	const inShort = (backend: BackendName) => backend === "sqlite" || (backend === "postgres" && onPostgresInShort.includes(file));
	return backends.map((backend) => ({
		...{ file, backend, name: `${file} on ${backend}`, timeout, isWaiting, isAlone },
		isFullOnly: isMarked || (only === undefined && !inShort(backend)),
	}));
}
