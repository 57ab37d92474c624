import { isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { type PackEntity, type Storage, SvcError } from "../../contract/index.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { type Page, readPage, toInCondition } from "../../kernel/basics/pagination.ts";
import type { PackContents } from "./content/pack-contents.ts";
import { builtInFiles, directoryFiles, type PackFileReader, storedFiles } from "./content/pack-file-reader.ts";
import type { PackFile, PackFilter, PackListing, Packs } from "./pack-views-exports.ts";

/** Maximum number of text files in one response, and their total bytes. */
const maxTexts = 1_000;
const maxBytes = 8_000_000;

/** Reads packs, and their files from the storage or a directory. */
export class StoredPacks implements Packs {
	readonly #storage: Storage;
	readonly #contents: PackContents;

	constructor({ storage, contents }: { readonly storage: Storage; readonly contents: PackContents }) {
		this.#storage = storage;
		this.#contents = contents;
	}

	async list({ id, name, ref }: PackFilter, { orderBy = [["ref", "asc"]], ...listing }: PackListing): Promise<Page<PackEntity>> {
		const where = {
			...(id !== undefined && { id: toInCondition(id) }),
			...(name !== undefined && { name: toInCondition(name) }),
			...(ref !== undefined && { ref }),
		};
		return readPage(this.#storage, "pack", { where, orderBy, ...listing });
	}

	async get(refOrId: string): Promise<PackEntity> {
		const [byRef] = await this.#storage.find("pack", { where: { ref: refOrId }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await this.#storage.get("pack", refOrId) : undefined);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${refOrId}" cannot be found`);
		return found;
	}

	async texts(refOrId: string): Promise<readonly { readonly path: string; readonly text: string }[]> {
		const texts: { path: string; text: string }[] = [];
		let rest = maxBytes;
		for await (const { path, content } of (await this.#files(await this.get(refOrId))).each()) {
			if (texts.length === maxTexts) break;
			if (content.length > rest || content.includes(0) || !isUtf8(content)) continue;
			rest -= content.length;
			texts.push({ path, text: Buffer.from(content).toString("utf8") });
		}
		return texts;
	}

	async file(refOrId: string, path: string): Promise<PackFile> {
		const pack = await this.get(refOrId);
		const found = await (await this.#files(pack)).read(path);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `pack "${pack.ref}" has no file "${path}"`);
		return found;
	}

	async #files(pack: PackEntity): Promise<PackFileReader> {
		const { ref, path, content } = pack;
		if (content !== null) return storedFiles(this.#storage, this.#contents, content);
		if (path === null) return builtInFiles(pack);
		const found = await stat(path).catch(() => undefined);
		if (found?.isDirectory() !== true) throw new SvcError("SVC_NOT_FOUND", `the directory of pack "${ref}" is not on this node`);
		return directoryFiles(path);
	}
}
