import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import type { Storage } from "../../contract/index.ts";
import { PackContents } from "../../features/packs/content/pack-contents.ts";
import { getSystemClock } from "../../kernel/basics/clock.ts";
import { createPluginContext } from "../plugin-context.ts";
import { silentLogger } from "../run-context.ts";

/** Where content is kept, laid out and taken from. */
export interface ContentPlaces {
	/** Directory of the database. */
	readonly data: string;
	readonly pack: string;
	/** Where it is laid out. */
	readonly root: string;
}

/** The content of packs on SQLite, and the end of it. */
export async function openContents({ data, root }: ContentPlaces, wrap = (storage: Storage) => storage) {
	const storage = knexStorage({ client: "sqlite" }).create();
	await storage.start?.({ ...createPluginContext(), dataDirectory: data });
	const limits = { size: 100_000_000, files: 1_000 };
	const contents = new PackContents({ storage: wrap(storage), clock: getSystemClock(), logger: silentLogger, limits, root });
	return { storage, contents, stop: async () => storage.stop?.() };
}

/** Ends the process, as a power switch does, with one of these calls: before it is made, or after. */
function deadly(storage: Storage, methods: readonly string[], at: number, isMade: boolean): Storage {
	let calls = 0;
	return new Proxy(storage, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof name !== "string" || typeof member !== "function") return member;
			return async (...values: unknown[]) => {
				if (methods.includes(name)) calls += 1;
				if (calls === at && !isMade) process.kill(process.pid, "SIGKILL");
				const answer: unknown = await member.apply(target, values);
				if (calls === at) process.kill(process.pid, "SIGKILL");
				return answer;
			};
		},
	});
}

/** What the process is to do, and with which call of the storage it dies. */
export interface ContentWork extends ContentPlaces {
	/** Undefined: store the pack. */
	readonly content?: string;
	readonly at: number;
	readonly isMade: boolean;
}

const [given] = process.argv.slice(2);
if (given?.startsWith("{")) {
	const work = JSON.parse(given) as ContentWork;
	const { content, at, isMade } = work;
	const methods = content === undefined ? ["insert", "update"] : ["get", "find"];
	const { contents, stop } = await openContents(work, (storage) => deadly(storage, methods, at, isMade));
	if (content === undefined) await contents.store(work.pack, { pack: "disk", signal: new AbortController().signal });
	else await contents.directory("disk", content);
	await stop();
}
