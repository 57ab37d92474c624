import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isSvcError, type PackContentFile, SvcError, toErrorMessage } from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { ContentBytes } from "./content-chunks.ts";
import { containsFiles, extractFiles, removeExtracted, removeTree, stagingPrefix } from "./content-directory.ts";
import { toContentId } from "./content-files.ts";

export interface LocalContentsDependencies extends Uses<"storage" | "logger"> {
	/** Absolute path of the directory for pack content on this node. */
	readonly root: string;
}

const hour = 3_600_000;
const refPattern = /^[a-z0-9_]+$/;
const contentPattern = /^[0-9a-f]{64}$/;

/** Writes the content of packs to directories of this node, `<root>/<pack>/<content>`, and removes unused ones. */
export class ContentDirectories {
	readonly #parts: LocalContentsDependencies;
	/** Directories that this process has written or verified, by path. */
	readonly #ready = new Map<string, Promise<void>>();

	constructor(parts: LocalContentsDependencies) {
		this.#parts = parts;
	}

	/** Returns the directory of content, even if it does not exist yet. Throws `SVC_RUNNER` for an invalid pack ref or content id. */
	toPath(pack: string, content: string): string {
		// Both become part of a path, so they must not contain separators or dots.
		if (!refPattern.test(pack) || !contentPattern.test(content))
			throw new SvcError("SVC_RUNNER", `pack "${pack}" has no content "${content}"`);
		return join(this.#parts.root, pack, content);
	}

	/** Returns the directory after writing all files to it. A directory from an earlier process is reused if its files match. */
	async directory(pack: string, content: string): Promise<string> {
		const path = this.toPath(pack, content);
		let ready = this.#ready.get(path);
		if (ready === undefined) {
			ready = this.#prepare(path, pack, content);
			this.#ready.set(path, ready);
			ready.catch(() => this.#ready.delete(path));
		}
		await ready;
		return path;
	}

	/**
	 * Removes content for which `isKept` returns false, and staging directories of crashed processes. Directories younger than one hour
	 * stay, because another process may still write them.
	 */
	async sweep(isKept: (content: string) => Promise<boolean>, now: number): Promise<void> {
		const { root, logger } = this.#parts;
		for (const pack of await namesIn(root)) {
			for (const name of await namesIn(join(root, pack))) {
				const isContent = contentPattern.test(name);
				// Do not remove directories with other names: the service has not created them.
				if (!isContent && !name.startsWith(stagingPrefix)) continue;
				const path = join(root, pack, name);
				const { mtimeMs = now } = (await stat(path).catch(() => undefined)) ?? {};
				if (now - mtimeMs < hour || (isContent && (await isKept(name)))) continue;
				this.#ready.delete(path);
				await (isContent ? removeExtracted(path) : removeTree(path));
				logger.info("pack content removed from this node", { pack, content: name });
			}
		}
	}

	async #prepare(path: string, pack: string, content: string): Promise<void> {
		const { storage, logger } = this.#parts;
		const kept = await storage.get("pack_content", content);
		if (kept?.complete !== true)
			throw new SvcError("SVC_RUNNER", `the files of pack "${pack}" that this run needs (${content.slice(0, 12)}) are no longer stored`);
		const { files } = kept;
		if (await containsFiles(path, files)) return;
		if (toContentId(files) !== content)
			throw new SvcError("SVC_RUNNER", `content ${content} is damaged in the storage: its list of files differs`);
		try {
			await removeExtracted(path);
			await this.#extractFiles(path, content, files);
		} catch (error) {
			if (isSvcError(error)) throw error;
			throw new SvcError("SVC_RUNNER", `the files of pack "${pack}" cannot be written to this node: ${toErrorMessage(error)}`, {
				cause: error,
			});
		}
		logger.info("pack content written to this node", { pack, content, files: files.length });
	}

	async #extractFiles(path: string, content: string, files: readonly PackContentFile[]): Promise<void> {
		const bytes = new ContentBytes(this.#parts.storage, content);
		let at = 0;
		await extractFiles(path, files, (length) => {
			const start = at;
			at += length;
			return bytes.read(start, at);
		});
		// Another process may have created the directory first, or an unrelated directory may exist at the path.
		if (!(await containsFiles(path, files))) throw new SvcError("SVC_RUNNER", `"${path}" contains unexpected files`);
	}
}

async function namesIn(directory: string): Promise<readonly string[]> {
	return readdir(directory).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
		throw error;
	});
}
