import { type PackContentEntity, type PackContentFile, type Storage, SvcError, type WriteOperation } from "../../../contract/index.ts";
import { toTimestamp } from "../../../kernel/basics/clock.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { insertIfAbsent } from "../../../kernel/basics/insert-if-absent.ts";
import type { PackContentSource } from "../../../kernel/executions/action-catalog.ts";
import { ContentBytes, chunkSize, cutFiles, toChunk } from "./content-chunks.ts";
import { ContentDirectories } from "./content-directories.ts";
import { type ContentLimits, scanFiles, toContentId } from "./content-files.ts";
import { UnusedContents } from "./unused-contents.ts";

export interface PackContentsDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly limits: ContentLimits;
	/** Absolute path of the directory for content on this node. */
	readonly root: string;
}

/**
 * Stores and reads the files of installed packs. The storage keeps them under the SHA-256 of the file list, so that every node of a service
 * has the same bytes. Each node that needs them writes them below its data directory. Content is immutable: a new version is a new content.
 */
export class PackContents implements PackContentSource {
	readonly #parts: PackContentsDependencies;
	readonly #local: ContentDirectories;
	readonly #unused: UnusedContents;

	constructor(parts: PackContentsDependencies) {
		this.#parts = parts;
		this.#local = new ContentDirectories(parts);
		this.#unused = new UnusedContents(parts);
	}

	/**
	 * Stores the files of a directory and returns the content id. The content is durable when the promise resolves, and is kept for at
	 * least one hour without a reference. Throws `SVC_INVALID`, which names an entry that is not a plain file, or an exceeded limit.
	 */
	async store(directory: string, { pack, signal }: { readonly pack: string; readonly signal: AbortSignal }): Promise<string> {
		const files = await scanFiles(directory, this.#parts.limits, signal);
		return storeContent(this.#parts, { directory, files, pack, signal });
	}

	/**
	 * Returns an operation that protects content from removal, for the write that makes a pack refer to it. If the content is already removed,
	 * that write fails with `SVC_CONFLICT`.
	 */
	keep(content: string): WriteOperation {
		const used_at = toTimestamp(this.#parts.clock.now());
		return { update: "pack_content", id: content, patch: { used_at }, expected: { id: content, complete: true } };
	}

	directory(pack: string, content: string): Promise<string> {
		return this.#local.directory(pack, content);
	}

	/** Returns the files of content, sorted by path. Throws `SVC_NOT_FOUND` if the content does not exist. */
	async files(content: string): Promise<readonly PackContentFile[]> {
		return (await this.get(content)).files;
	}

	async get(content: string): Promise<PackContentEntity> {
		const kept = await this.#parts.storage.get("pack_content", content);
		if (kept?.complete !== true) throw new SvcError("SVC_NOT_FOUND", `content "${content}" does not exist`);
		return kept;
	}

	/** Reads one file directly from the storage. Throws `SVC_NOT_FOUND` if it does not exist. */
	async readFile(content: string, path: string): Promise<Buffer> {
		let start = 0;
		for (const file of await this.files(content)) {
			if (file.path === path) return this.readBytes(content, start, file.size);
			start += file.size;
		}
		throw new SvcError("SVC_NOT_FOUND", `file "${path}" does not exist`);
	}

	/** Reads `length` bytes of content, from `start` in the concatenation of all its files. */
	async readBytes(content: string, start: number, length: number): Promise<Buffer> {
		const pieces: Buffer[] = [];
		for await (const piece of new ContentBytes(this.#parts.storage, content).read(start, start + length)) pieces.push(piece);
		return Buffer.concat(pieces);
	}

	/** Removes unused content from the storage until the signal aborts. Returns how many contents were removed. */
	collect(signal: AbortSignal): Promise<number> {
		return this.#unused.collect(signal);
	}

	/** Removes content from the disk of this node that is no longer in the storage. */
	async sweep(): Promise<void> {
		const { storage } = this.#parts;
		await this.#local.sweep(async (content) => (await storage.count("pack_content", { id: content })) > 0, Date.now());
	}
}

/** Maximum attempts to store content that another process removes at the same time. */
const maxAttempts = 5;

interface StoreRequest {
	readonly directory: string;
	/** Files of the directory, as scanned. */
	readonly files: readonly PackContentFile[];
	readonly pack: string;
	readonly signal: AbortSignal;
}

/**
 * Stores files and returns their content id. Content becomes available when all its chunks are stored. Content that a crashed process has
 * left incomplete is completed, and two processes that store the same content share their chunks.
 */
async function storeContent({ storage, clock }: Uses<"storage" | "clock">, request: StoreRequest): Promise<string> {
	const { files, pack } = request;
	const id = toContentId(files);
	const now = () => toTimestamp(clock.now());
	const size = files.reduce((sum, file) => sum + file.size, 0);
	const chunks = Math.ceil(size / chunkSize);
	for (let tries = 0; tries < maxAttempts; tries += 1) {
		if ((await storage.update("pack_content", id, { used_at: now() }, { complete: true })) !== undefined) return id;
		// Insert the record before the chunks, so that incomplete content can be found and removed.
		const begun = { id, pack, size, chunks, complete: false, created_at: now(), used_at: now(), files };
		await insertIfAbsent(() => storage.insert("pack_content", [begun]));
		await storage.update("pack_content", id, { used_at: now() }, { complete: false });
		await storeChunks(storage, id, request);
		if ((await storage.count("pack_content_chunk", { content: id })) !== chunks) continue;
		if ((await storage.update("pack_content", id, { complete: true, used_at: now() })) !== undefined) return id;
	}
	throw new SvcError("SVC_CONFLICT", `content of pack "${pack}" was removed concurrently; try again`);
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
