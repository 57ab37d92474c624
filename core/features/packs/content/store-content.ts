import type { Clock, PackContentFile, Storage } from "../../../contract/index.ts";
import { SvcError } from "../../../contract/index.ts";
import { toTimestamp } from "../../../kernel/basics/clock.ts";
import { insertOnce } from "../../../kernel/basics/insert-if-absent.ts";
import { countChunks, cutFiles, toChunk } from "./content-chunks.ts";
import { sumSizes, toContentId } from "./content-files.ts";

/** How often content may be removed by others while it is stored. */
const mostTries = 5;

export interface StoreRequest {
	readonly directory: string;
	/** Of the directory. */
	readonly files: readonly PackContentFile[];
	readonly pack: string;
	readonly signal: AbortSignal;
}

interface Parts {
	readonly storage: Storage;
	readonly clock: Clock;
}

/**
 * Store files: the id of their content. It counts as there once every piece is: one that was begun by a process that died is brought to
 * its end, and two who store the same help each other.
 */
export async function storeContent({ storage, clock }: Parts, request: StoreRequest): Promise<string> {
	const { files, pack } = request;
	const id = toContentId(files);
	const now = () => toTimestamp(clock.now());
	const size = sumSizes(files);
	const chunks = countChunks(size);
	for (let tries = 0; tries < mostTries; tries += 1) {
		if ((await storage.update("pack_content", id, { used_at: now() }, { complete: true })) !== undefined) return id;
		// As it is begun, so that what is never finished can be found.
		const begun = { id, pack, size, chunks, complete: false, created_at: now(), used_at: now(), files };
		await insertOnce(() => storage.insert("pack_content", [begun]));
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
		if (!known.has(sequence)) await insertOnce(() => storage.insert("pack_content_chunk", [chunk]));
		sequence += 1;
	}
}
