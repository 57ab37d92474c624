import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { stringify } from "yaml";
import { type JsonObject, SvcError, stringifyJson, toErrorMessage } from "../../../contract/index.ts";
import { holdsOnlyComments, parseYamlObject } from "../reading/read-yaml.ts";

/** Milliseconds for which a cached file is used without checking it for changes. */
const freshFor = 1_000;
const maximumSize = 500_000;

interface Known {
	readonly version: string;
	readonly value: unknown;
	lookedAt: number;
}

/** User who wrote a file over the API, and the scopes of the API key in use. A file without a writer was edited by hand. */
export interface ConfigWriter {
	readonly author: string;
	readonly scopes?: readonly string[];
}

type Parse<T> = (content: JsonObject, writer: ConfigWriter | undefined) => T;

/** Reads and writes YAML files, and caches their objects. A changed file is read again; an edit takes effect within a second. */
export class ConfigFiles {
	readonly #files = new Map<string, Known>();

	/** Returns the parsed file, or undefined if it does not exist. Throws `SVC_INVALID` with the path, also for errors of `parse`. */
	async read<T>(path: string, parse: Parse<T>): Promise<T | undefined> {
		try {
			return await this.#load(path, parse);
		} catch (error) {
			throw new SvcError("SVC_INVALID", `${path}: ${toErrorMessage(error)}`, { cause: error });
		}
	}

	/** Replaces a whole file atomically, readable by its owner only. The new content takes effect on this node at once. */
	async write(path: string, content: JsonObject, writer: ConfigWriter): Promise<void> {
		// Formatting large content as YAML takes long, and a file over the limit could not be read again.
		const { length } = stringifyJson(content);
		if (length > maximumSize)
			throw new SvcError("SVC_INVALID", `a configuration must have at most ${maximumSize} characters, got ${length}`);
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		const temporary = `${path}.${randomBytes(4).toString("hex")}`;
		try {
			await writeSynced(temporary, `${writerPrefix}${JSON.stringify(writer)}\n${stringify(content)}`);
			await rename(temporary, path);
		} finally {
			await rm(temporary, { force: true });
			this.#files.delete(path);
		}
	}

	async #load<T>(path: string, parse: Parse<T>): Promise<T | undefined> {
		const known = this.#files.get(path);
		const now = performance.now();
		if (known !== undefined && now - known.lookedAt < freshFor) return known.value as T | undefined;
		const found = await stat(path).catch(toMissing);
		const version = found === undefined ? "" : `${found.ino}:${found.mtimeMs}:${found.size}`;
		if (known?.version === version) {
			known.lookedAt = now;
			return known.value as T | undefined;
		}
		if (found !== undefined && found.size > maximumSize)
			throw new SvcError("SVC_INVALID", `must be at most ${maximumSize} bytes, got ${found.size}`);
		const text = found === undefined ? undefined : await readFile(path, "utf8");
		const value = text === undefined ? undefined : parse(parseContent(text), readWriter(text));
		this.#files.set(path, { version, value, lookedAt: now });
		return value;
	}
}

const writerPrefix = "# Templates are rendered with the permissions of this user; without this line, with those of the service: ";

/** Reads the writer from the first line. Values of the configuration cannot forge it, because they are in the lines after it. */
function readWriter(text: string): ConfigWriter | undefined {
	if (!text.startsWith(writerPrefix)) return undefined;
	return JSON.parse(text.slice(writerPrefix.length).split("\n", 1)[0] ?? "") as ConfigWriter;
}

async function writeSynced(path: string, text: string): Promise<void> {
	const file = await open(path, "wx", 0o600);
	try {
		await file.writeFile(text);
		await file.sync();
	} finally {
		await file.close();
	}
}

/** Parses a file. A file with nothing but comments is an empty object. */
function parseContent(text: string): JsonObject {
	return holdsOnlyComments(text) ? {} : parseYamlObject(text);
}

function toMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
	throw error;
}
