import { type JsonObject, type JsonValue, type Logger, SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import type { IndexHealth, IndexStatus, MergedIndex, PackIndexes } from "../pack-index.ts";
import { IndexError, isOnThisMachine, readIndex } from "./index-reader.ts";
import { isLocal } from "./local-source.ts";
import { quote } from "./pack-path.ts";
import { parsePackRequest } from "./parse-request.ts";
import type { SourceSettings } from "./source-settings.ts";
import { redactAddress } from "./url-credentials.ts";

/** Address that the index contains for a name. */
export interface IndexPlace {
	readonly address: string;
	/** Address of the index. */
	readonly index: string;
	readonly version: string | undefined;
}

interface Read {
	readonly time: number;
	readonly content: Promise<Content>;
}

interface Content {
	readonly status: readonly IndexStatus[];
	/** Entries as written in the indexes, by name. */
	readonly entries: ReadonlyMap<string, { readonly entry: JsonObject; readonly index: string }>;
}

/** Milliseconds for which the content of the indexes is cached, so that frequent callers do not load the index servers. */
const freshness = 60_000;
/** Milliseconds after which reading an index is aborted. */
const readTimeoutMs = 30_000;
const maxQueryLength = 500;

/** Index of available packs, merged from the configured indexes. If several contain the same name, the last one takes precedence. */
export class PackIndex implements PackIndexes {
	readonly #settings: SourceSettings;
	readonly #logger: Logger;
	readonly #now: () => number;
	#read: Read | undefined;

	constructor({
		settings,
		logger,
		now = () => performance.now(),
	}: { readonly settings: SourceSettings; readonly logger: Logger; readonly now?: () => number }) {
		this.#settings = settings;
		this.#logger = logger;
		this.#now = now;
	}

	/** Returns the merged index. Does not throw if an index is unreachable; its status then contains the error. */
	async get(): Promise<MergedIndex> {
		const { status, entries } = await this.#content();
		return { status, index: Object.fromEntries([...entries].map(([name, { entry }]) => [name, toShown(entry)])) };
	}

	async health(): Promise<IndexHealth> {
		const { status, entries } = await this.#content();
		const errors: Record<string, number> = {};
		for (const { error } of status) if (error !== null) errors[error] = (errors[error] ?? 0) + 1;
		const valid = status.filter(({ error }) => error === null).length;
		return { indexes: { count: status.length, valid, invalid: status.length - valid, errors, status }, packs: { count: entries.size } };
	}

	/** Returns the entries that match a query. Throws `SVC_INVALID` if the query is empty or longer than 500 characters. */
	async search(query: string): Promise<readonly JsonObject[]> {
		if (query.trim() === "") throw new SvcError("SVC_INVALID", "query: must not be empty");
		if (query.length > maxQueryLength) throw new SvcError("SVC_INVALID", `query: must have at most ${maxQueryLength} characters`);
		const { entries } = await this.#content();
		return searchIndex(
			[...entries.values()].map(({ entry }) => toShown(entry)),
			query.trim(),
		);
	}

	/** Returns the entry of a name, or undefined if no index contains it. */
	async show(name: string): Promise<JsonObject | undefined> {
		const found = (await this.#content()).entries.get(name);
		return found === undefined ? undefined : toShown(found.entry);
	}

	/**
	 * Returns the address of a name, at most five seconds old. Throws `SVC_NOT_FOUND`, which names the indexes that could not be read, if
	 * no index contains the name.
	 */
	async find(name: string, signal?: AbortSignal): Promise<IndexPlace> {
		if (this.#settings.indexUrls.length === 0)
			throw new SvcError("SVC_NOT_FOUND", `pack ${quote(name)}: no index is configured (content.index_url)`);
		const { status, entries } = await this.#content({ signal, age: 5_000 });
		const found = entries.get(name);
		if (found === undefined) {
			const failed = status.flatMap(({ url, error }) => (error === null ? [] : [`${url} (${error})`]));
			throw new SvcError(
				"SVC_NOT_FOUND",
				`pack ${quote(name)} is not in an index${failed.length === 0 ? "" : `; these could not be read: ${failed.join(", ")}`}`,
			);
		}
		const { entry, index } = found;
		const address = String(entry["repo_url"]);
		const request = parsePackRequest(address, this.#settings.publicHost);
		if (request.kind === "index")
			throw new SvcError("SVC_INVALID", `the index has ${quote(address)} for pack ${quote(name)}, which is not a URL`);
		if (isLocal(request) && !isOnThisMachine(index))
			throw new SvcError("SVC_INVALID", `the index has ${quote(address)} for pack ${quote(name)}: only a local index may name local files`);
		return { address, index: redactAddress(index), version: typeof entry["version"] === "string" ? entry["version"] : undefined };
	}

	/** Returns the version that the index states for the pack at a repository address, or undefined if there is none. */
	async versionAt(address: string, signal?: AbortSignal): Promise<string | undefined> {
		const { entries } = await this.#content({ signal });
		const found = [...entries.values()].find(({ entry }) => toAddress(String(entry["repo_url"]), this.#settings.publicHost) === address);
		const version = found?.entry["version"];
		return typeof version === "string" ? version : undefined;
	}

	/**
	 * Returns the content of all indexes, from the cache if it is recent enough.
	 *
	 * @param options.age maximum age of the cache in milliseconds
	 */
	async #content({ signal, age = freshness }: { readonly signal?: AbortSignal | undefined; readonly age?: number } = {}): Promise<Content> {
		const time = this.#now();
		if (this.#read === undefined || time - this.#read.time > age) this.#read = { time, content: this.#readAll() };
		// Other callers share the read, so it continues even if one caller aborts.
		return signal === undefined ? this.#read.content : unlessAborted(this.#read.content, signal);
	}

	async #readAll(): Promise<Content> {
		const { indexUrls } = this.#settings;
		const all = await Promise.all(indexUrls.map((url) => this.#readOne(url)));
		const entries = new Map(all.flatMap(({ url, packs }) => [...packs].map(([name, entry]) => [name, { entry, index: url }] as const)));
		return { status: all.map(({ status }) => status), entries };
	}

	async #readOne(url: string) {
		const shown = redactAddress(url);
		try {
			const { packs, skipped } = await readIndex(url, this.#settings, AbortSignal.timeout(readTimeoutMs));
			if (skipped.length > 0) this.#logger.warn("entries of a pack index were skipped", { index: shown, skipped: skipped.slice(0, 20) });
			return { url, packs, status: { url: shown, packs: packs.size, message: "Success.", error: null } };
		} catch (error) {
			const kind = error instanceof IndexError ? error.kind : "unresponsive";
			this.#logger.warn("pack index cannot be used", { index: shown, error: toErrorMessage(error) });
			return { url, packs: new Map<string, JsonObject>(), status: { url: shown, packs: 0, message: toErrorMessage(error), error: kind } };
		}
	}
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	signal.throwIfAborted();
	return new Promise((resolve, reject) => {
		const abort = () => reject(signal.reason);
		signal.addEventListener("abort", abort, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
	});
}

function toShown(entry: JsonObject): JsonObject {
	return { ...entry, repo_url: redactAddress(String(entry["repo_url"])) };
}

function toAddress(text: string, publicHost: string): string | undefined {
	try {
		const { address } = parsePackRequest(text, publicHost);
		return address === undefined ? undefined : redactAddress(address);
	} catch {
		return undefined;
	}
}

/** Members of entries that a search ignores. */
const unsearched: ReadonlySet<string> = new Set(["repo_url", "email"]);

/** Returns the entries that match a query: first those with a match in the name, then in the keywords, then in other members. */
function searchIndex(entries: Iterable<JsonObject>, query: string): readonly JsonObject[] {
	const wanted = query.toLowerCase();
	const ranks: JsonObject[][] = [[], [], []];
	for (const entry of entries) {
		const hits = Object.entries(entry).flatMap(([member, value]) => (!unsearched.has(member) && fits(value, wanted) ? [member] : []));
		if (hits.length > 0) ranks[hits.includes("name") ? 0 : hits.includes("keywords") ? 1 : 2]?.push(entry);
	}
	return ranks.flat();
}

/** Returns true if a string contains the query, or if a list has an element equal to it. Case is ignored. */
function fits(value: JsonValue | undefined, wanted: string): boolean {
	if (typeof value === "string") return value.toLowerCase().includes(wanted);
	return Array.isArray(value) && value.some((element) => typeof element === "string" && element.toLowerCase() === wanted);
}
