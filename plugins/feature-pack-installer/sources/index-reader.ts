import { opendir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type JsonObject, parseJson, toErrorMessage } from "../../../core/contract/index.ts";
import { assertYamlDepth, hasControlCharacters, readYamlObject, toPack } from "../../../core/feature.ts";
import { httpGet, readBody } from "./http-get.ts";
import type { SourceSettings } from "./source-settings.ts";

/** Content of one index. */
export interface IndexContent {
	/** Entries by the name of the pack; `repo_url` is its address. */
	readonly packs: ReadonlyMap<string, JsonObject>;
	/** Names of entries that could not be used. */
	readonly skipped: readonly string[];
}

/** Error for an index that cannot be used. `kind` is the reason reported in the health of the index. */
export class IndexError extends Error {
	readonly kind: "unresponsive" | "malformed" | "empty";

	constructor(kind: IndexError["kind"], message: string, cause?: unknown) {
		super(message, { cause });
		this.kind = kind;
	}
}

const limits = { bytes: 4_194_304, packs: 10_000 };
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/** Reads an index: a JSON file at an address or on this machine, or a directory of packs. Throws `IndexError`. */
export async function readIndex(url: string, settings: SourceSettings, signal: AbortSignal): Promise<IndexContent> {
	const content = /^https?:\/\//i.test(url) ? await readRemote(url, settings, signal) : await readLocal(url);
	if (content.packs.size === 0) throw new IndexError("empty", "The index holds no packs.");
	return content;
}

/**
 * Returns true if an index is on this machine. Only such an index may contain local paths, so that a remote index cannot name files of this
 * machine.
 */
export function isOnThisMachine(url: string): boolean {
	return url.startsWith("/") || url.startsWith("file://");
}

async function readRemote(url: string, settings: SourceSettings, signal: AbortSignal): Promise<IndexContent> {
	let text: string;
	try {
		text = (await readBody(await httpGet(url, { settings, signal }), limits.bytes, "the index")).toString("utf8");
	} catch (error) {
		throw new IndexError("unresponsive", toErrorMessage(error), error);
	}
	return parseIndex(text, (place) => (/^\.\.?\//.test(place) ? new URL(place, url).href : place));
}

async function readLocal(url: string): Promise<IndexContent> {
	if (!isOnThisMachine(url)) throw new IndexError("malformed", "An index is a URL (https://…) or an absolute path.");
	const path = url.startsWith("/") ? url : fileURLToPath(url);
	try {
		const information = await stat(path);
		if (information.isDirectory()) return await readFolder(path);
		if (information.size > limits.bytes) throw new Error(`the index has more than ${limits.bytes} bytes`);
		const text = await readFile(path, "utf8");
		return parseIndex(text, (place) => (/^\.\.?\//.test(place) ? resolve(path, "..", place) : place));
	} catch (error) {
		if (error instanceof IndexError) throw error;
		throw new IndexError("unresponsive", toErrorMessage(error), error);
	}
}

/**
 * Parses an index and skips invalid entries.
 *
 * @param toPlace resolves a `repo_url` that may be relative to the index
 */
function parseIndex(text: string, toPlace: (place: string) => string): IndexContent {
	const entries = Object.entries(parsePacks(text));
	if (entries.length > limits.packs) throw new IndexError("malformed", `The index holds more than ${limits.packs} packs.`);
	const packs = new Map<string, JsonObject>();
	const skipped: string[] = [];
	for (const [name, entry] of entries) {
		const place = isObject(entry) ? entry["repo_url"] : undefined;
		if (!isObject(entry) || !namePattern.test(name) || typeof place !== "string" || hasControlCharacters(place)) skipped.push(name);
		else packs.set(name, { ...entry, name: typeof entry["name"] === "string" ? entry["name"] : name, repo_url: toPlace(place) });
	}
	return { packs, skipped };
}

function parsePacks(text: string): JsonObject {
	try {
		const value = parseJson(text);
		assertYamlDepth(value);
		if (isObject(value) && isObject(value["packs"])) return value["packs"];
	} catch (error) {
		throw new IndexError("malformed", `The index is not valid JSON: ${toErrorMessage(error)}`, error);
	}
	throw new IndexError("malformed", 'The index has no member "packs" (an object of packs by name).');
}

/** Reads a directory in which each folder with a `pack.yaml` is a pack. Packs with an invalid manifest are skipped. */
async function readFolder(path: string): Promise<IndexContent> {
	const packs = new Map<string, JsonObject>();
	const skipped: string[] = [];
	for await (const entry of await opendir(path)) {
		const directory = join(path, entry.name);
		try {
			const manifest = await readYamlObject(join(directory, "pack.yaml"));
			const { ref, version } = toPack(manifest, directory);
			packs.set(ref, { ...manifest, ref, version, repo_url: directory });
		} catch (error) {
			if (!isAbsent(error)) skipped.push(entry.name);
		}
		if (packs.size > limits.packs) throw new IndexError("malformed", `The index holds more than ${limits.packs} packs.`);
	}
	return { packs: new Map([...packs].sort(([a], [b]) => (a < b ? -1 : 1))), skipped };
}

/** Returns true if an entry of the folder has no `pack.yaml`, or is a file. */
function isAbsent(error: unknown): boolean {
	return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
