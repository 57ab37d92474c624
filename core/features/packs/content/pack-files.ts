import { createHash } from "node:crypto";
import { constants, open, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { stringify } from "yaml";
import { type PackEntity, type Storage, SvcError } from "../../../contract/index.ts";
import { fromTimestamp } from "../../../kernel/basics/clock.ts";
import type { PackFile } from "../pack-views-api.ts";
import { listPackFiles } from "../reading/list-pack-files.ts";
import { ContentBytes } from "./content-chunks.ts";
import type { PackContents } from "./pack-contents.ts";

/** Bytes of the largest file that is shown. */
export const largestFile = 500_000;
const longestPath = 1_000;

/** The files of a pack, wherever they are. */
export interface PackFiles {
	/** Paths and bytes of those that are not too large, one after the other. */
	each(): AsyncIterable<{ readonly path: string; readonly content: Uint8Array }>;
	/** Undefined where there is no such file. `SVC_INVALID` for one that is too large. */
	read(path: string): Promise<PackFile | undefined>;
}

/** Files that the storage keeps. */
export function storedFiles(storage: Storage, contents: PackContents, content: string): PackFiles {
	async function* all() {
		const { files, created_at } = await contents.get(content);
		let start = 0;
		for (const file of files) {
			yield { ...file, start, modified: fromTimestamp(created_at) / 1_000 };
			start += file.size;
		}
	}
	return {
		async *each() {
			const bytes = new ContentBytes(storage, content);
			for await (const { path, size, start } of all()) {
				if (size > largestFile) continue;
				const pieces: Buffer[] = [];
				for await (const piece of bytes.read(start, start + size)) pieces.push(piece);
				yield { path, content: Buffer.concat(pieces) };
			}
		},
		async read(path) {
			for await (const file of all()) {
				if (file.path !== path) continue;
				assertSize(path, file.size);
				const { sha256: tag, modified, start, size } = file;
				return { path, content: await contents.readBytes(content, start, size), tag, modified };
			}
			return undefined;
		},
	};
}

/** Files in a directory of this node. What lies outside of it, or is git's own, is as if it were not there. */
export function directoryFiles(directory: string): PackFiles {
	const read = async (path: string): Promise<PackFile | undefined> => (isPlain(path) ? readInside(directory, path) : undefined);
	return {
		async *each() {
			for (const path of await listPackFiles(directory)) {
				// What is too large is passed over here.
				const file = await read(path).catch(() => undefined);
				if (file !== undefined) yield file;
			}
		},
		read,
	};
}

/** When this process began to tell of the packs that it brings itself. */
const startedAt = Date.now();

/** The manifest of a pack that the service brings itself: it has no directory. */
export function builtInFiles({ ref, name, description, version, author, metadata }: PackEntity): PackFiles {
	const path = "pack.yaml";
	const content = Buffer.from(stringify({ ref, name, description, version, author, ...metadata }));
	const file: PackFile = { path, content, tag: createHash("sha256").update(content).digest("hex"), modified: startedAt };
	return {
		async *each() {
			yield file;
		},
		read: async (asked) => (asked === path ? file : undefined),
	};
}

/** Whether a path says the same to everybody: no way up, no empty part, and nothing that git keeps, such as the password of an address. */
function isPlain(path: string): boolean {
	return path.length <= longestPath && !path.includes("\0") && path.split("/").every((part) => !["", ".", "..", ".git"].includes(part));
}

async function readInside(directory: string, path: string): Promise<PackFile | undefined> {
	const place = join(directory, path);
	// A pipe nobody writes to would keep the open waiting.
	const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
	if (handle === undefined) return undefined;
	try {
		const opened = await handle.stat();
		// What was opened, and not what the path leads to by now.
		const real = await realpath(place).catch(() => "");
		const found = await stat(real).catch(() => undefined);
		const root = (await realpath(directory)) + sep;
		const isInside = real.startsWith(root) && isPlain(real.slice(root.length));
		if (!isInside || found?.ino !== opened.ino || found.dev !== opened.dev || !opened.isFile()) return undefined;
		assertSize(path, opened.size);
		return { path, content: await handle.readFile(), tag: String(opened.mtimeMs), modified: opened.mtimeMs };
	} finally {
		await handle.close();
	}
}

function assertSize(path: string, size: number): void {
	if (size > largestFile) throw new SvcError("SVC_INVALID", `file "${path}" must be at most ${largestFile} bytes to be shown, has ${size}`);
}
