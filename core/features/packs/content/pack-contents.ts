import { type PackContentEntity, type PackContentFile, type Storage, SvcError, type WriteOperation } from "../../../contract/index.ts";
import { toTimestamp } from "../../../kernel/basics/clock.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { insertIfAbsent } from "../../../kernel/basics/insert-if-absent.ts";
import type { PackContentSource } from "../../../kernel/executions/action-catalog.ts";
import { ContentBytes, countChunks, cutFiles, toChunk } from "./content-chunks.ts";
import { type ContentLimits, scanFiles, sumSizes, toContentId } from "./content-files.ts";
import { LocalContents } from "./local-contents.ts";
import { UnusedContents } from "./unused-contents.ts";

export interface PackContentsOptions extends Uses<"storage" | "clock" | "logger"> {
	readonly limits: ContentLimits;
	/** Absolute directory of what is laid out on this node. */
	readonly root: string;
}

/**
 * The files of installed packs. They are kept in the storage under the SHA-256 of what they are, so that every node of a service has the
 * same bytes, and laid out below the data directory of each node that needs them. Content never changes: a new version is other content.
 */
export class PackContents implements PackContentSource {
	readonly #parts: PackContentsOptions;
	readonly #local: LocalContents;
	readonly #unused: UnusedContents;

	constructor(parts: PackContentsOptions) {
		this.#parts = parts;
		this.#local = new LocalContents(parts);
		this.#unused = new UnusedContents(parts);
	}

	/**
	 * Store the files of a directory, to which nobody refers yet: the id of the content, which is kept for an hour at least. On disk when it
	 * resolves. `SVC_INVALID` names what is no plain file, or a limit.
	 */
	async store(directory: string, { pack, signal }: { readonly pack: string; readonly signal: AbortSignal }): Promise<string> {
		const files = await scanFiles(directory, this.#parts.limits, signal);
		return storeContent(this.#parts, { directory, files, pack, signal });
	}

	/** For the write that makes a pack refer to content: `SVC_CONFLICT` where it is not there any more, and it stays from then on. */
	keep(content: string): WriteOperation {
		const used_at = toTimestamp(this.#parts.clock.now());
		return { update: "pack_content", id: content, patch: { used_at }, expected: { id: content, complete: true } };
	}

	directory(pack: string, content: string): Promise<string> {
		return this.#local.directory(pack, content);
	}

	/** What it holds, in the order of the paths. `SVC_NOT_FOUND` where there is no such content. */
	async files(content: string): Promise<readonly PackContentFile[]> {
		return (await this.get(content)).files;
	}

	async get(content: string): Promise<PackContentEntity> {
		const kept = await this.#parts.storage.get("pack_content", content);
		if (kept?.complete !== true) throw new SvcError("SVC_NOT_FOUND", `there is no content "${content}"`);
		return kept;
	}

	/** Bytes of one file, straight from the storage. `SVC_NOT_FOUND` where there is no such file. */
	async readFile(content: string, path: string): Promise<Buffer> {
		let start = 0;
		for (const file of await this.files(content)) {
			if (file.path === path) return this.readBytes(content, start, file.size);
			start += file.size;
		}
		throw new SvcError("SVC_NOT_FOUND", `there is no file "${path}"`);
	}

	/** Bytes of content from a place on: those of all files lie one behind the other. */
	async readBytes(content: string, start: number, length: number): Promise<Buffer> {
		const pieces: Buffer[] = [];
		for await (const piece of new ContentBytes(this.#parts.storage, content).read(start, start + length)) pieces.push(piece);
		return Buffer.concat(pieces);
	}

	/** Remove from the storage what nothing needs, until the signal aborts: how many contents. */
	collect(signal: AbortSignal): Promise<number> {
		return this.#unused.collect(signal);
	}

	/** Remove from this node what the storage does not keep any more. */
	async sweep(): Promise<void> {
		const { storage } = this.#parts;
		await this.#local.sweep(async (content) => (await storage.count("pack_content", { id: content })) > 0, Date.now());
	}
}

/** How often content may be removed by others while it is stored. */
const mostTries = 5;

interface StoreRequest {
	readonly directory: string;
	/** Of the directory. */
	readonly files: readonly PackContentFile[];
	readonly pack: string;
	readonly signal: AbortSignal;
}

type LocalContentsDependencies = Uses<"storage" | "clock">;

/**
 * Store files: the id of their content. It counts as there once every piece is: one that was begun by a process that died is brought to
 * its end, and two who store the same help each other.
 */
async function storeContent({ storage, clock }: LocalContentsDependencies, request: StoreRequest): Promise<string> {
	const { files, pack } = request;
	const id = toContentId(files);
	const now = () => toTimestamp(clock.now());
	const size = sumSizes(files);
	const chunks = countChunks(size);
	for (let tries = 0; tries < mostTries; tries += 1) {
		if ((await storage.update("pack_content", id, { used_at: now() }, { complete: true })) !== undefined) return id;
		// As it is begun, so that what is never finished can be found.
		const begun = { id, pack, size, chunks, complete: false, created_at: now(), used_at: now(), files };
		await insertIfAbsent(() => storage.insert("pack_content", [begun]));
		await storage.update("pack_content", id, { used_at: now() }, { complete: false });
		await storeChunks(storage, id, request);
		if ((await storage.count("pack_content_chunk", { content: id })) !== chunks) continue;
		if ((await storage.update("pack_content", id, { complete: true, used_at: now() })) !== undefined) return id;
	}
	throw new SvcError("SVC_CONFLICT", `content of pack "${pack}" was removed while it was stored; try again`);
}

async function storeChunks(storage: Storage, id: string, { directory, files, signal }: StoreRequest): Promise<void> {
	const found = await storage.find("pack_content_chunk", { where: { content: id }, fields: ["sequence"] });
	const known = new Set(found.map(({ sequence }) => sequence));
	let sequence = 0;
	for await (const data of cutFiles(directory, files, signal)) {
		const chunk = toChunk(id, sequence, data);
		if (!known.has(sequence)) await insertIfAbsent(() => storage.insert("pack_content_chunk", [chunk]));
		sequence += 1;
	}
}
